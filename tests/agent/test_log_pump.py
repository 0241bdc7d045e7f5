import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final

from eaas.ids import JobNumber, JobUid
from eaas.wire.logs import WINDOW_BYTES, LogAck, LogAsk, LogEnd, LogPieces
from eaas_agent.log_pump import LogPump
from eaas_agent.model import Event, LogAcked
from eaas_agent.runtimes.fake import FakeAttempt, FakeRuntime
from eaas_agent.runtimes.port import AttemptKey, RunOrder

KEY: Final = AttemptKey(JobUid("job"), 1)


class Bench:
    """A pump between a fake runtime and a test that plays the log link."""

    def __init__(self, group: asyncio.TaskGroup) -> None:
        self.runtime = FakeRuntime(lambda: 0.0)
        self.events: list[Event] = []
        self.pump = LogPump(self.runtime, group, self.events.append, lambda: 60.5)
        self.stdout = b""
        self.read_at: list[float | None] = []
        self.asked: list[LogAsk] = []
        self.end: LogEnd | None = None

    async def attempt(self) -> FakeAttempt:
        order = RunOrder(
            key=KEY,
            number=JobNumber(1),
            epoch=1,
            image=None,
            command="x",
            env={},
            workspace=Path("/"),
        )
        await self.runtime.start(order, lambda phase: None)
        return self.runtime.attempts[KEY]

    async def take(self) -> None:
        """Take what the pump sends next."""
        async with asyncio.timeout(5):
            for message in await self.pump.next_messages():
                if isinstance(message, LogPieces):
                    for piece in message.pieces:
                        assert piece.offset == len(self.stdout)
                        self.stdout += piece.data
                        self.read_at.append(piece.at)
                elif isinstance(message, LogEnd):
                    self.end = message
                elif isinstance(message, LogAsk):
                    self.asked.append(message)

    async def take_all(self) -> None:
        while self.end is None:
            await self.take()
            self.ack()

    def ack(self, *, ended: bool = False) -> None:
        self.pump.acked(
            LogAck(uid="job", attempt=1, stdout=len(self.stdout), stderr=0, ended=ended)
        )


@asynccontextmanager
async def a_bench() -> AsyncIterator[Bench]:
    async with asyncio.TaskGroup() as group:
        bench = Bench(group)
        yield bench
        bench.pump.disconnected()


async def test_an_empty_log_sends_nothing() -> None:
    async with a_bench() as bench:
        bench.pump.connected()
        attempt = await bench.attempt()
        bench.pump.begin(KEY, "h")
        await attempt.end()

        assert await bench.pump.finish(KEY) == (0, 0)


async def test_a_short_log_travels_whole_and_unasked() -> None:
    async with a_bench() as bench:
        bench.pump.connected()
        attempt = await bench.attempt()
        bench.pump.begin(KEY, "h")
        await attempt.write(b"hello")
        await attempt.end()

        assert await bench.pump.finish(KEY) == (5, 0)
        await bench.take()

        assert (bench.stdout, bench.asked, bench.read_at) == (b"hello", [], [60.5])
        assert bench.end is not None
        bench.ack(ended=True)
        assert bench.events == [LogAcked(key=KEY)]


async def test_a_running_attempt_is_followed_live() -> None:
    async with a_bench() as bench:
        bench.pump.connected()
        attempt = await bench.attempt()
        bench.pump.begin(KEY, "h")
        await attempt.write(b"one")
        await bench.take()
        await attempt.write(b"two")
        await bench.take()

        assert bench.stdout == b"onetwo"
        assert set(bench.read_at) == {60.5}
        await attempt.end()
        assert await bench.pump.finish(KEY) is None
        await bench.take_all()
        assert bench.end is not None
        assert bench.end.stdout_bytes == 6


async def test_after_a_cut_the_log_goes_on_where_the_controller_stands() -> None:
    async with a_bench() as bench:
        bench.pump.connected()
        attempt = await bench.attempt()
        bench.pump.begin(KEY, "h")
        await attempt.write(b"onetwo")
        await bench.take()
        bench.pump.disconnected()
        bench.stdout = b"one"  # the rest never arrived

        bench.pump.connected()
        await bench.take()
        bench.ack()
        await bench.take()

        assert len(bench.asked) == 1
        assert bench.stdout == b"onetwo"


async def test_a_log_of_an_earlier_life_is_asked_about_first() -> None:
    async with a_bench() as bench:
        attempt = await bench.attempt()
        await attempt.write(b"abcdef")
        await attempt.end()
        bench.pump.resume(KEY, "h")
        bench.stdout = b"abc"

        bench.pump.connected()
        await bench.take()
        bench.ack()
        await bench.take_all()

        assert bench.stdout == b"abcdef"


async def test_a_log_that_ended_without_a_link_is_sent_when_there_is_one() -> None:
    async with a_bench() as bench:
        attempt = await bench.attempt()
        bench.pump.begin(KEY, "h")
        await attempt.write(b"hello")
        await attempt.end()
        assert await bench.pump.finish(KEY) == (5, 0)

        bench.pump.connected()
        await bench.take_all()

        assert (bench.stdout, bench.asked) == (b"hello", [])


async def test_a_long_log_waits_for_credit() -> None:
    async with a_bench() as bench:
        bench.pump.connected()
        attempt = await bench.attempt()
        content = bytes(range(256)) * (WINDOW_BYTES // 256 + 4096)
        await attempt.write(content)
        await attempt.end()
        bench.pump.begin(KEY, "h")
        assert await bench.pump.finish(KEY) is None
        while len(bench.stdout) < WINDOW_BYTES:
            await bench.take()

        assert len(bench.stdout) == WINDOW_BYTES
        bench.ack()
        await bench.take_all()

        assert bench.stdout == content


async def test_a_log_the_controller_has_is_not_read_again() -> None:
    async with a_bench() as bench:
        bench.pump.resume(KEY, "h")
        bench.pump.connected()
        await bench.take()

        bench.ack(ended=True)

        assert bench.events == [LogAcked(key=KEY)]


async def test_an_attempt_that_was_followed_and_stayed_silent_sends_nothing() -> None:
    async with a_bench() as bench:
        bench.pump.connected()
        attempt = await bench.attempt()
        bench.pump.resume(KEY, "h")
        bench.pump.forget(KEY)
        bench.pump.begin(KEY, "h")
        await asyncio.sleep(0.15)  # longer than the pump waits before it follows
        await attempt.end()

        assert await bench.pump.finish(KEY) == (0, 0)
