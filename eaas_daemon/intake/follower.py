"""Keeps what stands beside accepted files true: where their jobs are, and at the end their logs."""

import asyncio
import logging
from collections.abc import Mapping, Sequence
from contextlib import suppress
from itertools import islice
from typing import Final

import msgspec

from eaas.errors import EaasError
from eaas.ids import JobNumber
from eaas.views import JobView
from eaas_daemon.core.changes import Changes
from eaas_daemon.core.effects import Effect
from eaas_daemon.engine import Engine
from eaas_daemon.intake import names
from eaas_daemon.intake.folder import opened
from eaas_daemon.intake.log_copy import copy_log
from eaas_daemon.intake.settings import FolderSettings
from eaas_daemon.intake.status import FINAL, is_settled, status_text
from eaas_daemon.intake.submitting import Accepted
from eaas_daemon.logs.store import LogStore

log = logging.getLogger(__name__)

WRITE_EVERY_S: Final = 0.5
FILES_A_TIME: Final = 100
"""Statuses drawn in one go, so that the engine is never held up for long."""
REASONS_EVERY_S: Final = 10.0
"""Why a job waits can change without the job: those that wait are looked at in turn."""


class Followed(msgspec.Struct, frozen=True, kw_only=True):
    """One accepted file whose jobs have not all ended."""

    settings: FolderSettings
    name: str
    """Among the accepted ones."""
    numbers: tuple[int, ...]
    log: bool


class Drawn(msgspec.Struct, frozen=True, kw_only=True):
    """A file's jobs at one moment."""

    file: Followed
    text: str
    final: bool
    jobs: tuple[JobView, ...]


class Follower:
    """A listener of the engine, and a task that writes."""

    def __init__(self, engine: Engine, logs: LogStore, service_uid: int) -> None:
        self._engine = engine
        self._logs = logs
        self._service_uid = service_uid
        self._by_job: dict[int, Followed] = {}
        self._dirty: dict[Followed, None] = {}
        self._written: dict[Followed, int] = {}
        """The hash of what stands beside each followed file."""
        self._wake = asyncio.Event()
        self._turn = 0

    # --- what is followed

    async def first_statuses(
        self, settings: FolderSettings, accepted: Mapping[str, Accepted]
    ) -> dict[str, str]:
        """Return what to write beside each of the files, by the name they came with."""
        await self._engine.at_rest()
        return {
            name: self._drawn(_followed(settings, name, outcome)).text
            for name, outcome in accepted.items()
        }

    def follow(self, settings: FolderSettings, name: str, outcome: Accepted) -> None:
        """Keep the status beside the file true from here on."""
        self._add(_followed(settings, name, outcome))

    def _add(self, file: Followed) -> None:
        for number in file.numbers:
            self._by_job[number] = file
        self._dirty[file] = None
        self._wake.set()

    async def recover(self, settings: FolderSettings) -> None:
        """Follow the files whose jobs had not ended when the controller did.

        Raises ``FolderUnusable``.
        """
        for file in await asyncio.to_thread(self._unfinished, settings):
            self._add(file)

    def _unfinished(self, settings: FolderSettings) -> list[Followed]:
        found: list[Followed] = []
        with opened(settings.path, self._service_uid) as folder:
            for name in folder.accepted():
                number = names.job_of(name)
                if number is None:
                    continue
                try:
                    status = folder.read_accepted(name + names.STATUS)
                except OSError:
                    status = b""
                if not status.startswith(FINAL.encode()):
                    found.append(_from_status(settings, name, number, status.decode()))
        return found

    # --- the engine's news

    def __call__(self, changes: Changes, effects: Sequence[Effect]) -> None:
        """Remember whose jobs changed."""
        if not self._by_job:
            return
        for job in changes.jobs:
            if (file := self._by_job.get(job.number)) is not None:
                self._dirty[file] = None
                self._wake.set()

    def start_over(self) -> None:
        """Look at everything again."""
        self._dirty.update(dict.fromkeys(self._by_job.values()))
        self._wake.set()

    # --- writing

    async def work(self) -> None:
        """Write until cancelled."""
        while True:
            with suppress(TimeoutError):
                async with asyncio.timeout(REASONS_EVERY_S):
                    await self._wake.wait()
            if not self._dirty:
                self._look_in_turn()
            self._wake.clear()
            await self._write_dirty()
            await asyncio.sleep(WRITE_EVERY_S)

    def _look_in_turn(self) -> None:
        files = list(dict.fromkeys(self._by_job.values()))
        part = files[self._turn : self._turn + FILES_A_TIME]
        self._turn = self._turn + FILES_A_TIME if len(part) == FILES_A_TIME else 0
        self._dirty.update(dict.fromkeys(part))

    async def _write_dirty(self) -> None:
        while self._dirty:
            await self._engine.at_rest()
            some = list(islice(self._dirty, FILES_A_TIME))
            for file in some:
                del self._dirty[file]
            drawn = [self._drawn(file) for file in some]
            news = [one for one in drawn if self._written.get(one.file) != hash(one.text)]
            await self._copy_logs(news)
            for one in await asyncio.to_thread(self._write, news):
                self._remember(one)

    def _drawn(self, file: Followed) -> Drawn:
        painter, state = self._engine.painter(), self._engine.state
        known = [state.job_by_number(JobNumber(number)) for number in file.numbers]
        jobs = tuple(painter.job(job) for job in known if job is not None)
        final = all(is_settled(job, log=file.log) for job in jobs)
        text = status_text(jobs, final=final, log=file.log)
        return Drawn(file=file, text=text, final=final, jobs=jobs)

    async def _copy_logs(self, drawn: Sequence[Drawn]) -> None:
        for one in drawn:
            if one.final and one.file.log:
                try:
                    await copy_log(
                        self._logs,
                        one.file.settings.path,
                        one.file.name,
                        one.jobs,
                        self._service_uid,
                    )
                except (OSError, EaasError) as error:
                    log.warning("no log beside %s: %s", one.file.name, error)

    def _write(self, drawn: Sequence[Drawn]) -> list[Drawn]:
        """Write the statuses and return those that are done with: a folder may be gone for now."""
        done: list[Drawn] = []
        for one in drawn:
            try:
                with opened(one.file.settings.path, self._service_uid) as folder:
                    folder.write_beside(one.file.name, names.STATUS, one.text)
            except FileNotFoundError:
                log.debug("%s is gone: nobody wants to know of it", one.file.name)
            except (OSError, EaasError) as error:
                log.debug("no status beside %s yet: %s", one.file.name, error)
                continue
            done.append(one)
        return done

    def _remember(self, one: Drawn) -> None:
        if not one.final:
            self._written[one.file] = hash(one.text)
            return
        self._written.pop(one.file, None)
        for number in one.file.numbers:
            self._by_job.pop(number, None)


def _followed(settings: FolderSettings, name: str, outcome: Accepted) -> Followed:
    return Followed(
        settings=settings,
        name=names.accepted_name(outcome.numbers[0], name),
        numbers=outcome.numbers,
        log=outcome.log or settings.log,
    )


def _from_status(settings: FolderSettings, name: str, number: int, status: str) -> Followed:
    """Return what the file's last status tells of it; the first job is in its name anyway."""
    lines = status.splitlines()
    numbers = [int(line.removeprefix("job: ")) for line in lines if line.startswith("job: ")]
    return Followed(
        settings=settings,
        name=name,
        numbers=tuple(numbers) or (number,),
        log=settings.log or "log: true" in lines,
    )
