"""One watched folder with its tasks: it is looked into, its jobs are followed, it is tidied."""

import asyncio
import logging
from collections.abc import Callable, Collection
from contextlib import suppress
from typing import Final

import msgspec

from eaas.errors import EaasError
from eaas.units import utc_text
from eaas.views import FolderView
from eaas_daemon.clock import Clock
from eaas_daemon.core.events import FolderNoted
from eaas_daemon.engine import Engine
from eaas_daemon.intake.destination import is_on_host, wrong_destination
from eaas_daemon.intake.door import RESCAN_S, Door
from eaas_daemon.intake.failures import FolderUnusable, unusable
from eaas_daemon.intake.folder import Folder, Identity
from eaas_daemon.intake.follower import Follower
from eaas_daemon.intake.hints import Hints
from eaas_daemon.intake.holder import HeldElsewhere, Holder
from eaas_daemon.intake.opening import opened
from eaas_daemon.intake.own_thread import OwnThread
from eaas_daemon.intake.owners import let_in, lets_others_in
from eaas_daemon.intake.reading import FileReader
from eaas_daemon.intake.settings import FolderSettings
from eaas_daemon.intake.steady import SteadyTime, since_boot
from eaas_daemon.intake.submitting import Submitter
from eaas_daemon.logs.store import LogStore

log = logging.getLogger(__name__)

TIDY_EVERY_S: Final = 3600.0
DAY_S: Final = 86400.0


class Tools(msgspec.Struct, frozen=True, kw_only=True):
    """What all folders share."""

    engine: Engine
    logs: LogStore
    reader: FileReader
    hints: Hints
    clock: Clock
    service_uid: int
    name: str
    """What this controller is called, before other controllers."""
    passed: Callable[[], float] = since_boot
    """Seconds that no setting of a clock changes."""
    claims: dict[Identity, FolderSettings]
    """Which folders are watched now: two paths may lead to the same one."""


