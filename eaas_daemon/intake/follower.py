"""Keeps what stands beside accepted files true: where their jobs are, and at the end their logs."""

import asyncio
import logging
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import Final

import msgspec

from eaas.errors import EaasError
from eaas.ids import JobNumber
from eaas.views import JobView
from eaas_daemon.core.changes import Changes
from eaas_daemon.engine import Engine
from eaas_daemon.intake import names
from eaas_daemon.intake.failures import concerns_all
from eaas_daemon.intake.folder import Folder, Identity
from eaas_daemon.intake.followed import Followed, followed, unfinished
from eaas_daemon.intake.log_copy import copy_log
from eaas_daemon.intake.opening import opened
from eaas_daemon.intake.own_thread import OwnThread
from eaas_daemon.intake.settings import FolderSettings
from eaas_daemon.intake.status import is_settled, status_text
from eaas_daemon.intake.submitting import Accepted
from eaas_daemon.logs.store import LogStore

log = logging.getLogger(__name__)

WRITE_EVERY_S: Final = 0.5
FILES_A_TIME: Final = 100
JOBS_A_TIME: Final = 50
"""Jobs painted in one go, so that the engine is never held up for long."""
AGAIN_EVERY_S: Final = 10.0
"""When to try again what failed. Why a job waits can change without the job, too: those that wait
are looked at in turn."""


class Drawn(msgspec.Struct, frozen=True, kw_only=True):
    """A file's jobs at one moment."""

    file: Followed
    jobs: tuple[JobView, ...]
    settled: frozenset[int]
    """The numbers of those of which nothing more is to be told."""
    late: bool = False
    """A log could not be written yet."""

    @property
    def final(self) -> bool:
        """Tell whether nothing more is to be told of any."""
        return all(job.id in self.settled for job in self.jobs)

    @property
    def text(self) -> str:
        """Return its status."""
        return status_text(self.jobs, settled=self.settled, logs=self.file.logs)


