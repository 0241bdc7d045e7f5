"""A terminal for one program: takes what it writes, as fast as it comes or as a link does."""

import fcntl
import os
import select
import struct
import subprocess
import termios
import time
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Final

from bench.programs import cpu_s, memory_mib

ANSWERS: Final = {b"\x1b[6n": b"\x1b[1;2R", b"\x1b[?2026$p": b"\x1b[?2026;2$y"}
"""A block is one cell wide, and draws may be held together."""
PAINTED: Final = b"\x1b[?2026l"
"""What ends a draw that is held together."""
WITHIN_S: Final = 20.0
AT_ONCE_BYTES: Final = 256
"""What a slow link lets through at once after a pause, and the most that it is asked for."""


class Terminal(AbstractContextManager["Terminal"]):
    """A program in a pty. Reads only when asked to, so that nothing competes with the program."""

    def __init__(
        self,
        argv: Sequence[str],
        env: Mapping[str, str],
        *,
        width: int,
        height: int,
        link_bytes_s: float | None = None,
    ) -> None:
        """Start the program; ``link_bytes_s`` is how much its link carries a second, if not all."""
        self._link_bytes_s: Final = link_bytes_s
        self._carried_at = time.monotonic()
        """When the link has carried all that was read."""
        self._master, slave = os.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", height, width, 0, 0))
        self.began_at: Final = time.monotonic()
        dropped = (
            *("NO_COLOR", "COLUMNS", "LINES", "TMUX", "TERM_PROGRAM"),
            "PYTHONDONTWRITEBYTECODE",  # nobody compiles everything at each start
        )
        self._process: Final = subprocess.Popen(
            argv,
            stdin=slave,
            stdout=slave,
            stderr=slave,
            env={key: value for key, value in env.items() if key not in dropped}
            | {"TERM": "xterm-256color", "COLORTERM": "truecolor"},
            start_new_session=True,
        )
        os.close(slave)

    def __exit__(self, *_: object) -> None:
        self._process.terminate()
        try:
            self._process.wait(WITHIN_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        os.close(self._master)

    @property
    def cpu_s(self) -> float:
        """The CPU time that the program has spent."""
        return cpu_s(self._process.pid)

    @property
    def memory_mib(self) -> float:
        """The program's resident memory."""
        return memory_mib(self._process.pid)

    def press(self, keys: str) -> None:
        """Send keys."""
        os.write(self._master, keys.encode())

    def read(self, span_s: float) -> bytes:
        """Return all that is written within a time."""
        deadline = time.monotonic() + span_s
        written = bytearray()
        while (left := deadline - time.monotonic()) > 0:
            written += self._read(left)
        return bytes(written)

    def settle(self, quiet_s: float = 0.15) -> bytes:
        """Read until nothing has come for so long; return what came."""
        written = bytearray()
        while piece := self._read(quiet_s):
            written += piece
        return bytes(written)

    def until(self, text: bytes, within_s: float = WITHIN_S) -> tuple[float, bytes]:
        """Read until the text has come; return when that was, and all that came."""
        deadline = time.monotonic() + within_s
        written = bytearray()
        while text not in written:
            left = deadline - time.monotonic()
            if left <= 0 or self._process.poll() is not None:
                raise RuntimeError(f"{text!r} did not come: {bytes(written[-2000:])!r}")
            written += self._read(left)
        return time.monotonic(), bytes(written)

    def until_all(self, texts: Sequence[bytes]) -> float:
        """Read until all the texts have come, in whatever order; return when that was."""
        written = bytearray()
        for text in texts:
            if text not in written:
                written += self.until(text)[1]
        return time.monotonic()

    def answer_s(self, key: str, sign: bytes) -> float:
        """Press a key; return how long it took until a draw with this sign was complete."""
        pressed_at = time.monotonic()
        self.press(key)
        written = bytearray()
        while (at := written.find(sign)) < 0 or PAINTED not in written[at:]:
            if time.monotonic() - pressed_at > WITHIN_S:
                raise RuntimeError(f"no answer to {key}: {bytes(written[-2000:])!r}")
            written += self._read(WITHIN_S)
        return time.monotonic() - pressed_at

    def _read(self, within_s: float) -> bytes:
        if not select.select([self._master], [], [], within_s)[0]:
            return b""
        try:
            piece = os.read(self._master, 65536 if self._link_bytes_s is None else AT_ONCE_BYTES)
        except OSError:
            return b""
        self._carry(len(piece))
        for question, answer in ANSWERS.items():
            if question in piece:
                os.write(self._master, answer)
        return piece

    def _carry(self, count: int) -> None:
        """Take as long for these bytes as the link does."""
        if self._link_bytes_s is not None:
            begin = max(self._carried_at, time.monotonic() - AT_ONCE_BYTES / self._link_bytes_s)
            self._carried_at = begin + count / self._link_bytes_s
            time.sleep(max(0.0, self._carried_at - time.monotonic()))
