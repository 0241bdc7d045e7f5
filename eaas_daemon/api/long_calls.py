"""Requests that last: streams, links and waits. They must not hold up the controller's end."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


class LongCalls:
    """The tasks of requests that would otherwise go on for as long as their client likes."""

    def __init__(self) -> None:
        self._tasks: set[asyncio.Task[Any]] = set()

    @contextmanager
    def noted(self) -> Iterator[None]:
        """Let the current request be cut when the controller stops."""
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        try:
            yield
        finally:
            self._tasks.discard(task)

    def cut(self) -> None:
        """End them all."""
        for task in list(self._tasks):
            task.cancel("the controller is stopping")
