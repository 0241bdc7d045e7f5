"""Container engines for tests: the one that runs here, or a private one to break."""

import os
import shutil
import socket
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

DOCKERD: Final = Path(__file__).parents[2] / ".ci" / "dockerd"


def answering_engine(environ: Mapping[str, str]) -> str | None:
    """Return the address of an engine that answers a ping, or None."""
    address = environ.get("DOCKER_HOST") or "unix:///var/run/docker.sock"
    return address if _pings(address) else None


def why_no_private_engine() -> str | None:
    """Say what is missing for a private engine; None if one can be started."""
    if os.geteuid() != 0:
        return "a private engine needs root"
    missing = [tool for tool in ("dockerd", "containerd", "ip") if shutil.which(tool) is None]
    return f"a private engine needs {', '.join(missing)}" if missing else None


class PrivateEngine:
    """A dockerd of a test's own, to be killed and brought back at will.

    Everything of it lies under ``folder``, which must be absolute and short (60 characters):
    use ``tempfile.mkdtemp``, not ``tmp_path``. Blocking calls; each takes well under a second.
    """

    def __init__(self, folder: Path, *flags: str, inside: Sequence[str] = ()) -> None:
        """``inside`` are words before the command line, as those that enter a namespace."""
        self._inside: Final = inside
        self.folder: Final = folder
        self.address: Final = f"unix://{folder}/docker.sock"
        self._flags: Final = flags

    def start(self) -> None:
        """Start the engine, or bring it back after ``crash``; returns when it serves."""
        self._call("start", *self._flags)

    def crash(self) -> None:
        """Kill dockerd with -9. Containers live on, until the next start without live-restore."""
        self._call("crash")

    def stop(self) -> None:
        """End the engine with its containers and bridge, and remove its folder."""
        self._call("stop")

    def _call(self, verb: str, *flags: str) -> None:
        command = [*self._inside, str(DOCKERD), verb, str(self.folder), *flags]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, timeout=60)


def _pings(address: str) -> bool:
    try:
        with _connect(address) as line:
            line.sendall(b"GET /_ping HTTP/1.0\r\nHost: engine\r\n\r\n")
            return b" 200 " in line.recv(64)
    except (OSError, ValueError):
        return False


def _connect(address: str) -> socket.socket:
    scheme, _, place = address.partition("://")
    if scheme == "tcp":
        host, _, port = place.rstrip("/").rpartition(":")
        return socket.create_connection((host, int(port)), timeout=5)
    line = socket.socket(socket.AF_UNIX)
    line.settimeout(5)
    try:
        line.connect(place)
    except OSError:
        line.close()
        raise
    return line
