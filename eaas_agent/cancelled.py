"""Keeps a cancellation from being lost."""

import asyncio


def heed_cancellation() -> None:
    """Raise ``CancelledError`` if this task was cancelled and a TaskGroup let that fall.

    When a child fails while its group's own task is being cancelled, Pythons before 3.13 raise the
    child's error alone (python/cpython#116720). A loop that catches such errors and goes on would
    then go on for ever, so it calls this first.
    """
    task = asyncio.current_task()
    if task is not None and task.cancelling():
        raise asyncio.CancelledError
