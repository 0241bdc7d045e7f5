"""The terminal before the console takes it: whether it is one, and how wide it draws a block."""

import os
import re
import select
import termios
import time
import tty
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

PROBE: Final = "\r█\x1b[6n"
"""A full block at the line's start, then the question where the cursor is."""
ANSWER: Final = re.compile(rb"\x1b\[\d+;(\d+)R")
WITHIN_S: Final = 0.3
"""A terminal that has not answered by then never will, or its link is too slow to wait for."""


def is_terminal(*fds: int) -> bool:
    """Tell whether all of these are connected to a terminal."""
    return all(os.isatty(fd) for fd in fds)


def drawn_on() -> int | None:
    """Return what the console draws on: stderr, or stdout where stderr leads into a file.

    None without a terminal for keys and draws.
    """
    if not is_terminal(0, 1):
        return None
    return 2 if is_terminal(2) else 1


def block_cells(source: int, sink: int, *, within_s: float = WITHIN_S) -> int | None:
    """Return how many cells the terminal takes for a full block; None when it does not say.

    The line the cursor is on is left blank. Keys typed meanwhile are dropped with the answer.
    """
    with _unechoed(source):
        _say(sink, PROBE)
        answer = _answer(source, within_s)
        _say(sink, "\r\x1b[K")
    return None if answer is None else answer - 1


def _answer(source: int, within_s: float) -> int | None:
    deadline = time.monotonic() + within_s
    heard = b""
    while (left := deadline - time.monotonic()) > 0:
        ready, _, _ = select.select([source], [], [], left)
        piece = os.read(source, 256) if ready else b""
        if not piece:
            return None
        heard += piece
        if found := ANSWER.search(heard):
            return int(found[1])
    return None


def _say(sink: int, text: str) -> None:
    os.write(sink, text.encode())


@contextmanager
def _unechoed(fd: int) -> Iterator[None]:
    """Let what comes in be read at once and not be shown, for a moment."""
    before = termios.tcgetattr(fd)
    tty.setcbreak(fd, termios.TCSANOW)
    try:
        yield
    finally:
        termios.tcsetattr(fd, termios.TCSANOW, before)
