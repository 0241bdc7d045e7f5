import asyncio
import random
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path

import pytest

from eaas.client.address import Address
from eaas.wire.from_agent import AttemptStopping, Beat, Facts, Hello, Spooled
from eaas.wire.to_agent import CleanCard, Refused, SendFiles, Wanted
from eaas_agent import link
from eaas_agent.clocks import Clocks
from eaas_agent.dial import Backoff, Dial
from eaas_agent.link import Ears, Link
from eaas_agent.model import Acked, Event, WantedCame, Welcomed
from eaas_agent.outbox import Outbox
from eaas_agent.spool import Spool
from tests.rig.agents import a_hello, an_order
from tests.rig.scripted_controller import ScriptedController, scripted_controller


class Bench:
    """A link with nothing behind it but lists."""

    def __init__(self) -> None:
        self.events: asyncio.Queue[Event] = asyncio.Queue()
        self.wishes: asyncio.Queue[SendFiles] = asyncio.Queue()
        self.vouched: asyncio.Queue[str] = asyncio.Queue()
        self.sessions: list[str] = []
        self.stored: list[Spooled] = []
        self.outbox = Outbox(
            Spool("spool", last_seq=0, lookup=lambda after, limit: tuple(self.stored[after:])),
            monotonic=lambda: 0.0,
        )

    async def follow_logs(self, session: str) -> None:
        self.sessions.append(session)
        await asyncio.Event().wait()

    async def next(self) -> Event:
        async with asyncio.timeout(5):
            return await self.events.get()

    def commit(self, seq: int) -> None:
        fact = AttemptStopping(uid="job", attempt=1, at=0.0)
        self.stored.append(Spooled(seq, fact))
        self.outbox.spool.committed(self.stored[-1:])
        self.outbox.wake()


def hello() -> Hello:
    return a_hello()


def linked(socket: Path, said: Hello | None = None) -> AbstractAsyncContextManager[Bench]:
    return linked_to(Address(socket=socket), said)


@asynccontextmanager
async def linked_to(address: Address, said: Hello | None = None) -> AsyncIterator[Bench]:
    bench, rng = Bench(), random.Random(1)
    async with Dial(address) as dial:
        running = Link(
            dial,
            bench.outbox,
            Ears(
                post=bench.events.put_nowait,
                send_files=bench.wishes.put_nowait,
                vouched=bench.vouched.put_nowait,
                follow_logs=bench.follow_logs,
            ),
            hello=lambda: hello() if said is None else said,
            beat=lambda lag_s: Beat(memory_used_mib=1, loop_lag_s=lag_s, cards=(), sampled_at=None),
            clocks=Clocks(lambda: 1000.0, lambda: 0.0),
            backoff=Backoff(longest_s=0.01, rng=rng),
            rng=rng,
        )
        task = asyncio.create_task(running.run())
        try:
            yield bench
        finally:
            task.cancel()
            await asyncio.wait({task})


@pytest.fixture
async def controller(tmp_path: Path) -> AsyncIterator[ScriptedController]:
    async with scripted_controller(tmp_path / "c.sock") as controller:
        yield controller


async def test_a_greeting_is_answered_with_what_is_wanted(
    controller: ScriptedController, tmp_path: Path
) -> None:
    order = an_order()
    controller.orders[order.uid, 1] = order

    async with linked(tmp_path / "c.sock") as bench:
        assert await bench.next() == Welcomed(epoch=1, acked_seq=0)
        assert await bench.next() == WantedCame(wanted=Wanted(full=True, orders=(order,)), epoch=1)
    assert controller.hellos == [hello()]


async def test_facts_are_sent_and_their_acknowledgement_is_heard(
    controller: ScriptedController, tmp_path: Path
) -> None:
    async with linked(tmp_path / "c.sock") as bench:
        await bench.next()
        await bench.next()
        bench.commit(1)

        assert await bench.next() == Acked(seq=1)


async def test_facts_are_sent_again_after_a_cut(
    controller: ScriptedController, tmp_path: Path
) -> None:
    controller.acks = False
    async with linked(tmp_path / "c.sock") as bench:
        await bench.next()
        bench.commit(1)
        await controller.until(lambda: _facts_heard(controller) == 1)

        await controller.cut()
        await controller.until(lambda: _facts_heard(controller) == 2)

        assert len(set(bench.sessions)) == 2


