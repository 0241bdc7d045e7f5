import asyncio
import random
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from msgspec.structs import replace

from eaas.ids import JobUid
from eaas.lives import Obeyed
from eaas.wire.from_agent import AttemptEnded
from eaas.wire.to_agent import Stop, Wanted
from eaas_agent import engine
from eaas_agent.app import Given, serve
from eaas_agent.engine import Inbox, node_from
from eaas_agent.ledger import Ledger, LedgerFull, Recovered
from eaas_agent.machine import Machine
from eaas_agent.model import Attempt, Began, Exited, Removed
from eaas_agent.runtime_choice import Makers
from eaas_agent.runtimes.fake import FakeRuntime
from eaas_agent.runtimes.port import AttemptKey, Exit, Phase, Started, StartFailed
from tests.rig.agents import a_config, an_order
from tests.rig.scripted_controller import ScriptedController, scripted_controller

MACHINE = Machine(boot_id="this-boot", booted_at=1000.0, cpus=2.0, memory_mib=4096)


class World:
    """A state folder, a socket and a runtime that outlive the agents of a test."""

    def __init__(self, tmp_path: Path, controller: ScriptedController) -> None:
        self.controller = controller
        self.runtime = FakeRuntime(lambda: 1500.0)
        self.machine = MACHINE
        self._state = tmp_path / "state"
        self._socket = tmp_path / "c.sock"

    @asynccontextmanager
    async def agent(self) -> AsyncIterator[None]:
        """Run an agent on this world while the block runs."""
        given = Given(
            environ={},
            machine=lambda: self.machine,
            clock=lambda: 1500.0,
            rng=random.Random(1),
            runtimes=lambda *_: Makers(lambda: self.runtime, lambda: self.runtime),
        )
        greeted = len(self.controller.hellos)
        task = asyncio.create_task(serve(a_config(self._state, self._socket), given))
        try:
            await self.controller.until(lambda: len(self.controller.hellos) > greeted)
            yield
        finally:
            task.cancel()
            await asyncio.wait({task})


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[World]:
    async with scripted_controller(tmp_path / "c.sock") as controller:
        yield World(tmp_path, controller)


async def test_events_posted_together_are_taken_together() -> None:
    inbox, attempt = Inbox(), Attempt(order=an_order(), state="ended", boot_id="b")
    taking = asyncio.create_task(inbox.take())
    await asyncio.sleep(0)
    inbox.post(Removed(key=attempt.key))
    inbox.post(Removed(key=attempt.key))

    assert len(await taking) == 2


async def test_a_start_waits_a_moment_for_its_end() -> None:
    inbox, attempt = Inbox(), Attempt(order=an_order(), state="accepted", boot_id="b")
    began = Began(key=attempt.key, started=Started(handle="h", started_at=1500.0))
    exited = Exited(key=attempt.key, exit=Exit(exit_code=0, finished_at=1500.0))
    taking = asyncio.create_task(inbox.take())
    inbox.post(began)
    await asyncio.sleep(0)
    inbox.post(exited)

    assert await taking == [began, exited]


async def test_a_start_alone_waits_no_longer_than_that() -> None:
    inbox, attempt = Inbox(), Attempt(order=an_order(), state="accepted", boot_id="b")
    began = Began(key=attempt.key, started=Started(handle="h", started_at=1500.0))
    inbox.post(began)

    assert await inbox.take() == [began]


def test_a_node_is_what_the_ledger_remembers() -> None:
    attempt = Attempt(order=an_order(), state="running", boot_id="b")
    recovered = Recovered("node", "spool", Obeyed(epoch=3), (attempt,), 17)

    node = node_from(recovered, MACHINE, keep_s=60.0)

    assert list(node.roster) == [attempt]
    assert (node.obeyed.epoch, node.last_seq, node.keep_at_most_s) == (3, 17, 60.0)


async def test_an_order_repeated_in_every_way_starts_once(world: World) -> None:
    order = an_order()
    async with world.agent():
        await world.controller.want(order)
        await world.controller.want(order)
        await world.controller.running(order.uid)
    async with world.agent():
        await world.controller.want(replace(order, known=True))

    assert world.runtime.starts == [next(iter(world.runtime.attempts))]


async def test_an_agent_that_died_before_the_start_starts_it_later(world: World) -> None:
    order = an_order()
    world.runtime.holds_starts = asyncio.Event()
    world.runtime.phases = (Phase(name="pulling"),)
    async with world.agent():
        await world.controller.want(order)
        await world.controller.until(
            lambda: any(type(said).__name__ == "Progress" for said in world.controller.heard)
        )
    world.runtime.holds_starts = None

    async with world.agent():
        await world.controller.running(order.uid)

    assert len(world.runtime.starts) == 1
    assert world.controller.hellos[-1].held[0].uid == order.uid


async def test_a_reboot_ends_what_was_there_as_lost(world: World) -> None:
    order = an_order()
    async with world.agent():
        await world.controller.want(order)
        await world.controller.running(order.uid)
    world.runtime.attempts.clear()
    world.machine = replace(MACHINE, boot_id="next-boot", booted_at=1600.0)

    async with world.agent():
        ended = await world.controller.ended(order.uid)

    assert (ended.cause, ended.fault) == ("lost", "node")
    assert "rebooted" in (ended.text or "")


async def test_a_start_in_its_pull_is_stopped_at_once(world: World) -> None:
    order, stop = an_order(), Stop(grace_s=30.0, why="cancelled")
    world.runtime.holds_starts = asyncio.Event()
    async with world.agent():
        await world.controller.want(order)
        await world.controller.want(replace(order, stop=stop))

        ended = await world.controller.ended(order.uid)

    assert ended.cause == "never_started"
    assert world.runtime.starts == []


async def test_a_failed_start_is_told_and_let_go(world: World) -> None:
    order = an_order()
    world.runtime.refusal = StartFailed("manifest unknown", code="image_missing", fault="user")
    async with world.agent():
        await world.controller.want(order)
        ended = await world.controller.ended(order.uid)
        dropped = Wanted(full=False, orders=(), dropped=((order.uid, 1),))
        await world.controller.send(dropped)
    async with world.agent():
        pass

    assert (ended.detail, ended.text) == ("image_missing", "manifest unknown")
    assert isinstance(ended, AttemptEnded)


async def test_a_disk_that_is_full_for_a_while_loses_nothing(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engine, "WRITE_AGAIN_S", 0.01)
    commit, refused = Ledger.commit, iter([True] * 3)

    async def commit_at_last(self: Ledger, changes: object) -> None:
        if next(refused, False):
            raise LedgerFull("no room")
        await commit(self, changes)  # type: ignore[arg-type]

    order = an_order()
    async with world.agent():
        monkeypatch.setattr(Ledger, "commit", commit_at_last)
        await world.controller.want(order)

        await world.controller.running(order.uid)


async def test_what_waits_for_the_engine_counts_until_it_is_dealt_with() -> None:
    inbox = Inbox()
    idle = inbox.progress.idle_s()

    inbox.post(Removed(key=AttemptKey(JobUid("u"), 1)))
    waiting = inbox.progress.idle_s()
    await inbox.take()
    under_way = inbox.progress.idle_s()
    inbox.done()

    assert idle == 0.0
    assert 0.0 < waiting < under_way
    assert inbox.progress.idle_s() == 0.0
