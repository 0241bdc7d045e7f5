"""The pool's programs as processes of this machine: started apart, remembered, stopped for sure."""

import asyncio
import fcntl
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

import msgspec

from eaas.errors import EaasError, NotYours
from eaas.log_lines import message_of
from eaas.paths import Paths

DEMO: Final = "demo"
"""The program that submits a demo's example jobs."""

LAST_LINES: Final = 5
LOOK_EVERY_S: Final = 0.05
"""A process of somebody else's can't be awaited on every kernel we run on, so it is looked at."""


class DidNotStart(EaasError):
    """A program ended before it was of use; the sentence has its last words."""

    code = "did_not_start"


class Busy(EaasError):
    """Another ``up`` or ``down`` of the same installation is at work."""

    code = "busy"


class Remembered(msgspec.Struct, frozen=True, kw_only=True):
    """A process in its pid file, with what tells it from a later one of the same number."""

    pid: int
    start_ticks: int
    """Since boot, as the kernel counts."""
    boot_id: str


@contextmanager
def one_at_a_time(paths: Paths) -> Iterator[None]:
    """Hold the installation's lock, or raise ``Busy``, or ``NotYours`` if another user's it is."""
    try:
        paths.run.mkdir(parents=True, exist_ok=True)
        opened = paths.lock_file("up").open("w")
    except PermissionError as error:
        raise NotYours(f"{paths.home} belongs to another user: {error.filename}") from error
    with opened as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise Busy(f"another mini-eaas up or down works on {paths.home}") from error
        yield


def running(paths: Paths, program: str) -> int | None:
    """Return the pid of the program that ``start`` started, or None if it has ended."""
    try:
        known = msgspec.json.decode(paths.pid_file(program).read_bytes(), type=Remembered)
    except (OSError, msgspec.MsgspecError):
        return None
    return known.pid if _remember(known.pid) == known else None


def programs(paths: Paths) -> list[str]:
    """Return the programs that were started here and still run, the controller last."""
    found = sorted(file.stem for file in paths.run.glob("*.pid"))
    ordered = [name for name in found if name != "controller"] + ["controller"]
    return [name for name in ordered if running(paths, name) is not None]


def start(
    paths: Paths, program: str, module: str, args: Sequence[str], environ: Mapping[str, str]
) -> "subprocess.Popen[bytes]":
    """Start a Python module on its own: no terminal, its own session, its log under the home."""
    for folder in (paths.home, paths.logs, paths.run):
        folder.mkdir(parents=True, exist_ok=True)
    with paths.log_file(program).open("ab") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", module, *args],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            env={**environ, "MINI_EAAS_HOME": str(paths.home)},
            start_new_session=True,
        )
    known = _remember(process.pid)
    if known is not None:
        part = paths.run / f".{program}.pid"
        part.write_bytes(msgspec.json.encode(known))
        part.replace(paths.pid_file(program))
    return process


def check_alive(paths: Paths, program: str, process: "subprocess.Popen[bytes] | None") -> None:
    """Raise ``DidNotStart`` with the program's last words if it has ended."""
    if process is None or process.poll() is None:
        return
    lines = paths.log_file(program).read_text(errors="replace").splitlines()[-LAST_LINES:]
    words = [word for line in lines for word in message_of(line).splitlines()]
    said = "\n".join(f"  {word}" for word in words) or "  (it said nothing)"
    raise DidNotStart(
        f"the {program} ended at once with exit code {process.returncode}; "
        f"{paths.log_file(program)} says:\n{said}"
    )


async def stop(
    paths: Paths, program: str, *, within_s: float, by: signal.Signals = signal.SIGTERM
) -> bool:
    """Send the program the signal and wait for its end; False if it did not come in time."""
    pid = running(paths, program)
    if pid is not None:
        with suppress(ProcessLookupError):
            os.kill(pid, by)
    deadline = time.monotonic() + within_s
    while running(paths, program) is not None:
        if time.monotonic() > deadline:
            return False
        await asyncio.sleep(LOOK_EVERY_S)
    paths.pid_file(program).unlink(missing_ok=True)
    return True


def _remember(pid: int) -> Remembered | None:
    """Return the process as it is now; None when there is none, or only its remains."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
        boot_id = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    except OSError:
        return None
    after_name = stat.rpartition(")")[2].split()
    if after_name[0] in "ZX":
        return None
    return Remembered(pid=pid, start_ticks=int(after_name[19]), boot_id=boot_id)