async def test_beats_come_at_once_and_go_on(
    controller: ScriptedController, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(link, "BEAT_EVERY_S", 0.01)
    async with linked(tmp_path / "c.sock"):
        await controller.until(
            lambda: sum(isinstance(said, Beat) for said in controller.heard) >= 3
        )


async def test_a_wish_for_files_is_handed_on(
    controller: ScriptedController, tmp_path: Path
) -> None:
    wish = SendFiles(request="r", uid="job", path="out")
    async with linked(tmp_path / "c.sock") as bench:
        await bench.next()
        await controller.send(wish)

        assert await bench.wishes.get() == wish


async def test_a_persons_word_for_a_card_is_handed_on(
    controller: ScriptedController, tmp_path: Path
) -> None:
    async with linked(tmp_path / "c.sock") as bench:
        await bench.next()
        await controller.send(CleanCard(uuid="GPU-a"))

        assert await bench.vouched.get() == "GPU-a"


async def test_a_refused_agent_tries_again_later(
    controller: ScriptedController, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(link, "REFUSED_RETRY_S", 0.02)
    controller.refusal = Refused(code="twin", text="there is another one of you")
    async with linked(tmp_path / "c.sock") as bench:
        await controller.until(lambda: len(controller.hellos) >= 2)
        assert bench.events.empty()
        controller.refusal = None

        assert await bench.next() == Welcomed(epoch=1, acked_seq=0)


async def test_an_older_copy_of_the_controller_is_left_at_once_and_nothing_it_wants_is_heard(
    controller: ScriptedController,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    monkeypatch.setattr(link, "REFUSED_RETRY_S", 0.02)
    controller.life, controller.past_seq = "copy-00000001", 3
    obeyed = a_hello(epoch=1, life="right-00000002", life_seq=4)
    async with linked(tmp_path / "c.sock", obeyed) as bench:
        await controller.until(lambda: len(controller.closed_with) >= 2)
        assert bench.events.empty()
        assert bench.sessions == []
        controller.life, controller.past_seq = "next-00000003", 4

        assert isinstance(await bench.next(), Welcomed)

    assert set(controller.closed_with[:2]) == {link.CLOSE_OLDER_COPY}
    (said,) = [line for line in caplog.messages if "older copy" in line]
    assert "life 00000002 (epoch 1, up to change 4)" in said
    assert "life 00000001 (epoch 1) and knows that only up to change 3" in said


async def test_a_controller_that_is_away_is_waited_for(tmp_path: Path) -> None:
    async with linked(tmp_path / "c.sock") as bench:
        await asyncio.sleep(0.05)  # some tries fail
        async with scripted_controller(tmp_path / "c.sock"):
            assert isinstance(await bench.next(), Welcomed)


async def test_an_agent_that_ends_says_goodbye(
    controller: ScriptedController, tmp_path: Path
) -> None:
    async with linked(tmp_path / "c.sock") as bench:
        await bench.next()

    await controller.until(lambda: controller.closed_with == [1001])


async def test_a_beat_says_how_far_the_nodes_clock_is_ahead(
    controller: ScriptedController, tmp_path: Path
) -> None:
    async with linked(tmp_path / "c.sock"):
        await controller.until(lambda: any(isinstance(said, Beat) for said in controller.heard))

    beat = next(said for said in controller.heard if isinstance(said, Beat))
    assert beat.clock_ahead_s == 1000.0  # the controller's clock stands at 0


async def test_a_controller_with_its_hands_full_is_left_alone_for_as_long_as_it_asks(
    controller: ScriptedController, tmp_path: Path
) -> None:
    controller.busy_s = [0.2, 0.2]
    began = asyncio.get_running_loop().time()
    async with linked(tmp_path / "c.sock") as bench:
        assert isinstance(await bench.next(), Welcomed)

    assert asyncio.get_running_loop().time() - began >= 0.4


def _facts_heard(controller: ScriptedController) -> int:
    return sum(isinstance(said, Facts) for said in controller.heard)
