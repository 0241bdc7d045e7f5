"""One of the project's programs as a process of its own, to be awaited, signalled and killed."""

import select
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from os import close, pidfd_open
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[2]
WITHIN_S: Final = 30.0


class Program:
    """A running program and every line it has said on stderr."""

    def __init__(
        self,
        module: str,
        *args: str,
        environ: Mapping[str, str],
        inside: Sequence[str] = (),
        sources: Path = ROOT,
    ) -> None:
        """``inside`` are words before the command line, as those that enter a namespace."""
        self._said: list[str] = []
        self._news = threading.Condition()
        self._process = subprocess.Popen(
            [*inside, sys.executable, "-m", module, *args],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            env=dict(environ),
            cwd=sources,
            start_new_session=True,
        )
        self._listener = threading.Thread(target=self._listen, daemon=True)
        self._listener.start()

    @property
    def pid(self) -> int:
        """The process, alive or not."""
        return self._process.pid

    @property
    def words(self) -> str:
        """Everything it has said so far."""
        with self._news:
            return "".join(self._said)

    def await_words(self, words: str, *, times: int = 1) -> None:
        """Return once it has said the words so often; fail with all it said when it won't."""
        deadline = time.monotonic() + WITHIN_S

        def said() -> bool:
            return sum(words in line for line in self._said) >= times

        with self._news:
            self._news.wait_for(
                lambda: said() or not self._listener.is_alive(), deadline - time.monotonic()
            )
            assert said(), f"{words!r} did not come; this did:\n{''.join(self._said)}"

    def send(self, number: signal.Signals) -> None:
        """Send it a signal."""
        self._process.send_signal(number)

    def ended(self) -> int:
        """Wait for its end and return its exit code."""
        code = self._process.wait(WITHIN_S)
        self._listener.join(WITHIN_S)
        return code

    def terminate(self) -> int:
        """End it politely and return its exit code."""
        return self._end(signal.SIGTERM)

    def kill(self) -> None:
        """End it with -9, as a crash would."""
        self._end(signal.SIGKILL)

    def _end(self, number: signal.Signals) -> int:
        self.send(number)
        return self.ended()

    def _listen(self) -> None:
        assert self._process.stderr is not None
        with self._process.stderr as lines:
            for line in lines:
                with self._news:
                    self._said.append(line.decode(errors="replace"))
                    self._news.notify_all()
        with self._news:
            self._news.notify_all()


def await_end(pid: int) -> None:
    """Return once the process has ended; one that is gone already has."""
    try:
        handle = pidfd_open(pid)
    except ProcessLookupError:
        return
    try:
        ended, _, _ = select.select([handle], [], [], WITHIN_S)
        assert ended, f"process {pid} lives on"
    finally:
        close(handle)
