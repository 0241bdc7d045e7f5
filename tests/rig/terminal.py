"""A real terminal for a program: a pty with a person at the keys and a screen in memory."""

import errno
import fcntl
import os
import select
import signal
import struct
import subprocess
import sys
import termios
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Final, Self

import pyte

from tests.rig.program import ROOT

WITHIN_S: Final = 20.0
ANSWERS: Final = {b"\x1b[6n": b"\x1b[1;2R", b"\x1b[?2026$p": b"\x1b[?2026;2$y"}
"""What this terminal says when it is asked: a block is one cell, and draws may be held together."""

KEYS: Final[Mapping[str, str]] = {
    "enter": "\r",
    "escape": "\x1b",
    "tab": "\t",
    "up": "\x1b[A",
    "down": "\x1b[B",
    "right": "\x1b[C",
    "left": "\x1b[D",
    "pageup": "\x1b[5~",
    "pagedown": "\x1b[6~",
    "home": "\x1b[H",
    "end": "\x1b[F",
    "backspace": "\x7f",
    "ctrl+c": "\x03",
    "ctrl+l": "\x0c",
    "ctrl+p": "\x10",
    "ctrl+s": "\x13",
    "ctrl+z": "\x1a",
}


class RealTerminal(AbstractContextManager["RealTerminal"]):
    """A program in a pty. A thread reads all it writes, counts it, and keeps the screen."""

    def __init__(
        self,
        *argv: str,
        environ: Mapping[str, str] | None = None,
        width: int = 120,
        height: int = 40,
        term: str = "xterm-256color",
    ) -> None:
        self.screen: Final = pyte.Screen(width, height)
        self._stream: Final = pyte.ByteStream(self.screen)
        self._news: Final = threading.Condition()
        self.written = bytearray()
        """Every byte the program has written."""
        self.last_at = 0.0
        """When the last of them came, by the monotonic clock."""
        self._master, slave = os.openpty()
        self.resize(width, height)
        self._process: Final = subprocess.Popen(
            list(argv),
            stdin=slave,
            stdout=slave,
            stderr=slave,
            cwd=ROOT,
            env={**_plain(os.environ if environ is None else environ), "TERM": term},
            start_new_session=True,
            preexec_fn=_take_terminal,
        )
        self._slave: Final = slave
        self._stop, self._stopped = os.pipe()
        self._reader: Final = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    @classmethod
    def console(cls, *args: str, environ: Mapping[str, str] | None = None, **shape: int) -> Self:
        """Start the console with these arguments."""
        return cls(sys.executable, "-m", "eaas_tui", *args, environ=environ, **shape)  # type: ignore[arg-type]

    def __exit__(self, *_: object) -> None:
        self.close()

    # --- what a person does

    def press(self, *keys: str) -> None:
        """Press keys by name; one that has no name is typed as it stands."""
        for key in keys:
            self.type(KEYS.get(key, key))

    def type(self, text: str) -> None:
        """Send text as it stands."""
        os.write(self._master, text.encode())

    def paste(self, text: str) -> None:
        """Send text the way terminals send what is pasted."""
        self.type(f"\x1b[200~{text}\x1b[201~")

    def resize(self, width: int, height: int) -> None:
        """Give the terminal another size."""
        with self._news:
            self.screen.resize(height, width)
        size = struct.pack("HHHH", height, width, 0, 0)
        fcntl.ioctl(self._master, termios.TIOCSWINSZ, size)

    def wipe(self) -> None:
        """Lose what is on the screen, as when another program has had the terminal."""
        with self._news:
            self.screen.reset()

    def send_signal(self, number: signal.Signals) -> None:
        """Send a signal to the program."""
        self._process.send_signal(number)

    # --- what a person sees

    @property
    def pid(self) -> int:
        """The program's process."""
        return self._process.pid

    @property
    def lines(self) -> list[str]:
        """The screen as text, without blanks at the ends of lines."""
        with self._news:
            return [line.rstrip() for line in self.screen.display]

    @property
    def text(self) -> str:
        """The screen as one text."""
        return "\n".join(self.lines)

    @property
    def bytes_written(self) -> int:
        """How many bytes have come so far."""
        with self._news:
            return len(self.written)

    def await_text(self, *texts: str, within_s: float = WITHIN_S) -> None:
        """Return once all the texts are on the screen; fail with the screen when they won't be."""
        self.await_screen(
            lambda shown: all(text in shown for text in texts), " and ".join(texts), within_s
        )

    def await_no_text(self, text: str, within_s: float = WITHIN_S) -> None:
        """Return once the text is not on the screen."""
        self.await_screen(lambda shown: text not in shown, f"no {text}", within_s)

    def await_screen(
        self, holds: Callable[[str], bool], what: str, within_s: float = WITHIN_S
    ) -> None:
        """Return once the screen is as wanted."""

        def seen() -> bool:
            return holds("\n".join(self.screen.display))

        with self._news:
            came = self._news.wait_for(lambda: seen() or not self._reader.is_alive(), within_s)
            shown = "\n".join(line.rstrip() for line in self.screen.display)
            assert came, f"{what} did not come in {within_s} s; the screen:\n{shown}"
            assert seen(), f"{what} did not come before the end; the screen:\n{shown}"

    def await_quiet(self, quiet_s: float, within_s: float = WITHIN_S) -> None:
        """Return once nothing has been written for so long."""
        deadline = time.monotonic() + within_s
        with self._news:
            while (left := self.last_at + quiet_s - time.monotonic()) > 0:
                assert time.monotonic() < deadline, "it never stops writing"
                self._news.wait(left)

    def await_end(self, within_s: float = WITHIN_S) -> int:
        """Return the program's exit code once it has ended."""
        code = self._process.wait(within_s)
        os.write(self._stopped, b"x")
        self._reader.join(within_s)
        return code

    def await_gone(self, within_s: float = WITHIN_S) -> None:
        """Return once the program has ended, however it did."""
        self._process.wait(within_s)

    @property
    def is_sane(self) -> bool:
        """Tell whether the terminal echoes, breaks lines and interrupts, as shells expect."""
        flags = termios.tcgetattr(self._slave)[3]
        wanted = termios.ECHO | termios.ICANON | termios.ISIG
        return flags & wanted == wanted and b"\x1b[?1049l" in self.written

    def hang_up(self) -> None:
        """Close the terminal, as a lost connection does."""
        os.write(self._stopped, b"x")
        self._reader.join(WITHIN_S)
        os.close(self._slave)
        os.close(self._master)
        self._master = -1

    def close(self) -> None:
        """End the program if it runs, and let go of the terminal."""
        if self._process.poll() is None:
            self._process.kill()
            self._process.wait(WITHIN_S)
        if self._master >= 0:
            self.hang_up()
        for fd in (self._stop, self._stopped):
            os.close(fd)

    # --- the terminal's side

    def _read(self) -> None:
        while True:
            ready, _, _ = select.select([self._master, self._stop], [], [])
            data = self._available() if self._master in ready else b""
            if data:
                self._take(data)
            elif self._stop in ready or self._master in ready:
                break
        with self._news:
            self._news.notify_all()

    def _available(self) -> bytes:
        try:
            return os.read(self._master, 65536)
        except OSError as error:
            if error.errno == errno.EIO:
                return b""
            raise

    def _take(self, data: bytes) -> None:
        with self._news:
            self.written += data
            self.last_at = time.monotonic()
            self._stream.feed(data)
            self._news.notify_all()
        for question, answer in ANSWERS.items():
            if question in data:
                os.write(self._master, answer)


def _plain(environ: Mapping[str, str]) -> dict[str, str]:
    """Return the environment without what changes how a console looks."""
    dropped = {"NO_COLOR", "COLORTERM", "COLUMNS", "LINES", "FORCE_COLOR", "TERM_PROGRAM", "TMUX"}
    return {key: value for key, value in environ.items() if key not in dropped}


def _take_terminal() -> None:
    """Make the pty the new session's own, so that it gets the signals of one."""
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)


def argv_of(module: str, *args: str) -> Sequence[str]:
    """Return the line that runs one of the project's modules."""
    return (sys.executable, "-m", module, *args)
