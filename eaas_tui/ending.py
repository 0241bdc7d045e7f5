"""How the console ends when it is not asked by a key: signals, a closed terminal, a mistake in it.

The terminal is left as it was found, and no process stays behind: when the console cannot end by
itself within a moment, because its output leads nowhere, it is ended all the same.
"""

import os
import select
import signal
import threading
import traceback
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Final

from eaas_tui.terminal import drawn_on

SIGNALS: Final = (signal.SIGTERM, signal.SIGHUP, signal.SIGINT)
"""The last comes from another program: ctrl+c is a key here."""
PATIENCE_S: Final = 2.0
RESTORED: Final = "\x1b[?1049l\x1b[?25h\x1b[?1000l\x1b[?1003l\x1b[?1006l\x1b[?2004l\x1b[?7h"
"""Leave the second screen, show the cursor, and take back the mouse, paste and wrapping modes."""


class Ending:
    """Ends the console on a signal or when its terminal goes away."""

    def __init__(self, end: Callable[[int], None], *, patience_s: float = PATIENCE_S) -> None:
        """``end`` is called from any thread, with the exit code, and must return at once."""
        self._end: Final = end
        self._patience_s: Final = patience_s
        self._began = threading.Lock()

    def listen(self, fd: int) -> None:
        """Listen for the signals, and for the end of the terminal behind ``fd``."""
        for number in SIGNALS:
            signal.signal(number, self._on_signal)
        threading.Thread(target=self._watch, args=(fd,), daemon=True, name="terminal-end").start()

    def begin(self, code: int) -> None:
        """Begin to end; what is not over after a moment is cut short."""
        if not self._began.acquire(blocking=False):
            return
        cut = threading.Timer(self._patience_s, _cut_short, args=(code,))
        cut.daemon = True
        cut.start()
        self._end(code)

    def _on_signal(self, number: int, _frame: FrameType | None) -> None:
        self.begin(128 + number)

    def _watch(self, fd: int) -> None:
        """Wait without waking up until the other side of the terminal is gone."""
        poll = select.poll()
        poll.register(fd, 0)
        while not any(what & (select.POLLHUP | select.POLLNVAL) for _, what in poll.poll()):
            pass
        self.begin(128 + signal.SIGHUP)


def write_down(error: BaseException, file: Path) -> bool:
    """Append the error and where it happened to a file; False when that cannot be done."""
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        with file.open("a") as log:
            log.writelines(traceback.format_exception(error))
    except OSError:
        return False
    return True


def _cut_short(code: int) -> None:
    try:
        sink = drawn_on() or 2
        os.set_blocking(sink, False)
        os.write(sink, RESTORED.encode())
    except OSError:
        pass
    os._exit(code)
