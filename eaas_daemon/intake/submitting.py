"""From what a file says to jobs: through the one engine, under keys that make it happen once."""

import asyncio
import hashlib
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

import msgspec

from eaas.errors import Conflict, EaasError, FieldError, Invalid, Unavailable
from eaas.folder_file import FolderFile, Order
from eaas.ids import JobNumber
from eaas.job_file import MAX_DOCUMENTS, JobDocument, file_key
from eaas.job_spec import MAX_MISTAKES, invalid, spec_as_typed
from eaas.lifecycle import JobState
from eaas.units import moment_text
from eaas_daemon.clock import Clock
from eaas_daemon.core import events as e
from eaas_daemon.core.arrays import is_array
from eaas_daemon.core.body_hash import body_hash
from eaas_daemon.core.dry_run import each_refused
from eaas_daemon.core.model import Job
from eaas_daemon.core.on_jobs import FOLDER_KEYS, Replayed
from eaas_daemon.engine import Engine
from eaas_daemon.intake.status import one_mistake
from eaas_daemon.store.failures import StoreUnavailable

PASSING = (Unavailable, StoreUnavailable)
"""Failures that say nothing about the file: it is tried again."""
JOBS_A_TIME: Final = 50
"""Jobs that are judged in one go, so that the engine is never held up for long."""


class Accepted(msgspec.Struct, frozen=True, kw_only=True):
    """The jobs that stand for a file."""

    numbers: tuple[int, ...]
    logs: tuple[bool | None, ...] = ()
    """Of each job, what the file says of its log: put it beside, or do not; None: nothing."""
    again: bool = False
    """The file had come before."""


class Obeyed(msgspec.Struct, frozen=True, kw_only=True):
    """What became of a file of orders: a sentence for each job."""

    done: dict[int, str]


class Refused(msgspec.Struct, frozen=True, kw_only=True):
    """Every mistake of a file."""

    errors: tuple[FieldError, ...]
    secret: bool = True
    """They tell of the file's content."""
    mend: bool = True
    """A person can put them right in the file."""


TOO_MANY: Final = (
    f"a file stands for {MAX_DOCUMENTS} jobs at most, not {{count}}: "
    "submit a larger array with mini-eaas job submit"
)

Outcome = Accepted | Obeyed | Refused


def folder_key(path: Path, name: str, data: bytes) -> str:
    """Return the key under which this content under this name in this folder is one submit."""
    digest = hashlib.sha256(b"\0".join((os.fsencode(path), os.fsencode(name), data)))
    return FOLDER_KEYS + digest.hexdigest()


