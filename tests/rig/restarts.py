"""A real controller that starts in a blink: forked from a program that has imported it already."""

import os
import signal
import subprocess
import sys
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Final

from eaas.paths import Paths, paths_from
from tests.rig.program import ROOT, WITHIN_S, await_end

_PARENT: Final = """
import asyncio, gc, os, sys
from eaas.paths import paths_from
from eaas.service_notice import ServiceNotice
from eaas.settings.command_line import Typed
from eaas_daemon.config import read_settings
from eaas_daemon.headless import run

asked = sys.stdin.buffer.readline
settings = read_settings(Typed(verb="run", values={"port": 0}), {})
notice = ServiceNotice({})
gc.freeze()
while asked():
    pid = os.fork()
    if pid == 0:
        asyncio.run(run(paths_from(os.environ), settings, lambda: settings, notice))
        os._exit(0)
    print(pid, flush=True)
    os.waitpid(pid, 0)
"""


class Restarts(AbstractContextManager["Restarts"]):
    """Starts one controller after the other under the same home; each is a process of its own."""

    def __init__(self, home: Path) -> None:
        environ = {**os.environ, "MINI_EAAS_HOME": str(home)}
        self.paths: Final[Paths] = paths_from(environ)
        self.pid = 0
        """The controller that runs, or that ran last."""
        self._parent: Final = subprocess.Popen(
            [sys.executable, "-c", _PARENT],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=environ,
            cwd=ROOT,
            text=True,
        )

    def __exit__(self, *_: object) -> None:
        self.end(signal.SIGKILL)
        self._parent.communicate(timeout=WITHIN_S)

    def start(self) -> None:
        """Start a controller; it serves soon."""
        assert self._parent.stdin is not None
        assert self._parent.stdout is not None
        self._parent.stdin.write("\n")
        self._parent.stdin.flush()
        self.pid = int(self._parent.stdout.readline())

    def end(self, number: signal.Signals) -> None:
        """End the controller by this signal; returns when it is gone."""
        if self.pid:
            os.kill(self.pid, number)
            await_end(self.pid)
            self.pid = 0
