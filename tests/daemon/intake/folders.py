"""A watched folder with its door, on a real engine; time at the door stands still until moved."""

import asyncio
import os
import pwd
from collections.abc import AsyncIterator, Callable, Collection, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import msgspec
import pytest

from eaas_daemon.core import events as e
from eaas_daemon.intake.door import Door, Pass
from eaas_daemon.intake.follower import Follower
from eaas_daemon.intake.own_thread import OwnThread
from eaas_daemon.intake.parser import Read, Unread, read_file
from eaas_daemon.intake.reading import FileReader
from eaas_daemon.intake.settings import FolderSettings
from eaas_daemon.intake.stillness import STILL_S
from eaas_daemon.intake.submitting import Submitter
from tests.daemon.api.served import House, a_house
from tests.rig.builders import ADMIN, a_card
from tests.rig.listener import Listener

SERVICE_UID = os.geteuid()
ME = pwd.getpwuid(SERVICE_UID).pw_name
needs_root = pytest.mark.skipif(SERVICE_UID != 0, reason="only root gives files away")
JOB = "image: busybox\ncommand: 'true'\n"


async def until(holds: Callable[[], bool]) -> None:
    """Return when it holds: what a folder does comes to its disk, which tells nobody."""
    async with asyncio.timeout(20):
        while not holds():  # noqa: ASYNC110
            await asyncio.sleep(0.01)


def a_folder(parent: Path, mode: int = 0o1777) -> Path:
    """Make an empty folder that can be watched."""
    path = parent / "inbox"
    path.mkdir(exist_ok=True)
    path.chmod(mode)
    return path


class ReaderHere(FileReader):
    """Reads in this process: starting another takes longer than most tests."""

    async def read(
        self, files: Sequence[Unread], defaults: Mapping[str, str] | None = None
    ) -> list[Read]:
        """Return what each file says, in the same order."""
        return [read_file(file, defaults or {}) for file in files]

    async def warm(self) -> None:
        """Need nothing."""


class Doorway:
    """One door on one folder, opened by hand."""

    def __init__(self, house: House, path: Path, **settings: Any) -> None:
        self.house, self.path = house, path
        self.settings = FolderSettings(path=path, **settings)
        self.at = 100.0
        self.reader = ReaderHere()
        self.thread = OwnThread()
        house.engine.listen(Listener(lambda changes, _: self.follower.changed(changes)))
        self.start()

    def start(self) -> None:
        """Make the door as a controller's start makes it: it knows nothing of what was before."""
        house = self.house
        self.follower = Follower(
            self.settings,
            house.engine,
            house.parts.logs,
            self.thread,
            SERVICE_UID,
            lambda: house.clock.at,
        )
        self.door = Door(
            self.settings,
            submitter=Submitter(house.engine, house.clock),
            reader=self.reader,
            follower=self.follower,
            thread=self.thread,
            service_uid=SERVICE_UID,
            claim=lambda folder, now: None,
            clock=house.clock,
            monotonic=lambda: self.at,
        )

    async def restart(self) -> None:
        """Begin anew, with what is on the disk and in the database."""
        self.start()
        await self.follower.recover()

    def drop(self, name: str, content: str | bytes = JOB) -> Path:
        """Write a file into the folder."""
        data = content.encode() if isinstance(content, str) else content
        (self.path / name).write_bytes(data)
        return self.path / name

    def move_in(self, name: str, content: str | bytes = JOB) -> Path:
        """Let a file come by rename that was written elsewhere, a moment before."""
        data = content.encode() if isinstance(content, str) else content
        made = self.path.parent / "made-elsewhere"
        made.write_bytes(data)
        os.utime(made, (1, 1))
        return made.rename(self.path / name)

    async def look(self, *, after_s: float = 0.0, renamed: Collection[str] = ()) -> Pass:
        """Let the door look once."""
        self.at += after_s
        return await self.door.look(renamed)

    async def take(self) -> Pass:
        """Look twice, so that everything has stood still for long enough."""
        first = await self.look()
        then = await self.look(after_s=STILL_S)
        return msgspec.structs.replace(
            then, accepted=first.accepted + then.accepted, refused=first.refused + then.refused
        )

    def names(self, below: str = "") -> set[str]:
        """Return what lies in the folder or in one of its parts, but not the parts."""
        found = {path.name for path in (self.path / below).iterdir()}
        return found - {".taken", "accepted", "refused"}

    def text(self, below: str, name: str) -> str:
        """Return what a file says."""
        return (self.path / below / name).read_text()

    async def give_card(self) -> None:
        """Let a node with one card join the pool: the first job starts."""
        await self.house.node("n1", a_card(0))
        await self.house.engine.ask(
            e.AddToPool(caller=ADMIN, pool="default", node="n1", cards=None)
        )

    async def statuses(self) -> None:
        """Let what stands beside the accepted files be made true."""
        await self.follower.write()


@asynccontextmanager
async def a_doorway(home: Path, **settings: Any) -> AsyncIterator[Doorway]:
    """Open a door on a folder of a house with the pool ``default``."""
    async with a_house(home) as house:
        await house.pool("default")
        doorway = Doorway(house, a_folder(home), **settings)
        await doorway.restart()
        try:
            yield doorway
        finally:
            doorway.thread.close()
