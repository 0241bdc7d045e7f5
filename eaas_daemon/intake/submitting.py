"""From what a file says to jobs: through the one engine, under keys that make it happen once."""

import hashlib
import os
from collections.abc import Sequence
from pathlib import Path

import msgspec

from eaas.errors import EaasError, FieldError, Invalid, Unavailable
from eaas.folder_file import FolderFile, Order
from eaas.ids import JobNumber
from eaas.job_file import JobDocument, file_key
from eaas.job_spec import spec_as_typed
from eaas_daemon.core import events as e
from eaas_daemon.core.body_hash import body_hash
from eaas_daemon.core.on_jobs import FOLDER_KEYS, Replayed
from eaas_daemon.engine import Engine
from eaas_daemon.intake.status import one_mistake
from eaas_daemon.store.failures import StoreUnavailable

PASSING = (Unavailable, StoreUnavailable)
"""Failures that say nothing about the file: it is tried again."""


class Accepted(msgspec.Struct, frozen=True, kw_only=True):
    """The jobs that stand for a file."""

    numbers: tuple[int, ...]
    log: bool = False
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


Outcome = Accepted | Obeyed | Refused


def folder_key(path: Path, name: str, data: bytes) -> str:
    """Return the key under which this content under this name in this folder is one submit."""
    digest = hashlib.sha256(b"\0".join((os.fsencode(path), os.fsencode(name), data)))
    return FOLDER_KEYS + digest.hexdigest()


class Submitter:
    """Carries out what files say."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    async def carry_out(self, content: FolderFile, caller: e.Caller, key: str) -> Outcome:
        """Return what became of the file. Raises one of ``PASSING`` when it must come again."""
        try:
            if content.orders:
                return await self._obey(content.orders, caller)
            return await self._submit(content.jobs, caller, key)
        except PASSING:
            raise
        except Invalid as refusal:
            return Refused(errors=refusal.errors)
        except EaasError as refusal:
            return Refused(errors=one_mistake(refusal.sentence))

    async def _submit(
        self, documents: Sequence[JobDocument], caller: e.Caller, key: str
    ) -> Accepted:
        own_key = file_key(documents)
        event = e.Submit(
            caller=caller,
            specs=tuple(document.spec for document in documents),
            key=own_key or key,
            body_hash=key.encode() if own_key is None else _body_hash(documents),
        )
        log = any(document.log for document in documents)
        try:
            jobs = await self._engine.ask(event)
        except Replayed as known:
            return Accepted(numbers=known.row.jobs, log=log, again=True)
        return Accepted(numbers=tuple(job.number for job in jobs), log=log)

    async def _obey(self, orders: Sequence[Order], caller: e.Caller) -> Obeyed | Refused:
        """Carry out every order that can be; what can't be is said beside the others."""
        done: dict[int, str] = {}
        wrong: list[FieldError] = []
        for order in orders:
            try:
                done[order.job] = await self._one(order, caller)
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
        number = JobNumber(order.job)
        if order.priority is None:
            job = await self._engine.ask(e.Cancel(caller=caller, number=number))
            return f"cancel: it is {job.state}"
        job = await self._engine.ask(
            e.SetPriority(caller=caller, number=number, priority=order.priority)
        )
        return f"priority {job.priority}: it is {job.state}"


def _body_hash(documents: Sequence[JobDocument]) -> bytes:
    """Return what the same jobs have when they come over the network under the same key."""
    fields = [spec_as_typed(document.spec) for document in documents]
    return body_hash(fields[0] if len(fields) == 1 else fields, force=False)
