"""Keeps what cards did: a listener of the engine that writes seldom and never holds it up."""

import asyncio
import logging
from collections.abc import Sequence
from typing import Final

from eaas.ids import JobUid, NodeName
from eaas.wire.from_agent import CardReport
from eaas_daemon.clock import Clock
from eaas_daemon.core.ask import ask_of
from eaas_daemon.core.changes import Changes
from eaas_daemon.core.effects import Effect
from eaas_daemon.core.model import Job
from eaas_daemon.core.recent_samples import NodeRecent
from eaas_daemon.core.run_samples import CardSample, RunSamples
from eaas_daemon.core.state import State
from eaas_daemon.logs.files import LogKey, log_key
from eaas_daemon.logs.store import in_thread
from eaas_daemon.samples.files import RunFiles, stored

log = logging.getLogger(__name__)

WRITE_EVERY_S: Final = 60.0
LOOK_EVERY_S: Final = 5.0
MOST_PCT: Final = 100
MOST_MIB: Final = 2**31 - 1


class _Run:
    """A live attempt's samples, and when they were last written."""

    def __init__(self, key: LogKey, samples: RunSamples, written_at: float) -> None:
        self.key: Final = key
        self.samples: Final = samples
        self.written_at = written_at


class Sampler:
    """Hears every stored step. ``recall`` before the first one, then ``run`` beside the engine."""

    def __init__(self, state: State, clock: Clock, files: RunFiles) -> None:
        self._state = state
        self._clock = clock
        self._files = files
        self._nodes: dict[NodeName, NodeRecent] = {}
        self._runs: dict[JobUid, _Run] = {}
        self._over: dict[LogKey, RunSamples] = {}
        """Runs that have ended and are still to be written."""
        self._dropped: list[LogKey] = []
        self._wake = asyncio.Event()

    # --- listening

    def __call__(self, changes: Changes, effects: Sequence[Effect]) -> None:
        """Take in what a stored step tells of runs and cards."""
        now = self._clock.now()
        for name in changes.gone_nodes:
            self._nodes.pop(name, None)
        for job in changes.jobs:
            self._follow(job, now)
        for name in self._state.draft.read_nodes:
            self._read(name, now)

    def start_over(self) -> None:
        """Look at all jobs anew: a step could not be told."""
        now = self._clock.now()
        for uid, run in list(self._runs.items()):
            if uid not in self._state.jobs:
                self._end(uid, run)
        for job in list(self._state.jobs.values()):
            self._follow(job, now)

    def _follow(self, job: Job, now: float) -> None:
        """Begin with the job's run once it has cards and has started; end with the one before."""
        attempt, run = job.live_attempt, self._runs.get(job.uid)
        if run is not None and (attempt is None or attempt.number != run.key.attempt):
            self._end(job.uid, run)
            run = None
        if run is None and attempt is not None and attempt.cards and attempt.started_at is not None:
            samples = RunSamples(now, [card.uuid for card in attempt.cards])
            self._runs[job.uid] = _Run(log_key(job.uid, attempt.number), samples, now)

    def _end(self, uid: JobUid, run: _Run) -> None:
        del self._runs[uid]
        if run.samples.points:
            self._over[run.key] = run.samples
            self._wake.set()

    def _read(self, name: NodeName, now: float) -> None:
        node = self._state.nodes.get(name)
        if node is None:
            return
        cards = [card_sample(card) for card in node.cards]
        jobs = self._state.placed.get(name, {}).values()
        cpus_milli = sum(ask_of(job).cpus_milli for job in jobs)
        recent = self._nodes.get(name) or self._nodes.setdefault(name, NodeRecent())
        recent.add(now, cpus_milli, node.memory_used_mib, cards)
        for job in jobs:
            if (run := self._runs.get(job.uid)) is not None:
                run.samples.add(now, cards)

    # --- looking

    def recent(self, name: NodeName) -> NodeRecent:
        """Return what the node did lately; empty before its first reading."""
        return self._nodes.get(name) or NodeRecent()

    async def of_run(self, uid: JobUid, attempt: int) -> RunSamples | None:
        """Return what the attempt's cards did, as far as it is known; do not change it."""
        run, key = self._runs.get(uid), log_key(uid, attempt)
        if run is not None and run.key == key:
            return run.samples
        if (over := self._over.get(key)) is not None:
            return over
        return await asyncio.to_thread(self._files.read, key)

    # --- keeping

    async def recall(self) -> None:
        """Go on with the runs that were live when the controller ended."""
        for jobs in list(self._state.placed.values()):
            for job in list(jobs.values()):
                self._follow(job, self._clock.now())
        keys = {uid: run.key for uid, run in self._runs.items()}
        found = await asyncio.to_thread(lambda: {u: self._files.read(k) for u, k in keys.items()})
        for uid, samples in found.items():
            if samples is not None:
                self._runs[uid] = _Run(keys[uid], samples, self._clock.now())
        await asyncio.to_thread(self._files.make_room)

    def forget(self, uid: JobUid, attempt: int) -> None:
        """Delete an attempt's samples soon: its log was deleted to make room."""
        self._dropped.append(log_key(uid, attempt))
        self._wake.set()

    async def run(self) -> None:
        """Write what is due until cancelled."""
        while True:
            try:
                async with asyncio.timeout(LOOK_EVERY_S):
                    await self._wake.wait()
            except TimeoutError:
                pass
            self._wake.clear()
            await self.write_due()

    async def write_due(self) -> None:
        """Write the runs that have ended, and the live ones not written for a while."""
        now = self._clock.now()
        for key, samples in list(self._over.items()):
            await self._write(key, samples)
            self._over.pop(key, None)
        for run in list(self._runs.values()):
            if now - run.written_at >= max(WRITE_EVERY_S, run.samples.every_s):
                run.written_at = now
                await self._write(run.key, run.samples)
        dropped, self._dropped = self._dropped, []
        for key in dropped:
            await asyncio.to_thread(self._files.drop, key)

    async def write_all(self) -> None:
        """Write everything: the controller ends."""
        for run in self._runs.values():
            run.written_at = float("-inf")
        await self.write_due()

    async def _write(self, key: LogKey, samples: RunSamples) -> None:
        if not samples.points:
            return
        try:
            picture = stored(samples)
            await in_thread(lambda: self._files.write(key, picture))
        except OSError as error:
            log.warning("what the cards of %s did can't be kept: %s", key.uid, error)


def card_sample(card: CardReport) -> CardSample:
    """Return what is kept of a reading, within what a card can be."""
    return CardSample(
        card.uuid,
        _within(card.utilization_pct, MOST_PCT),
        _within(card.memory_used_mib, MOST_MIB),
        card.memory_total_mib,
    )


def _within(value: int | None, most: int) -> int | None:
    return None if value is None else max(0, min(most, value))
