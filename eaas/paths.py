"""Where everything of one installation lies: data, socket, logs, pid files."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Final

import msgspec

from eaas.errors import Mistyped

SYSTEM_HOME: Final = Path("/var/lib/mini-eaas")
"""Where a pool that root runs lives."""

MAX_SOCKET_BYTES: Final = 100
"""The kernel takes 107 bytes for a socket's path; macOS 103."""


class Paths(msgspec.Struct, frozen=True, kw_only=True):
    """One installation's folders and files. Nothing here is created by asking for it."""

    home: Path
    socket: Path
    """Where the controller listens and clients of this host knock."""

    @property
    def database(self) -> Path:
        """Return the controller's SQLite file."""
        return self.home / "controller.db"

    @property
    def trust(self) -> Path:
        """Return the folder of the controller's certificate authority."""
        return self.home / "trust"

    @property
    def inbox(self) -> Path:
        """Return the watched folder: a job file dropped here is submitted."""
        return self.home / "inbox"

    @property
    def job_logs(self) -> Path:
        """Return where the controller keeps what jobs wrote."""
        return self.home / "job-logs"

    @property
    def job_samples(self) -> Path:
        """Return where the controller keeps what the cards of jobs did."""
        return self.home / "job-samples"

    @property
    def packs(self) -> Path:
        """Return where the controller keeps the folders that jobs were submitted with."""
        return self.home / "packs"

    @property
    def logs(self) -> Path:
        """Return where the programs' own logs go when ``up`` starts them."""
        return self.home / "logs"

    @property
    def run(self) -> Path:
        """Return the folder of pid and lock files."""
        return self.home / "run"

    def log_file(self, program: str) -> Path:
        """Return a program's own log, ``controller`` or ``agent-NAME``."""
        return self.logs / f"{program}.log"

    def pid_file(self, program: str) -> Path:
        """Return the file that remembers which process a program is."""
        return self.run / f"{program}.pid"

    def lock_file(self, program: str) -> Path:
        """Return the file a program locks so that it runs once."""
        return self.run / f"{program}.lock"

    def agent_state(self, name: str) -> Path:
        """Return the state folder of one of this host's agents."""
        return self.home / "agents" / name


class NoSuchPlace(Mistyped):
    """A path leads to a home or a working folder that there is not."""

    code = "no_such_place"


def path_of(text: str) -> Path:
    """Return the path a person typed, ``~`` and ``~user`` replaced; raises ``NoSuchPlace``."""
    try:
        return Path(text).expanduser()
    except RuntimeError as error:
        raise NoSuchPlace(f"{text}: there is no such user, or no home of theirs") from error


def whole_path(text: str) -> Path:
    """Return the path a person typed from the root on; raises ``NoSuchPlace``."""
    try:
        return path_of(text).absolute()
    except FileNotFoundError as error:
        raise NoSuchPlace(f"{text}: the folder you are in was deleted") from error


def paths_from(environ: Mapping[str, str], *, is_root: bool | None = None) -> Paths:
    """Return this installation's paths.

    ``MINI_EAAS_HOME`` wins; otherwise root's pool lives under ``/var/lib`` and a person's in
    their own data folder. ``MINI_EAAS_SOCKET`` moves only the socket.
    """
    home = _home(environ, is_root=os.geteuid() == 0 if is_root is None else is_root)
    given = environ.get("MINI_EAAS_SOCKET")
    wanted = whole_path(given) if given else home / "controller.sock"
    return Paths(home=home, socket=_short(wanted))


def client_socket(environ: Mapping[str, str], *, system_home: Path = SYSTEM_HOME) -> Path:
    """Return the socket a client should knock at.

    Someone with no pool of their own finds the one that root runs for everybody.
    """
    own = paths_from(environ).socket
    if environ.get("MINI_EAAS_HOME") or environ.get("MINI_EAAS_SOCKET") or own.exists():
        return own
    shared = system_home / "controller.sock"
    return shared if os.access(shared, os.W_OK) else own


def _home(environ: Mapping[str, str], *, is_root: bool) -> Path:
    if given := environ.get("MINI_EAAS_HOME"):
        return whole_path(given)
    if is_root:
        return SYSTEM_HOME
    import platformdirs  # only here: the command line starts without it when a home is given

    return Path(platformdirs.user_data_path("mini-eaas"))


def _short(socket: Path) -> Path:
    """Return the path itself, or a short one derived from it: both ends derive the same."""
    name = os.fsencode(socket)
    if len(name) <= MAX_SOCKET_BYTES:
        return socket
    import hashlib  # brings OpenSSL, and hardly any home is so deep

    return Path("/tmp", f"mini-eaas-{hashlib.sha256(name).hexdigest()[:16]}.sock")