class FolderWatch:
    """One entry of ``folders:`` at work."""

    def __init__(self, settings: FolderSettings, tools: Tools) -> None:
        self.settings: Final = settings
        self._tools = tools
        self._thread = OwnThread()
        self.follower: Final = Follower(
            settings, tools.engine, tools.logs, self._thread, tools.service_uid, tools.clock.now
        )
        self._door = Door(
            settings,
            submitter=Submitter(tools.engine, tools.clock),
            reader=tools.reader,
            follower=self.follower,
            thread=self._thread,
            service_uid=tools.service_uid,
            claim=self._claim,
            clock=tools.clock,
        )
        self._holder = Holder(tools.name, settings.path)
        self._wake = asyncio.Event()
        self._accepted = 0
        self._refused = 0
        self._left = 0
        self._open_to: str | None = None
        self._private: bool | None = None
        self._wrong: str | None = None
        self._doubtful: str | None = None
        self._on_host: bool | None = None
        """Whether its user is one of this host; None until that was asked."""
        self._looked_at: float | None = None

    def wake(self) -> None:
        """Look at once."""
        self._wake.set()

    def view(self) -> FolderView:
        """Return how the folder is doing."""
        settings, at = self.settings, self._looked_at
        return FolderView(
            path=str(settings.path),
            pool=settings.pool,
            queue=settings.queue,
            user=settings.user,
            log=settings.log,
            state="watching" if self._wrong is None else "disabled",
            reason=self._wrong or self._doubtful,
            accepted=self._accepted,
            refused=self._refused,
            looked_at=None if at is None else utc_text(at),
            left=self._left,
            open_to=self._open_to,
            private=self._private,
        )

    async def work(self, before: "Collection[asyncio.Task[None]]" = ()) -> None:
        """Work until cancelled, but not before those that had the same path have ended."""
        try:
            if before:
                await asyncio.wait(before)
            async with asyncio.TaskGroup() as tasks:
                tasks.create_task(self._serve())
                tasks.create_task(self.follower.work())
                tasks.create_task(self._tidy())
        finally:
            self._thread.close()
            self._tools.hints.lost(self.settings.path)
            for mine in [i for i, who in self._tools.claims.items() if who is self.settings]:
                del self._tools.claims[mine]

    def _claim(self, folder: Folder, now: float) -> None:
        other = self._tools.claims.setdefault(folder.identity, self.settings)
        if other is not self.settings:
            path = self.settings.path
            raise FolderUnusable(
                f"{path} is the same folder as {other.path}: leave one of them out"
            )
        folder.hold(self._holder, now)

    # --- look

    async def _serve(self) -> None:
        while True:
            self._wake.clear()
            look_again_s = RESCAN_S
            try:
                await self._ask_for_user()
                look_again_s = await self._look()
                self._note(None)
            except HeldElsewhere as error:
                self.follower.leave()
                self._note(error.sentence)
            except EaasError as error:
                self._note(error.sentence)
            except OSError as error:
                self._note(unusable(self.settings.path, error).sentence)
            except Exception:
                log.exception("a look into %s met a bug; it goes on", self.settings.path)
            self._looked_at = self._tools.clock.now()
            with suppress(TimeoutError):
                async with asyncio.timeout(look_again_s):
                    await self._wake.wait()

    async def _look(self) -> float:
        """Look once; return in how many seconds to look again."""
        hints, path = self._tools.hints, self.settings.path
        done = await self._door.look(hints.renamed(path))
        hints.found(path, done.identity)
        if done.identity != self.follower.identity:
            await self._recover()
        self._accepted += done.accepted
        self._refused += done.refused
        self._left = done.left
        self._tell_open(done.open_to)
        self._private = done.private
        if done.accepted or done.refused:
            said = "files in %s: %d accepted, %d refused"
            log.info(said, self.settings.path, done.accepted, done.refused)
        return done.look_again_s

    async def _recover(self) -> None:
        """Follow what is unfinished in the folder, at the start and whenever it is another one."""
        before = self.follower.identity
        await self.follower.recover()
        if before not in (None, self.follower.identity):
            log.warning("another folder is at %s now", self.settings.path)
            note = FolderNoted(path=str(self.settings.path), wrong=None, replaced=True)
            self._tools.engine.post(note)

    def _note(self, wrong: str | None) -> None:
        """Say once that the folder is out of use, and once that it is in use again."""
        if wrong is not None:
            self._tools.hints.lost(self.settings.path)
        if wrong == self._wrong:
            return
        self._wrong = wrong
        if wrong is None:
            log.info("%s is watched again", self.settings.path)
        else:
            log.warning("a watched folder is out of use: %s", wrong)
        self._tools.engine.post(FolderNoted(path=str(self.settings.path), wrong=wrong))

    def _tell_open(self, open_to: str | None) -> None:
        """Say whom the folder is open to, whenever that changed, and how to let others in."""
        if open_to == self._open_to:
            return
        self._open_to, path = open_to, self.settings.path
        hint = "" if lets_others_in(open_to) else f"; to let a group in: {let_in(path)}"
        log.info("%s is watched, and open to %s%s", path, open_to, hint)

    # --- where its jobs go

    async def _ask_for_user(self) -> None:
        if self._on_host is None and self.settings.user is not None:
            self._on_host = await self._thread.do(is_on_host, self.settings.user)
        self.doubt()

    def doubt(self) -> None:
        """Say once when where the folder's jobs go is wrong, and once when it is right again."""
        if self._on_host is None and self.settings.user is not None:
            return
        state = self._tools.engine.state
        wrong = wrong_destination(state, self.settings, on_host=self._on_host or False)
        if wrong == self._doubtful:
            return
        self._doubtful = wrong
        path = self.settings.path
        if wrong is None:
            log.info("where the jobs of %s go is right again", path)
        else:
            log.warning("%s: %s", path, wrong)
        self._tools.engine.post(FolderNoted(path=str(path), wrong=wrong, doubt=True))

    # --- tidy

    async def _tidy(self) -> None:
        """Delete every hour what was over long ago."""
        time = SteadyTime(self._tools.clock.now, self._tools.passed)
        while (days := self.settings.keep_days) is not None:
            await asyncio.sleep(TIDY_EVERY_S)
            before = time.at() - days * DAY_S
            with suppress(EaasError, OSError):
                if count := await self._thread.do(self._forget_old, before):
                    log.info("%d old files in %s were deleted", count, self.settings.path)

    def _forget_old(self, before: float) -> int:
        with opened(self.settings.path, self._tools.service_uid) as folder:
            return folder.forget_old(before)
