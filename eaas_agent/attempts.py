"""Runs attempts: one task each, from the workspace to the evidence of its end."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import Final

from eaas_agent.log_pump import LogPump
from eaas_agent.model import (
    Attempt,
    Began,
    DidNotStart,
    Event,
    Exited,
    NeverStarted,
    Removed,
    TimeUp,
)
from eaas_agent.outbox import Outbox
from eaas_agent.runtimes.port import (
    AttemptKey,
    Exit,
    Phase,
    RunOrder,
    Runtime,
    Started,
    StartFailed,
)

UNKILLABLE_AFTER_S: Final = 60.0
START_TRIES: Final = 3
TRY_AGAIN_S: Final = 1.0
REMOVALS_AT_ONCE: Final = 8

log = logging.getLogger(__name__)

Prepare = Callable[[Attempt], Awaitable[RunOrder]]
"""Makes what an attempt needs on this host; raises ``StartFailed``."""


class _Run:
    """What is known of an attempt's task."""

    __slots__ = ("began", "called_off", "deadline", "entered", "task")

    def __init__(self) -> None:
        self.task: asyncio.Task[None] | None = None
        self.deadline: asyncio.TimerHandle | None = None
        self.entered = False
        """A task cancelled before its first step would never get to say so."""
        self.began = False
        self.called_off = False


class Runners:
    """The tasks of all live attempts of this node."""

    def __init__(
        self,
        runtime: Runtime,
        *,
        group: asyncio.TaskGroup,
        post: Callable[[Event], None],
        prepare: Prepare,
        pump: LogPump,
        outbox: Outbox,
        unkillable: Callable[[AttemptKey, bool], None],
    ) -> None:
        """``unkillable`` is told when an attempt outlives its kill, and when it is gone at last."""
        self._runtime = runtime
        self._group = group
        self._post = post
        self._prepare = prepare
        self._pump = pump
        self._outbox = outbox
        self._unkillable = unkillable
        self._runs: dict[AttemptKey, _Run] = {}
        self._removing = asyncio.Semaphore(REMOVALS_AT_ONCE)

    def start(self, attempt: Attempt) -> None:
        """Start the attempt and see it through."""
        run = self._runs[attempt.key] = _Run()
        run.task = self._group.create_task(self._start(attempt, run))

    def watch(self, attempt: Attempt) -> None:
        """See an attempt through that began in an earlier life of the agent."""
        assert attempt.handle is not None, "it began"
        run = self._runs.setdefault(attempt.key, _Run())
        run.began = True
        self._pump.resume(attempt.key, attempt.handle)
        run.task = self._group.create_task(self._see_through(attempt.key, attempt.handle))

    def call_off(self, key: AttemptKey) -> None:
        """Give up the start; when it has happened already, the engine hears of that instead."""
        run = self._runs.get(key)
        if run is not None and run.task is not None and not run.began:
            run.called_off = True
            if run.entered:
                run.task.cancel()

    def stop(self, attempt: Attempt, grace_s: float) -> None:
        """Stop a running attempt: TERM, the grace, KILL."""
        self._group.create_task(self._stop(attempt, grace_s))

    def arm(self, key: AttemptKey, in_s: float | None) -> None:
        """Say ``TimeUp`` after this long; None disarms."""
        run = self._runs.get(key)
        if run is None:
            return
        if run.deadline is not None:
            run.deadline.cancel()
            run.deadline = None
        if in_s is not None:
            loop = asyncio.get_running_loop()
            run.deadline = loop.call_later(in_s, self._post, TimeUp(key=key))

    def remove(self, key: AttemptKey, handle: str) -> None:
        """Let the runtime forget an ended attempt."""
        self._pump.forget(key)
        self._group.create_task(self._remove(key, handle))

    async def _start(self, attempt: Attempt, run: _Run) -> None:
        key = attempt.key
        run.entered = True
        if run.called_off:
            self._end(key, NeverStarted(key=key))
            return
        try:
            started = await self._started(attempt)
        except asyncio.CancelledError:
            if not run.called_off:
                raise
            self._end(key, NeverStarted(key=key))
            return
        except StartFailed as error:
            self._end(key, _failed(key, error))
            return
        run.began = True
        self._outbox.settled(key)
        self._pump.begin(key, started.handle)
        self._post(Began(key=key, started=started))
        await self._see_through(key, started.handle)

    async def _started(self, attempt: Attempt) -> Started:
        """Start it; an error nobody foresaw is tried again, for ``start`` adopts what exists."""
        key = attempt.key

        def progress(phase: Phase) -> None:
            self._outbox.progress(key, phase)

        async def confirm() -> None:
            if attempt.order.mounts:  # a file server may have gone while an image was pulled
                await self._prepare(attempt)

        for left in reversed(range(START_TRIES)):
            try:
                order = await self._prepare(attempt)
                return await self._runtime.start(order, progress, confirm)
            except StartFailed:
                raise
            except Exception as error:
                log.exception("starting %s failed", key)
                if not left:
                    raise StartFailed(
                        f"the agent could not start it: {error!r}", code="agent_error", fault="node"
                    ) from error
            await asyncio.sleep(TRY_AGAIN_S)
        raise AssertionError("the last try returns or raises")

    async def _see_through(self, key: AttemptKey, handle: str) -> None:
        """Wait for the end and tell it, with the log's length where that is known at once."""
        evidence = await self._evidence(key, handle)
        log_bytes = await self._pump.finish(key)
        self._end(key, Exited(key=key, exit=evidence, log_bytes=log_bytes))

    async def _evidence(self, key: AttemptKey, handle: str) -> Exit:
        while True:
            try:
                return await self._runtime.wait(key, handle)
            except Exception:
                log.exception("waiting for %s failed; trying again", key)
            await asyncio.sleep(TRY_AGAIN_S)

    def _end(self, key: AttemptKey, event: Event) -> None:
        run = self._runs.pop(key, None)
        if run is not None and run.deadline is not None:
            run.deadline.cancel()
        self._outbox.settled(key)
        self._post(event)

    async def _stop(self, attempt: Attempt, grace_s: float) -> None:
        key = attempt.key
        assert attempt.handle is not None, "it began"
        while key in self._runs:
            try:
                await self._runtime.stop(key, attempt.handle, grace_s)
                break
            except Exception:
                log.exception("stopping %s failed; trying again", key)
                await asyncio.sleep(TRY_AGAIN_S)
        run = self._runs.get(key)
        if run is not None and run.task is not None:
            await self._see_it_gone(key, run.task)

    async def _see_it_gone(self, key: AttemptKey, task: asyncio.Task[None]) -> None:
        gone, _ = await asyncio.wait({task}, timeout=UNKILLABLE_AFTER_S)
        if not gone:
            log.error("%s outlives its kill", key)
            self._unkillable(key, True)
            await asyncio.wait({task})
            self._unkillable(key, False)

    async def _remove(self, key: AttemptKey, handle: str) -> None:
        async with self._removing:
            while True:
                try:
                    await self._runtime.remove(key, handle)
                    break
                except Exception:
                    log.exception("removing %s failed; trying again", key)
                    await asyncio.sleep(TRY_AGAIN_S)
        self._post(Removed(key=key))


def _failed(key: AttemptKey, error: StartFailed) -> DidNotStart:
    return DidNotStart(
        key=key,
        code=error.reason_code,
        text=error.sentence,
        fault=error.fault,
        exit_code=error.exit_code,
    )
