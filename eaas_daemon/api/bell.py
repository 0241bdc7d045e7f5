"""Wakes requests that wait for something to happen to a job."""

import asyncio
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from eaas.ids import JobUid
from eaas_daemon.core.changes import Changes
from eaas_daemon.core.effects import Effect


class JobBell:
    """A listener of the engine. Costs nothing for jobs that nobody waits for."""

    def __init__(self) -> None:
        self._waiting: dict[JobUid, set[asyncio.Event]] = {}

    def __call__(self, changes: Changes, effects: Sequence[Effect]) -> None:
        """Ring for the jobs that changed."""
        if not self._waiting:
            return
        for job in changes.jobs:
            for event in self._waiting.get(job.uid, ()):
                event.set()

    def start_over(self) -> None:
        """Ring for everybody."""
        for events in self._waiting.values():
            for event in events:
                event.set()

    @property
    def waited_for(self) -> frozenset[JobUid]:
        """Return the jobs that somebody waits for."""
        return frozenset(self._waiting)

    @contextmanager
    def watching(self, uid: JobUid) -> Iterator[asyncio.Event]:
        """Give an event that is set at every change of the job; the waiter clears it."""
        event = asyncio.Event()
        waiting = self._waiting.setdefault(uid, set())
        waiting.add(event)
        try:
            yield event
        finally:
            waiting.discard(event)
            if not waiting and self._waiting.get(uid) is waiting:
                del self._waiting[uid]
