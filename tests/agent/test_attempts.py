import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from msgspec.structs import replace

from eaas.ids import JobNumber
from eaas_agent import attempts
from eaas_agent.attempts import Runners
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
from eaas_agent.runtimes.fake import FakeRuntime
from eaas_agent.runtimes.port import AttemptKey, Exit, RunOrder, StartFailed
from eaas_agent.spool import Spool
from tests.rig.agents import an_order


class Bench:
    """Runners over a fake runtime; what they post is awaited here."""

    def __init__(self, group: asyncio.TaskGroup) -> None:
        self.runtime = FakeRuntime(lambda: 50.0)
        self.events: asyncio.Queue[Event] = asyncio.Queue()
        self.unkillable: asyncio.Queue[tuple[AttemptKey, bool]] = asyncio.Queue()
        self.prepared = 0
        self.broken: Exception | None = None
        self.gone: StartFailed | None = None
        spool = Spool("spool", last_seq=0, lookup=lambda after, limit: ())
        post = self.events.put_nowait
        self.runners = Runners(
            self.runtime,
            group=group,
            post=post,
            prepare=self._prepare,
            pump=LogPump(self.runtime, group, post),
            outbox=Outbox(spool, monotonic=lambda: 0.0),
            unkillable=lambda key, outlives: self.unkillable.put_nowait((key, outlives)),
        )

    async def next(self) -> Event:
        async with asyncio.timeout(5):
            return await self.events.get()

    async def began(self, attempt: Attempt) -> Attempt:
        self.runners.start(attempt)
        event = await self.next()
        assert isinstance(event, Began)
        return replace(attempt, state="running", handle=event.started.handle, started_at=50.0)

    async def _prepare(self, attempt: Attempt) -> RunOrder:
        self.prepared += 1
        if self.broken is not None and self.prepared == 1:
            raise self.broken
        if self.gone is not None and self.prepared > 1:
            raise self.gone
        return RunOrder(
            key=attempt.key,
            number=JobNumber(1),
            epoch=1,
            image=None,
            command="x",
            env={},
            workspace=Path("/"),
        )


@asynccontextmanager
async def a_bench() -> AsyncIterator[Bench]:
    async with asyncio.TaskGroup() as group:
        bench = Bench(group)
        yield bench
        for fake in tuple(bench.runtime.attempts.values()):
            await fake.end()


def an_attempt() -> Attempt:
    return Attempt(order=an_order(), state="accepted", boot_id="b")


async def test_an_attempt_begins_and_ends() -> None:
    async with a_bench() as bench:
        attempt = await bench.began(an_attempt())
        await bench.runtime.attempts[attempt.key].end(3)

        assert await bench.next() == Exited(
            key=attempt.key,
            exit=Exit(exit_code=3, finished_at=51.0, ran_for_s=1.0),
            log_bytes=(0, 0),
        )


async def test_a_mount_that_goes_away_while_an_image_is_pulled_is_not_given() -> None:
    async with a_bench() as bench:
        bench.runtime.holds_starts = asyncio.Event()
        bench.gone = StartFailed("nothing is mounted", code="mount_unavailable", fault="node")
        order = an_order(mounts=("nas:/nas",))
        bench.runners.start(Attempt(order=order, state="accepted", boot_id="b"))
        bench.runtime.holds_starts.set()

        event = await bench.next()

        assert isinstance(event, DidNotStart)
        assert (event.code, bench.runtime.starts) == ("mount_unavailable", [])


async def test_a_refused_start_is_told() -> None:
    async with a_bench() as bench:
        bench.runtime.refusal = StartFailed("no", code="image_missing", fault="user")
        attempt = an_attempt()
        bench.runners.start(attempt)

        assert await bench.next() == DidNotStart(
            key=attempt.key, code="image_missing", text="no", fault="user"
        )


async def test_a_start_can_be_called_off() -> None:
    async with a_bench() as bench:
        bench.runtime.holds_starts = asyncio.Event()
        attempt = an_attempt()
        bench.runners.start(attempt)
        await asyncio.sleep(0)

        bench.runners.call_off(attempt.key)

        assert await bench.next() == NeverStarted(key=attempt.key)
        assert bench.runtime.starts == []


async def test_a_start_can_be_called_off_before_its_first_step() -> None:
    async with a_bench() as bench:
        attempt = an_attempt()
        bench.runners.start(attempt)

        bench.runners.call_off(attempt.key)

        assert await bench.next() == NeverStarted(key=attempt.key)


async def test_a_start_that_happened_is_not_called_off() -> None:
    async with a_bench() as bench:
        attempt = await bench.began(an_attempt())

        bench.runners.call_off(attempt.key)
        await bench.runtime.attempts[attempt.key].end(0)

        assert isinstance(await bench.next(), Exited)


async def test_an_error_nobody_foresaw_is_tried_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(attempts, "TRY_AGAIN_S", 0.0)
    async with a_bench() as bench:
        bench.broken = RuntimeError("out of luck")

        await bench.began(an_attempt())

        assert bench.prepared == 2


async def test_an_earlier_attempt_is_watched_to_its_end() -> None:
    async with a_bench() as bench:
        attempt = replace(an_attempt(), state="running", handle="h")
        bench.runners.watch(attempt)

        event = await bench.next()

        assert isinstance(event, Exited)
        assert event.exit.lost


async def test_a_deadline_is_told_once_and_can_be_moved() -> None:
    async with a_bench() as bench:
        attempt = await bench.began(an_attempt())
        bench.runners.arm(attempt.key, 60.0)
        bench.runners.arm(attempt.key, 0.0)

        assert await bench.next() == TimeUp(key=attempt.key)


async def test_a_stop_reaches_the_runtime_with_its_grace() -> None:
    async with a_bench() as bench:
        attempt = await bench.began(an_attempt())
        fake = bench.runtime.attempts[attempt.key]

        bench.runners.stop(attempt, 4.0)

        assert isinstance(await bench.next(), Exited)
        assert fake.graces == [4.0]


async def test_an_attempt_that_outlives_its_kill_is_reported(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(attempts, "UNKILLABLE_AFTER_S", 0.01)
    async with a_bench() as bench:
        bench.runtime.obeys_stops = False
        attempt = await bench.began(an_attempt())
        bench.runners.stop(attempt, 0.0)

        assert await bench.unkillable.get() == (attempt.key, True)
        await bench.runtime.attempts[attempt.key].end(137)
        assert await bench.unkillable.get() == (attempt.key, False)


async def test_a_removed_attempt_is_told() -> None:
    async with a_bench() as bench:
        attempt = await bench.began(an_attempt())
        await bench.runtime.attempts[attempt.key].end()
        await bench.next()

        bench.runners.remove(attempt.key, "h")

        assert await bench.next() == Removed(key=attempt.key)
        assert bench.runtime.attempts == {}
