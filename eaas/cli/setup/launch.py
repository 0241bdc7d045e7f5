"""Starts and stops a program where no service manager does: ``python -m eaas.cli.setup.launch``.

It runs as the user that the program is to run as, at an installation and at each boot.
"""

import asyncio
import os
import signal
import socket
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Final

from eaas.cli.down import END_S, KILLED_S, DidNotEnd
from eaas.cli.processes import DidNotStart, check_alive, one_at_a_time, programs, start, stop
from eaas.errors import EaasError
from eaas.paths import Paths, paths_from

READY_S: Final = 120.0
LOOK_EVERY_S: Final = 0.2


def main(argv: Sequence[str], environ: Mapping[str, str]) -> int:
    """Start ``PROGRAM MODULE ARGUMENT...``, or stop ``--stop PROGRAM...``; return the exit code."""
    paths = paths_from(environ)
    try:
        with one_at_a_time(paths):
            if argv[0] == "--stop":
                for program in argv[1:] or programs(paths):
                    asyncio.run(ended(paths, program))
            else:
                program, module, *arguments = argv
                asyncio.run(ended(paths, program))
                ready(paths, program, module, arguments, environ)
    except EaasError as refusal:
        print(refusal.sentence, file=sys.stderr)
        return 1
    return 0


async def ended(paths: Paths, program: str) -> None:
    """Stop the program if it runs; raise ``DidNotEnd`` if even a kill does not end it."""
    if await stop(paths, program, within_s=END_S):
        return
    if not await stop(paths, program, within_s=KILLED_S, by=signal.SIGKILL):
        raise DidNotEnd(f"{program} has not ended {KILLED_S:g} s after SIGKILL")


def ready(
    paths: Paths,
    program: str,
    module: str,
    arguments: Sequence[str],
    environ: Mapping[str, str],
) -> None:
    """Start the program and return once it says that it works; raise ``DidNotStart``."""
    name = f"mini-eaas-{os.getpid()}-{program}"
    with _ear(name) as ear:
        told = {**environ, "NOTIFY_SOCKET": f"@{name}"}
        process = start(paths, program, module, arguments, told)
        deadline = time.monotonic() + READY_S
        while not _is_ready(ear):
            check_alive(paths, program, process)
            if time.monotonic() > deadline:
                log = paths.log_file(program)
                raise DidNotStart(f"{program} is not ready after {READY_S:g} s; see {log}")


@contextmanager
def _ear(name: str) -> Iterator[socket.socket]:
    """Listen where a program says that it is ready, as it would to systemd."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as ear:
        ear.bind(f"\0{name}")
        ear.settimeout(LOOK_EVERY_S)
        yield ear


def _is_ready(ear: socket.socket) -> bool:
    """Wait a moment for the word."""
    try:
        return "READY=1" in ear.recv(4096).decode().splitlines()
    except TimeoutError:
        return False


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:], os.environ))
