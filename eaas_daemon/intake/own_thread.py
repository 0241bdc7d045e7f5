"""One thread for everything that touches one folder: a file server that hangs stops only that."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Final, ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")

LEAVE_AFTER_S: Final = 5.0
"""How long a cancelled caller waits for what its thread is at."""


class OwnThread:
    """Does blocking work, one piece after the other."""

    def __init__(self) -> None:
        self._executor = ThreadPoolExecutor(max_workers=1, thread_name_prefix="folder")

    async def do(self, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Return what the work returns.

        A caller that is cancelled goes when the piece of work is done, so that nobody else
        begins in its midst; one that hangs is left to itself after a while.
        """
        loop = asyncio.get_running_loop()
        doing = loop.run_in_executor(self._executor, partial(work, *args, **kwargs))
        try:
            return await asyncio.shield(doing)
        except asyncio.CancelledError:
            await asyncio.wait([doing], timeout=LEAVE_AFTER_S)
            raise

    def close(self) -> None:
        """Take no more work."""
        self._executor.shutdown(wait=False, cancel_futures=True)
