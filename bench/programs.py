"""The product's programs as child processes, and what the kernel knows of their cost."""

import os
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final

STOP_S: Final = 20.0
TICKS_A_SECOND: Final = os.sysconf("SC_CLK_TCK")
PAGE_BYTES: Final = os.sysconf("SC_PAGE_SIZE")


class Program:
    """One program that runs until it is stopped."""

    def __init__(self, module: str, args: Sequence[str], *, log: Path, env: Mapping[str, str]):
        self._log: Final = log
        with log.open("ab") as said:
            self._process = subprocess.Popen(
                [sys.executable, "-m", module, *args],
                stdin=subprocess.DEVNULL,
                stdout=said,
                stderr=said,
                env=env,
            )

    @property
    def pid(self) -> int:
        """Return its process id."""
        return self._process.pid

    def check(self) -> None:
        """Raise with its last words if it has ended."""
        if self._process.poll() is not None:
            words = self._log.read_text(errors="replace")[-2000:]
            raise RuntimeError(f"a program ended with {self._process.returncode}:\n{words}")

    def stop(self) -> None:
        """End it, by force if it does not go."""
        self._process.terminate()
        try:
            self._process.wait(STOP_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def cpu_s(self) -> float:
        """Return the CPU time of the program itself so far, without its children's."""
        return cpu_s(self.pid)

    def family_cpu_s(self) -> float:
        """Return the CPU time of the program and of the children that live now."""
        return sum(map(cpu_s, (self.pid, *children(self.pid))))

    def family_memory_mib(self) -> float:
        """Return the resident memory of the program and of its living children."""
        return sum(map(memory_mib, (self.pid, *children(self.pid))))


def cpu_s(pid: int) -> float:
    """Return the seconds that the process has spent in its own code and in the kernel."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS_A_SECOND


def memory_mib(pid: int) -> float:
    """Return the process' resident memory; shared pages count in full."""
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * PAGE_BYTES / (1 << 20)


def children(pid: int) -> Iterator[int]:
    """Yield the living children of the process, and theirs."""
    for task in Path(f"/proc/{pid}/task").iterdir():
        with suppress(FileNotFoundError):
            for child in map(int, (task / "children").read_text().split()):
                yield child
                yield from children(child)
