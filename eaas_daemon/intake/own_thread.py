"""One thread for everything that touches one folder: a file server that hangs stops only that."""

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from functools import partial
from queue import Empty, SimpleQueue
from typing import Any, Final, ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")

LEAVE_AFTER_S: Final = 5.0
"""How long a cancelled caller waits for what its thread is at."""

Piece = tuple[Future[Any], Callable[[], Any]]


class OwnThread:
    """Does blocking work, one piece after the other.

    A pool of the standard library would keep the program from ending while a piece hangs.
    """

    def __init__(self) -> None:
        self._pieces: SimpleQueue[Piece | None] = SimpleQueue()
        self._started = False

    async def do(self, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Return what the work returns.

        A caller that is cancelled goes when the piece of work is done, so that nobody else
        begins in its midst; one that hangs is left to itself after a while.
        """
        done: Future[T] = Future()
        self._pieces.put((done, partial(work, *args, **kwargs)))
        if not self._started:
            self._started = True
            threading.Thread(target=self._work, name="folder", daemon=True).start()
        doing = asyncio.wrap_future(done)
        try:
            return await asyncio.shield(doing)
        except asyncio.CancelledError:
            await asyncio.wait([doing], timeout=LEAVE_AFTER_S)
            if doing.done() and not doing.cancelled():
                doing.exception()  # nobody asks any more; unseen, it would be logged as a bug
            raise

    def close(self) -> None:
        """Take no more work."""
        with suppress(Empty):
            while (piece := self._pieces.get_nowait()) is not None:
                piece[0].cancel()
        self._pieces.put(None)

    def _work(self) -> None:
        while (piece := self._pieces.get()) is not None:
            done, work = piece
            if not done.set_running_or_notify_cancel():
                continue
            try:
                done.set_result(work())
            except BaseException as error:
                done.set_exception(error)
