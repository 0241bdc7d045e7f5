"""All watched folders: each has a task of its own, and what is wrong with one stays with it."""

import asyncio
import logging
from collections.abc import Sequence
from contextlib import suppress
from typing import Final

import msgspec
from watchfiles import awatch

from eaas.errors import EaasError
from eaas.units import utc_text
from eaas.views import FolderView
from eaas_daemon.clock import Clock
from eaas_daemon.core.events import FolderNoted
from eaas_daemon.engine import Engine
from eaas_daemon.intake.door import RESCAN_S, Door
from eaas_daemon.intake.follower import Follower
from eaas_daemon.intake.reading import FileReader
from eaas_daemon.intake.settings import FolderSettings
from eaas_daemon.intake.submitting import Submitter
from eaas_daemon.logs.store import LogStore

log = logging.getLogger(__name__)

READER_IDLE_S: Final = 30.0
WATCH_AGAIN_S: Final = 30.0
HINTS_MS: Final = 50
"""How long hints are collected before a look."""


class Seen(msgspec.Struct, kw_only=True):
    """What is known of one folder since the controller's start."""

    accepted: int = 0
    refused: int = 0
    wrong: str | None = None
    looked_at: float | None = None


class Intake:
    """The watched folders of one controller."""

    def __init__(self, engine: Engine, logs: LogStore, service_uid: int, clock: Clock) -> None:
        self._engine = engine
        self._service_uid = service_uid
        self._clock = clock
        self._reader = FileReader()
        self._submitter = Submitter(engine)
        self.follower: Final = Follower(engine, logs, service_uid)
        self._wanted: tuple[FolderSettings, ...] = ()
        self._changed = asyncio.Event()
        self._seen: dict[FolderSettings, Seen] = {}

    def watch(self, folders: Sequence[FolderSettings]) -> None:
        """Watch these from now on, and no others."""
        self._wanted = tuple(dict.fromkeys(folders))
        self._changed.set()

    def views(self) -> tuple[FolderView, ...]:
        """Return how every folder is doing."""
        return tuple(_view(each, self._seen.get(each, Seen())) for each in self._wanted)

    async def work(self) -> None:
        """Take what is dropped until cancelled."""
        doors: dict[FolderSettings, asyncio.Task[None]] = {}
        try:
            async with asyncio.TaskGroup() as tasks:
                tasks.create_task(self.follower.work())
                tasks.create_task(self._end_idle_reader())
                while True:
                    await self._changed.wait()
                    self._changed.clear()
                    for gone in [each for each in doors if each not in self._wanted]:
                        doors.pop(gone).cancel()
                    for new in [each for each in self._wanted if each not in doors]:
                        doors[new] = tasks.create_task(self._open(new))
        finally:
            await self._reader.close()

    async def _end_idle_reader(self) -> None:
        while True:
            await asyncio.sleep(READER_IDLE_S)
            await self._reader.close_if_idle(READER_IDLE_S)

    # --- one folder

    async def _open(self, settings: FolderSettings) -> None:
        wake = asyncio.Event()
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(_hints(settings, wake))
            tasks.create_task(self._serve(settings, wake))

    async def _serve(self, settings: FolderSettings, wake: asyncio.Event) -> None:
        seen = self._seen.setdefault(settings, Seen())
        door = Door(
            settings,
            submitter=self._submitter,
            reader=self._reader,
            follower=self.follower,
            service_uid=self._service_uid,
            clock=self._clock,
        )
        recovered = False
        while True:
            wake.clear()
            look_again_s = RESCAN_S
            try:
                if not recovered:
                    await self.follower.recover(settings)
                    recovered = True
                done = await door.look()
                look_again_s = done.look_again_s
                seen.accepted += done.accepted
                seen.refused += done.refused
                self._note(settings, seen, None)
            except (EaasError, OSError) as error:
                self._note(settings, seen, str(error))
            except Exception:
                log.exception("a look into %s met a bug; it goes on", settings.path)
            seen.looked_at = self._clock.now()
            with suppress(TimeoutError):
                async with asyncio.timeout(look_again_s):
                    await wake.wait()

    def _note(self, settings: FolderSettings, seen: Seen, wrong: str | None) -> None:
        """Say once that the folder is out of use, and once that it is in use again."""
        if wrong == seen.wrong:
            return
        seen.wrong = wrong
        if wrong is None:
            log.info("%s is watched again", settings.path)
        else:
            log.warning("a watched folder is out of use: %s", wrong)
        self._engine.post(FolderNoted(path=str(settings.path), wrong=wrong))


async def _hints(settings: FolderSettings, wake: asyncio.Event) -> None:
    """Wake the folder's task when something happens in it, where the system tells at all."""
    while True:
        try:
            async for _ in awatch(
                settings.path,
                watch_filter=None,
                debounce=HINTS_MS,
                step=HINTS_MS // 2,
                recursive=False,
                ignore_permission_denied=True,
            ):
                wake.set()
        except (OSError, RuntimeError) as error:
            log.debug("no hints from %s: %s", settings.path, error)
        await asyncio.sleep(WATCH_AGAIN_S)


def _view(settings: FolderSettings, seen: Seen) -> FolderView:
    return FolderView(
        path=str(settings.path),
        pool=settings.pool,
        queue=settings.queue,
        user=settings.user,
        log=settings.log,
        state="watching" if seen.wrong is None else "disabled",
        reason=seen.wrong,
        accepted=seen.accepted,
        refused=seen.refused,
        looked_at=None if seen.looked_at is None else utc_text(seen.looked_at),
    )
