import asyncio
import random
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from eaas.client.address import Address
from eaas.ids import JobNumber, JobUid
from eaas.wire.logs import AnyLogFromAgent
from eaas_agent.dial import Backoff, Dial
from eaas_agent.log_link import LogLink
from eaas_agent.log_pump import LogPump
from eaas_agent.model import Event, LogAcked
from eaas_agent.runtimes.fake import FakeAttempt, FakeRuntime
from eaas_agent.runtimes.port import AttemptKey, RunOrder
from tests.rig.scripted_controller import scripted_controller

KEY = AttemptKey(JobUid("job"), 1)


class Bench:
    def __init__(self, pump: LogPump, runtime: FakeRuntime, events: asyncio.Queue[Event]) -> None:
        self.pump = pump
        self.runtime = runtime
        self.events = events

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
        self.pump.begin(KEY, "h")
        return self.runtime.attempts[KEY]


@asynccontextmanager
async def linked(socket: Path) -> AsyncIterator[Bench]:
    rng, runtime = random.Random(1), FakeRuntime(lambda: 0.0)
    events: asyncio.Queue[Event] = asyncio.Queue()
    async with Dial(Address(socket=socket)) as dial, asyncio.TaskGroup() as group:
        pump = LogPump(runtime, group, events.put_nowait)
        link = LogLink(dial, pump, "node", backoff=lambda: Backoff(longest_s=0.01, rng=rng))
        following = group.create_task(link.follow("session"))
        yield Bench(pump, runtime, events)
        following.cancel()


async def test_a_log_arrives_byte_for_byte(tmp_path: Path) -> None:
    content = bytes(range(256)) * 4000
    async with scripted_controller(tmp_path / "c") as controller, linked(tmp_path / "c") as bench:
        attempt = await bench.attempt()
        await attempt.write(content)
        await attempt.end()
        await bench.pump.finish(KEY)

        stored = await controller.log_complete("job")

        assert stored.streams["stdout"] == content
        assert await bench.events.get() == LogAcked(key=KEY)


async def test_a_cut_log_link_comes_back_and_loses_nothing(tmp_path: Path) -> None:
    async with scripted_controller(tmp_path / "c") as controller, linked(tmp_path / "c") as bench:
        attempt = await bench.attempt()
        await attempt.write(b"one")
        await controller.until(lambda: ("job", 1) in controller.logs)
        await controller.cut_logs()
        await attempt.write(b"two")
        await attempt.end()
        await bench.pump.finish(KEY)

        stored = await controller.log_complete("job")

        assert stored.streams["stdout"] == b"onetwo"


class PumpOfABrokenLine(LogPump):
    """Has nothing to say, and finds its line broken just when it is called off."""

    async def next_messages(self) -> list[AnyLogFromAgent]:
        try:
            return await super().next_messages()
        finally:
            raise ConnectionResetError


async def test_a_link_that_breaks_while_it_is_called_off_ends_all_the_same(tmp_path: Path) -> None:
    async with (
        scripted_controller(tmp_path / "c") as controller,
        Dial(Address(socket=tmp_path / "c")) as dial,
        asyncio.TaskGroup() as group,
    ):
        pump = PumpOfABrokenLine(FakeRuntime(lambda: 0.0), group, lambda event: None)
        rng = random.Random(1)
        link = LogLink(dial, pump, "node", backoff=lambda: Backoff(longest_s=0.01, rng=rng))
        following = group.create_task(link.follow("session"))
        await controller.until(lambda: controller.log_messages > 0)

        following.cancel()

        await asyncio.wait({following}, timeout=5)
        assert following.cancelled()