class Submitter:
    """Carries out what files say."""

    def __init__(self, engine: Engine, clock: Clock) -> None:
        self._engine = engine
        self._clock = clock

    async def carry_out(self, content: FolderFile, caller: e.Caller, key: str) -> Outcome:
        """Return what became of the file. Raises one of ``PASSING`` when it must come again."""
        try:
            if content.orders:
                return await self._obey(content.orders, caller)
            return await self._submit(content, caller, key)
        except PASSING:
            raise
        except EaasError as refusal:
            return Refused(errors=mistakes_of(refusal))

    async def _submit(self, content: FolderFile, caller: e.Caller, key: str) -> Accepted | Refused:
        documents = content.jobs
        count = sum(len(document.spec.parts) or 1 for document in documents)
        if count > MAX_DOCUMENTS:
            return Refused(errors=one_mistake(TOO_MANY.format(count=count)))
        own_key = file_key(documents)
        event = e.Submit(
            caller=caller,
            specs=tuple(document.spec for document in documents),
            key=own_key or key,
            body_hash=key.encode() if own_key is None else _body_hash(documents),
        )
        logs = tuple(document.log for document in documents)
        try:
            jobs = await self._engine.ask(event)
        except Replayed as known:
            return self._accepted(known.row.jobs, logs, again=True)
        except PASSING:
            raise
        except EaasError as refusal:
            return Refused(errors=await self._all_mistakes(content, caller, refusal))
        return self._accepted([job.number for job in jobs], logs)

    def _accepted(
        self, numbers: Sequence[int], logs: Sequence[bool | None], *, again: bool = False
    ) -> Accepted:
        """Return what stands for the file: all ranks of a job on several nodes, all tasks of an
        array.
        """
        jobs: list[tuple[int, bool | None]] = []
        for number, log in zip(numbers, logs, strict=True):
            job = self._engine.state.job_by_number(number)
            count = 1 if job is None else len(job.spec.parts) or 1
            jobs += [(number + rank, log) for rank in range(count)]
        found, wanted = zip(*jobs, strict=True) if jobs else ((), ())
        return Accepted(numbers=found, logs=wanted, again=again)

    async def _all_mistakes(
        self, content: FolderFile, caller: e.Caller, first: EaasError
    ) -> tuple[FieldError, ...]:
        """Return what is wrong with each of the jobs; the engine stops at the first one."""
        errors: list[FieldError] = []
        for begin in range(0, len(content.jobs), JOBS_A_TIME):
            await asyncio.sleep(0)
            await self._engine.at_rest()
            specs = [document.spec for document in content.jobs[begin : begin + JOBS_A_TIME]]
            now, state = self._clock.now(), self._engine.state
            for index, refusal in each_refused(state, specs, caller, now, force=False):
                errors += _placed(refusal, content, begin + index)
            if len(errors) > MAX_MISTAKES:
                break
        if not errors:  # each could come by itself, but not all of them
            errors = list(mistakes_of(first))
        return invalid(errors).errors

    async def _obey(self, orders: Sequence[Order], caller: e.Caller) -> Obeyed | Refused:
        """Carry out every order that can be; what can't be is said beside the others."""
        done: dict[int, str] = {}
        wrong: list[FieldError] = []
        for order in dict.fromkeys(orders):
            try:
                what = await self._one(order, caller)
                before = done.get(order.job)
                done[order.job] = what if before is None else f"{before}; then {what}"
            except PASSING:
                raise
            except EaasError as refusal:
                wrong += one_mistake(refusal.sentence)
        if not wrong:
            return Obeyed(done=done)
        for job, what in done.items():
            wrong += one_mistake(f"done nevertheless for job {job}: {what}")
        return Refused(errors=tuple(wrong), mend=False)

    async def _one(self, order: Order, caller: e.Caller) -> str:
        """Carry out one order; on a job that has ended there is nothing to do, and that is fine."""
        number = JobNumber(order.job)
        await self._engine.at_rest()
        before = self._engine.state.job_by_number(number)
        if before is not None and is_array(before):
            return await self._to_tasks(order, caller, number)
        if order.priority is None or (before is not None and before.ended):
            # Cancelling changes no job that has ended, but asks whether the caller may.
            job = await self._engine.ask(e.Cancel(caller=caller, number=number))
            was_open = before is not None and not before.ended
            if job.ended and not (was_open and job.state is JobState.CANCELLED):
                return already_over(job)
            return f"cancel: it is {job.state}"
        try:
            job = await self._engine.ask(
                e.SetPriority(caller=caller, number=number, priority=order.priority)
            )
        except Conflict:
            now = self._engine.state.job_by_number(number)
            if now is None or not now.ended:
                raise
            return already_over(now)  # it ended just before the order was heard
        return f"priority {job.priority}: it is {job.state}"

    async def _to_tasks(self, order: Order, caller: e.Caller, number: JobNumber) -> str:
        """Carry out an order about an array on all of its tasks."""
        deed: e.Deed = e.Cancel(caller=caller, number=number)
        if order.priority is not None:
            deed = e.SetPriority(caller=caller, number=number, priority=order.priority)
        acted = await self._engine.ask(e.ToTasks(caller=caller, deed=deed))
        what = "cancel" if order.priority is None else f"priority {order.priority}"
        return f"{what}: {acted.changed} of its tasks, {acted.left} stay as they are"


def mistakes_of(refusal: EaasError) -> tuple[FieldError, ...]:
    """Return every mistake that a refusal tells of."""
    return refusal.errors if isinstance(refusal, Invalid) else one_mistake(refusal.sentence)


def _placed(refusal: EaasError, content: FolderFile, index: int) -> Iterator[FieldError]:
    """Yield what is wrong with one of a file's jobs, at its key or else where the job begins."""
    places = content.places[index] if index < len(content.places) else {}
    begin = (content.jobs[index].line, 1) if len(content.jobs) > 1 else (None, None)
    for error in mistakes_of(refusal):
        line, column = places.get(error.field.partition("[")[0], begin)
        yield msgspec.structs.replace(error, line=line, column=column)


def already_over(job: Job) -> str:
    """Return the sentence for an order about a job that has ended."""
    how = str(job.state)
    if job.attempts and job.attempts[-1].exit_code is not None:
        how += f" with exit code {job.attempts[-1].exit_code}"
    at = "" if job.finished_at is None else f" at {moment_text(job.finished_at)}"
    return f"nothing was to be done: it had ended already, {how}{at}"


def _body_hash(documents: Sequence[JobDocument]) -> bytes:
    """Return what the same jobs have when they come over the network under the same key."""
    fields = [spec_as_typed(document.spec) for document in documents]
    return body_hash(fields[0] if len(fields) == 1 else fields, force=False)
