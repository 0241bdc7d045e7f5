"""Several hosts on one machine: network namespaces on a bridge, each with a home of its own."""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path
from signal import SIGKILL
from typing import Final
from uuid import uuid4

from eaas.paths import paths_from
from tests.rig.engine import PrivateEngine
from tests.rig.pool import CLI, NO_ENGINE
from tests.rig.program import ROOT, Program

_NETWORK: Final = "10.235.{net}.{host}"


def ip(*words: str) -> str:
    """Run ``ip`` and return what it printed."""
    done = subprocess.run(["ip", *words], capture_output=True, text=True, timeout=30)
    assert done.returncode == 0, f"ip {' '.join(words)}: {done.stderr}"
    return done.stdout


class Host:
    """One host: an address that the others reach, and programs that see no other network."""

    def __init__(self, name: str, address: str, namespace: str, home: Path) -> None:
        self.name: Final = name
        self.address = address
        self.namespace: Final = namespace
        self.home: Final = home
        self.environ: Final = {
            **{key: value for key, value in os.environ.items() if not key.startswith("MINI_EAAS_")},
            "MINI_EAAS_HOME": str(home),
            "DOCKER_HOST": NO_ENGINE,
        }
        self._programs: list[Program] = []
        self._engine: PrivateEngine | None = None
        named = ("unshare", "--uts", "sh", "-c", 'hostname "$0" && exec "$@"', name)
        self.inside: Final = ("ip", "netns", "exec", namespace, *named)
        """Words before a command line that has to run on this host."""

    def start(self, module: str, *args: str, **environ: str) -> Program:
        """Start one of the programs on this host."""
        whole = {**self.environ, **environ}
        program = Program(module, *args, environ=whole, inside=self.inside)
        self._programs.append(program)
        return program

    def start_engine(self) -> None:
        """Start a container engine of this host's own, for the programs to come."""
        # `ip netns exec` hides the control groups, without which no engine works.
        enter = ("nsenter", f"--net=/run/netns/{self.namespace}")
        self._engine = PrivateEngine(self.home.with_name(f"{self.name}-engine"), inside=enter)
        self._engine.start()
        self.environ["DOCKER_HOST"] = self._engine.address

    def stop_all(self) -> None:
        """End everything that was started here."""
        for program in self._programs:
            program.kill()
        if self._engine is not None:
            self._engine.stop()

    def eaas(self, *words: str, **environ: str) -> subprocess.CompletedProcess[str]:
        """Type a ``mini-eaas`` command on this host."""
        return subprocess.run(
            [*self.inside, CLI, *words],
            env={**self.environ, **environ},
            cwd=ROOT,
            capture_output=True,
            text=True,
            timeout=60,
        )

    def said(self, *words: str, **environ: str) -> str:
        """Type a command that succeeds, and return what it printed."""
        done = self.eaas(*words, **environ)
        assert done.returncode == 0, done.stderr
        return done.stdout

    @property
    def socket(self) -> Path:
        """The socket of this host's controller; files are no matter of the network."""
        return paths_from(self.environ).socket

    def move_to(self, address: str) -> None:
        """Give the host another address in place of the one it has."""
        ip("-n", self.namespace, "addr", "flush", "dev", "eth0")
        ip("-n", self.namespace, "addr", "add", f"{address}/24", "dev", "eth0")
        self.address = address

    def unplug(self) -> None:
        """Let nothing through to the host or from it."""
        ip("-n", self.namespace, "link", "set", "eth0", "down")

    def plug_in(self) -> None:
        """Let everything through again."""
        ip("-n", self.namespace, "link", "set", "eth0", "up")


@contextmanager
def hosts_on_a_network(*names: str) -> Iterator[list[Host]]:
    """Yield hosts that reach each other and nobody else; root only."""
    mark = uuid4().hex[:6]
    bridge = f"eb{mark}"
    folder = Path(tempfile.mkdtemp(prefix="eaas-hosts-"))
    net = _free_network()
    ip("link", "add", bridge, "type", "bridge")
    hosts: list[Host] = []
    try:
        ip("link", "set", bridge, "up")
        for number, name in zip(count(1), names, strict=False):
            address = _NETWORK.format(net=net, host=number)
            home = folder / name
            home.mkdir()
            hosts.append(Host(name, address, f"e{mark}-{name}", home))
            _plug(hosts[-1], bridge, f"ev{mark}{number}")
        yield hosts
    finally:
        for host in hosts:
            _remove(host)
        ip("link", "del", bridge)
        shutil.rmtree(folder, ignore_errors=True)


def _free_network() -> int:
    taken = ip("-o", "-4", "addr")
    seed = os.urandom(1)[0]
    free: Iterator[int] = (
        n for n in (*range(seed, 256), *range(seed)) if f" 10.235.{n}." not in taken
    )
    return next(free)


def _plug(host: Host, bridge: str, cable: str) -> None:
    ip("netns", "add", host.namespace)
    ip("link", "add", cable, "type", "veth", "peer", "name", "eth0", "netns", host.namespace)
    ip("link", "set", cable, "master", bridge, "up")
    ip("-n", host.namespace, "addr", "add", f"{host.address}/24", "dev", "eth0")
    for device in ("lo", "eth0"):
        ip("-n", host.namespace, "link", "set", device, "up")


def _remove(host: Host) -> None:
    host.stop_all()
    for pid in ip("netns", "pids", host.namespace).split():
        with suppress(ProcessLookupError):
            os.kill(int(pid), SIGKILL)
    ip("netns", "del", host.namespace)
