"""A watched folder with its door, on a real engine; time at the door stands still until moved."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import msgspec

from eaas_daemon.core import events as e
from eaas_daemon.intake.door import Door, Pass
from eaas_daemon.intake.follower import Follower
from eaas_daemon.intake.reading import FileReader
from eaas_daemon.intake.settings import FolderSettings
from eaas_daemon.intake.stillness import STILL_S
from eaas_daemon.intake.submitting import Submitter
from tests.daemon.api.served import House, a_house
from tests.rig.builders import ADMIN, a_card

SERVICE_UID = 0
JOB = "image: busybox\ncommand: 'true'\n"


def a_folder(parent: Path, mode: int = 0o1777) -> Path:
    """Make an empty folder that can be watched."""
    path = parent / "inbox"
    path.mkdir()
    path.chmod(mode)
    return path


class Doorway:
    """One door on one folder, opened by hand."""

    def __init__(self, house: House, path: Path, **settings: Any) -> None:
        self.house, self.path = house, path
        self.settings = FolderSettings(path=path, **settings)
        self.at = 100.0
        self.reader = FileReader()
        self.follower = Follower(house.engine, house.parts.logs, SERVICE_UID)
        house.engine.listen(self.follower)
        self.door = self.new_door()

    def new_door(self) -> Door:
        """Return the door as a controller's start makes it."""
        return Door(
            self.settings,
            submitter=Submitter(self.house.engine),
            reader=self.reader,
            follower=self.follower,
            service_uid=SERVICE_UID,
            clock=self.house.clock,
            monotonic=lambda: self.at,
        )

    def drop(self, name: str, content: str | bytes = JOB) -> Path:
        """Write a file into the folder."""
        data = content.encode() if isinstance(content, str) else content
        (self.path / name).write_bytes(data)
        return self.path / name

    async def look(self, *, after_s: float = 0.0) -> Pass:
        """Let the door look once."""
        self.at += after_s
        return await self.door.look()

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
        await self.follower._write_dirty()


@asynccontextmanager
async def a_doorway(home: Path, **settings: Any) -> AsyncIterator[Doorway]:
    """Open a door on a folder of a house with the pool ``default``."""
    async with a_house(home) as house:
        await house.pool("default")
        doorway = Doorway(house, a_folder(home), **settings)
        try:
            yield doorway
        finally:
            await asyncio.shield(doorway.reader.close())
