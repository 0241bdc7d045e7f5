"""What an installation does, step by step, as values: each can say itself before it is done."""

from pathlib import Path

import msgspec


class Step(msgspec.Struct, frozen=True, kw_only=True):
    """One step. Doing it again changes nothing more."""

    @property
    def said(self) -> str:
        """Return it in words."""
        raise NotImplementedError


class MakeUser(Step, frozen=True, kw_only=True):
    """A system user without a login, for the controller."""

    name: str
    home: Path
    comment: str

    @property
    def said(self) -> str:
        """Return it in words."""
        return f"make the system user {self.name}, who can't log in"


class MakeFolder(Step, frozen=True, kw_only=True):
    """A folder with this mode; what is in it already is its owner's afterwards, too."""

    path: Path
    mode: int
    owner: str | None = None

    @property
    def said(self) -> str:
        """Return it in words."""
        return f"see to the folder {self.path}" + (f" of {self.owner}" if self.owner else "")


class PutFile(Step, frozen=True, kw_only=True):
    """A file that everybody may read and its owner may write."""

    path: Path
    text: str

    @property
    def said(self) -> str:
        """Return it in words."""
        return f"write {self.path}"


class Backup(Step, frozen=True, kw_only=True):
    """A copy of the controller's database beside it, and the oldest of many copies removed."""

    python: Path
    home: Path
    name: str
    owner: str | None

    @property
    def target(self) -> Path:
        """Return the copy's path."""
        return self.home / "backups" / self.name

    @property
    def said(self) -> str:
        """Return it in words."""
        return f"copy the database to {self.target}"


class Stop(Step, frozen=True, kw_only=True):
    """End a program that runs without a service manager, if it does; all of them if unnamed."""

    python: Path
    program: str
    home: Path
    owner: str | None

    @property
    def said(self) -> str:
        """Return it in words."""
        return f"stop {self.program or f'what runs of {self.home}'}; jobs run on"


class Start(Stop, frozen=True, kw_only=True):
    """Start a program without a service manager, in place of one that runs."""

    module: str
    arguments: tuple[str, ...]

    @property
    def said(self) -> str:
        """Return it in words."""
        as_whom = f" as {self.owner}" if self.owner else ""
        return f"start {self.program}{as_whom}, or start it again; jobs run on"

    @property
    def command(self) -> tuple[str, ...]:
        """Return the command line that does it."""
        launch = (str(self.python), "-m", "eaas.cli.setup.launch")
        return (*launch, self.program, self.module, *self.arguments)


class Systemctl(Step, frozen=True, kw_only=True):
    """Tell the service manager something."""

    words: tuple[str, ...]
    for_user: bool
    may_fail: bool = False

    @property
    def command(self) -> tuple[str, ...]:
        """Return the command line that does it."""
        return ("systemctl", *(["--user"] if self.for_user else []), *self.words)

    @property
    def said(self) -> str:
        """Return it in words."""
        return " ".join(self.command)


class Linger(Step, frozen=True, kw_only=True):
    """Let a person's own services run while they are not logged in."""

    @property
    def said(self) -> str:
        """Return it in words."""
        return "loginctl enable-linger, so that it runs while you are not logged in"


class Join(Step, frozen=True, kw_only=True):
    """Become a node of the controller; the token goes through the environment, once."""

    program: Path
    server: str
    state_dir: Path
    settings: Path
    home: Path

    @property
    def said(self) -> str:
        """Return it in words."""
        return f"join {self.server} by the token"


class FirstPool(Step, frozen=True, kw_only=True):
    """Wait until the controller answers, and make a first pool if it has none."""

    socket: Path
    pool: str

    @property
    def said(self) -> str:
        """Return it in words."""
        return f"wait until the controller answers; make the pool {self.pool} if there is none"


class RemoveFile(Step, frozen=True, kw_only=True):
    """Remove a file that we wrote."""

    path: Path

    @property
    def said(self) -> str:
        """Return it in words."""
        return f"remove {self.path}"


class RemoveUser(Step, frozen=True, kw_only=True):
    """Remove the user that we made; the data stays."""

    name: str

    @property
    def said(self) -> str:
        """Return it in words."""
        return f"remove the system user {self.name}"