class Follower:
    """The accepted files of one folder, and a task that writes beside them."""

    def __init__(
        self,
        settings: FolderSettings,
        engine: Engine,
        logs: LogStore,
        thread: OwnThread,
        service_uid: int,
        now: Callable[[], float],
    ) -> None:
        self._path: Final[Path] = settings.path
        self._log = settings.log
        self._engine = engine
        self._logs = logs
        self._thread = thread
        self._service_uid = service_uid
        self._now = now
        self.identity: Identity | None = None
        """Which folder its files are in: at the same path there may be another for a while.
        None before it is known, and while another controller has the folder."""
        self._files: dict[str, Followed] = {}
        self._by_job: dict[int, set[str]] = {}
        self._dirty: dict[str, None] = {}
        self._failed: dict[str, None] = {}
        self._written: dict[str, int] = {}
        """The hash of what stands beside each followed file."""
        self._coming: dict[int, bool] = {}
        """Jobs whose file is being accepted, and whether they have changed meanwhile."""
        self._copied: dict[str, set[int]] = {}
        """Of each followed file, the jobs whose logs lie beside it."""
        self._over_at_once: set[str] = set()
        """Files that are being accepted though a job of theirs has ended: they came again."""
        self._wake = asyncio.Event()
        self._turn = 0

    # --- what is followed

    async def first_statuses(self, accepted: Mapping[str, Accepted]) -> dict[str, str]:
        """Return what to write beside each of the files, by the name they came with."""
        files = [followed(name, outcome, log=self._log) for name, outcome in accepted.items()]
        self._coming = {number: False for file in files for number in file.numbers}
        drawn = [self._without_logs(one) for one in await self._drawn(files)]
        return await asyncio.to_thread(
            lambda: {name: one.text for name, one in zip(accepted, drawn, strict=True)}
        )

    def _without_logs(self, one: Drawn) -> Drawn:
        """Return it as it is before the logs of jobs that have ended were copied."""
        if one.settled:
            self._over_at_once.add(one.file.name)
        return msgspec.structs.replace(one, settled=one.settled - one.file.logs)

    def follow(self, name: str, outcome: Accepted, status: str) -> None:
        """Keep the status beside the file, which came under this name, true from here on."""
        file = followed(name, outcome, log=self._log)
        self._add(file)
        self._written[file.name] = hash(status)
        over = file.name in self._over_at_once
        self._over_at_once.discard(file.name)
        if over or any(self._coming.get(number, True) for number in file.numbers):
            self._touch((file.name,))

    def _add(self, file: Followed) -> None:
        self._forget(file.name)
        self._files[file.name] = file
        self._copied[file.name] = set(file.told)
        for number in file.numbers:
            self._by_job.setdefault(number, set()).add(file.name)

    def _touch(self, files: Iterable[str]) -> None:
        self._dirty.update(dict.fromkeys(files))
        self._wake.set()

    def _forget(self, name: str) -> None:
        file = self._files.pop(name, None)
        self._written.pop(name, None)
        self._copied.pop(name, None)
        for number in () if file is None else file.numbers:
            self._by_job[number].discard(name)
            if not self._by_job[number]:
                del self._by_job[number]

    async def recover(self) -> None:
        """Follow the files whose jobs had not ended when the controller did.

        Raises ``FolderUnusable`` and OSError.
        """
        self.identity, files = await self._thread.do(self._unfinished)
        for file in files:
            self._add(file)
        self._touch(file.name for file in files)

    def _unfinished(self) -> tuple[Identity, list[Followed]]:
        with opened(self._path, self._service_uid) as folder:
            return folder.identity, unfinished(folder, log=self._log)

    def leave(self) -> None:
        """Write nothing more until ``recover``: the folder is another controller's."""
        self.identity = None

    def changed(self, changes: Changes) -> None:
        """Remember whose jobs changed."""
        for job in changes.jobs if self._by_job or self._coming else ():
            if job.number in self._coming:
                self._coming[job.number] = True
            if job.number in self._by_job:
                self._touch(self._by_job[job.number])

    def start_over(self) -> None:
        """Look at everything again."""
        self._coming.clear()
        self._touch(self._files)

    # --- writing

    async def work(self) -> None:
        """Write until cancelled."""
        turn_at = time.monotonic() + AGAIN_EVERY_S
        while True:
            with suppress(TimeoutError):
                async with asyncio.timeout(turn_at - time.monotonic()):
                    await self._wake.wait()
            self._wake.clear()
            if time.monotonic() >= turn_at:
                turn_at = time.monotonic() + AGAIN_EVERY_S
                self._look_in_turn()
            try:
                await self.write()
            except Exception:
                log.exception("the statuses in %s met a bug; others go on", self._path)
            await asyncio.sleep(WRITE_EVERY_S)

    def _look_in_turn(self) -> None:
        self._dirty.update(self._failed)
        self._failed.clear()
        part = list(islice(self._files, self._turn, self._turn + FILES_A_TIME))
        self._turn = self._turn + FILES_A_TIME if len(part) == FILES_A_TIME else 0
        self._dirty.update(dict.fromkeys(part))

    async def write(self) -> None:
        """Make everything true that isn't."""
        while self._dirty and self.identity is not None:
            some = list(islice(self._dirty, FILES_A_TIME))
            for name in some:
                del self._dirty[name]
            drawn = await self._drawn([self._files[name] for name in some if name in self._files])
            drawn = [await self._with_logs(one) for one in drawn]
            done = await self._thread.do(self._write, drawn)
            self._failed.update(dict.fromkeys(one.file.name for one in drawn))
            for one, text_hash in done:
                self._remember(one, text_hash)

    async def _drawn(self, files: Sequence[Followed]) -> list[Drawn]:
        """Return where the files' jobs are, painted a few at a time; unknown ones are left out."""
        numbers = [number for file in files for number in file.numbers]
        known: dict[int, JobView] = {}
        for begin in range(0, len(numbers), JOBS_A_TIME):
            await asyncio.sleep(0)
            await self._engine.at_rest()
            for number in numbers[begin : begin + JOBS_A_TIME]:
                job = self._engine.state.job_by_number(JobNumber(number))
                if job is not None:
                    known[number] = self._engine.painter().job(job)
        return [self._one_drawn(file, known) for file in files]

    def _one_drawn(self, file: Followed, known: Mapping[int, JobView]) -> Drawn:
        found = [known[number] for number in file.numbers if number in known]
        jobs = [job for job in found if not file.uids or job.uid in file.uids]
        # Whoever has the file may have written into its status: other people's jobs do not count.
        own = tuple(job for job in jobs if job.user == jobs[0].user)
        now = self._now()
        settled = (job.id for job in own if is_settled(job, log=job.id in file.logs, now=now))
        return Drawn(file=file, jobs=own, settled=frozenset(settled))

    async def _with_logs(self, one: Drawn) -> Drawn:
        """Put the logs of jobs that are done beside their file, where they are wanted.

        A job whose log could not be written is not done yet.
        """
        copied = self._copied.setdefault(one.file.name, set())
        late: set[int] = set()
        for job in one.jobs:
            if job.id not in (one.settled & one.file.logs) - copied:
                continue
            try:
                await self._copy_log(one.file, job)
            except FileNotFoundError:
                break  # the file is gone, and nobody wants its log
            except (OSError, EaasError) as error:
                log.warning("no log beside %s yet: %s", names.shown_name(one.file.name), error)
                late.add(job.id)
            else:
                copied.add(job.id)
        return msgspec.structs.replace(one, settled=one.settled - late, late=bool(late))

    async def _copy_log(self, file: Followed, job: JobView) -> None:
        ending = names.LOG if len(file.numbers) == 1 else f".{job.id}{names.LOG}"
        beside = (file.name, ending)
        await copy_log(self._logs, self._thread, self._path, beside, job, self._service_uid)

    def _write(self, drawn: Sequence[Drawn]) -> list[tuple[Drawn, int]]:
        """Write the statuses and return those that are true now: a folder may be gone for now."""
        done: list[tuple[Drawn, int]] = []
        with suppress(EaasError), opened(self._path, self._service_uid) as folder:
            for one in drawn if folder.identity == self.identity else ():
                text = one.text
                try:
                    if one.jobs and not self._stands(folder, one.file.name, text):
                        folder.write_beside(one.file.name, names.STATUS, text)
                except FileNotFoundError:
                    over = frozenset(job.id for job in one.jobs)  # nobody wants to know of it
                    one = msgspec.structs.replace(one, settled=over, late=False)
                except OSError as error:
                    if concerns_all(error):
                        raise
                    continue
                done.append((one, hash(text)))
        return done

    def _stands(self, folder: Folder, name: str, text: str) -> bool:
        """Tell whether the status is there already; somebody may have deleted it."""
        return self._written.get(name) == hash(text) and folder.has_status(name)

    def _remember(self, one: Drawn, text_hash: int) -> None:
        name = one.file.name
        if not one.late:
            self._failed.pop(name, None)
        if one.final and self._files.get(name) == one.file:
            self._forget(name)
        else:
            self._written[name] = text_hash
