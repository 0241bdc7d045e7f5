"""What an installation does, step by step, as values: each can say itself before it is done."""

from pathlib import Path
from typing import ClassVar

import msgspec


class Step(msgspec.Struct, frozen=True, kw_only=True):
    """One step. Doing it again changes nothing more."""

    words: ClassVar[str]
    """What it does, for people; names in braces are of the step itself."""

    @property
    def said(self) -> str:
        """Return it in words."""
        return self.words.format(step=self)


class MakeUser(Step, frozen=True, kw_only=True):
    """A system user without a login, for the controller."""

    words = "make the system user {step.name}, who can't log in"
    name: str
    home: Path
    comment: str


class MakeFolder(Step, frozen=True, kw_only=True):
    """A folder with this mode; what is in it already is its owner's afterwards, too."""

    words = "see to the folder {step.path}{step.whose}"
    path: Path
    mode: int
    owner: str | None = None

    @property
    def whose(self) -> str:
        """Return the owner in words."""
        return f" of {self.owner}" if self.owner else ""


class PutFile(Step, frozen=True, kw_only=True):
    """A file that everybody may read and its owner may write."""

    words = "write {step.path}"
    path: Path
    text: str


class Backup(Step, frozen=True, kw_only=True):
    """A copy of the controller's database beside it, and the oldest of many copies removed."""

    words = "copy the database to {step.target}"
    python: Path
    home: Path
    name: str
    owner: str | None

    @property
    def target(self) -> Path:
        """Return the copy's path."""
        return self.home / "backups" / self.name


class Stop(Step, frozen=True, kw_only=True):
    """End a program that runs without a service manager, if it does; all of them if unnamed."""

    words = "stop {step.what}; jobs run on"
    python: Path
    program: str
    home: Path
    owner: str | None

    @property
    def what(self) -> str:
        """Return what is ended, in words."""
        return self.program or f"what runs of {self.home}"


class Start(Stop, frozen=True, kw_only=True):
    """Start a program without a service manager, in place of one that runs."""

    words = "start {step.program}{step.as_whom}, or start it again; jobs run on"
    module: str
    arguments: tuple[str, ...]

    @property
    def as_whom(self) -> str:
        """Return the user in words."""
        return f" as {self.owner}" if self.owner else ""

    @property
    def command(self) -> tuple[str, ...]:
        """Return the command line that does it."""
        launch = (str(self.python), "-m", "eaas.cli.setup.launch")
        return (*launch, self.program, self.module, *self.arguments)


class Systemctl(Step, frozen=True, kw_only=True):
    """Tell the service manager something."""

    words = "{step.line}"
    order: tuple[str, ...]
    for_user: bool
    may_fail: bool = False

    @property
    def command(self) -> tuple[str, ...]:
        """Return the command line that does it."""
        return ("systemctl", *(["--user"] if self.for_user else []), *self.order)

    @property
    def line(self) -> str:
        """Return the command line as it is typed."""
        return " ".join(self.command)


class Linger(Step, frozen=True, kw_only=True):
    """Let a person's own services run while they are not logged in."""

    words = "loginctl enable-linger, so that it runs while you are not logged in"


class Join(Step, frozen=True, kw_only=True):
    """Become a node of the controller; the token goes through the environment, once."""

    words = "join {step.server} by the token"
    program: Path
    server: str
    state_dir: Path
    settings: Path
    home: Path


class FirstPool(Step, frozen=True, kw_only=True):
    """Wait until the controller answers, and make a first pool if it has none."""

    words = "wait until the controller answers; make the pool {step.pool} if there is none"
    socket: Path
    pool: str


class RemoveFile(Step, frozen=True, kw_only=True):
    """Remove a file that we wrote."""

    words = "remove {step.path}"
    path: Path


class RemoveUser(Step, frozen=True, kw_only=True):
    """Remove the user that we made; the data stays."""

    words = "remove the system user {step.name}"
    name: str
