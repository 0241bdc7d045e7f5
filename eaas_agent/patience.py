"""Waits only so long for calls that may hang for ever, such as those to a network's files."""

import asyncio
import threading
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Final, NoReturn, TypeVar

T = TypeVar("T")


class NoAnswer(Exception):
    """The call takes too long, or one about the same thing still does."""


class Patience:
    """Blocking calls in threads of their own, which may be left behind.

    Not the loop's pool: a few calls that hang would hold up all others there, and the program's
    end too. While one about a thing hangs, no more are made about it.
    """

    def __init__(self, wait_s: float) -> None:
        self.wait_s = wait_s
        self._overdue: Final[set[str]] = set()

    async def call(self, about: str, do: Callable[[], T]) -> T:
        """Return what the call returns, or raise what it raises; raise ``NoAnswer`` in time."""
        if about in self._overdue:
            raise NoAnswer
        loop = asyncio.get_running_loop()
        answer: asyncio.Future[Callable[[], T]] = loop.create_future()
        thread = threading.Thread(
            target=_answer, args=(do, answer, loop), name=f"look at {about}", daemon=True
        )
        thread.start()
        try:
            await asyncio.wait({answer}, timeout=self.wait_s)
        finally:
            if not answer.done():
                self._overdue.add(about)
                answer.add_done_callback(lambda late: self._overdue.discard(about))
        if not answer.done():
            raise NoAnswer
        return answer.result()()


def _answer(
    do: Callable[[], T],
    answer: "asyncio.Future[Callable[[], T]]",
    loop: asyncio.AbstractEventLoop,
) -> None:
    """Make the call; hand over its error as a value: perhaps nobody is there to take it."""
    outcome: Callable[[], T]
    try:
        result = do()
    except Exception as error:
        outcome = partial(_raise, error)
    else:
        outcome = partial(_same, result)
    with suppress(RuntimeError):  # the loop is closed, and nobody waits
        loop.call_soon_threadsafe(answer.set_result, outcome)


def _raise(error: Exception) -> NoReturn:
    raise error


def _same(result: T) -> T:
    return result
