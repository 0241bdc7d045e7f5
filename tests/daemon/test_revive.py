from pathlib import Path
from typing import Any

import pytest

from eaas.errors import NeverFits
from eaas.ids import NodeName
from eaas.lifecycle import JobState
from eaas_daemon.core import events as e
from eaas_daemon.core.archive import NoArchive
from eaas_daemon.core.changes import Changes
from eaas_daemon.core.state import State
from eaas_daemon.core.usage import standing
from eaas_daemon.revive import revive
from eaas_daemon.store.database import Database
from tests.rig.builders import BOB, House, a_card, a_hello, an_inventory
from tests.rig.snapshot import durable


class StoredHouse(House):
    """A house that remembers every step, to be stored later."""

    def __init__(self) -> None:
        super().__init__()
        self.all_changes: list[tuple[Changes, float]] = []

    def do(self, *events: e.Event) -> Any:
        try:
            return super().do(*events)
        finally:
            self.all_changes.append((self.changes, self.now))


async def restarted(house: StoredHouse, folder: Path) -> State:
    moments: list[float] = [0.0]
    async with Database(folder / "controller.db", clock=lambda: moments[-1]) as database:
        for changes, at in house.all_changes:
            moments.append(at)
            if not changes.empty:
                await database.commit(changes)
        return revive(await database.load(), NoArchive())


@pytest.fixture
def house() -> StoredHouse:
    house = StoredHouse()
    house.node("n1", a_card(0), a_card(1))
    house.pool("default", "n1")
    return house


async def test_a_restart_gives_back_all_that_matters(house: StoredHouse, tmp_path: Path) -> None:
    house.queue("night", priority=3, allow=["alice"])
    house.running(house.submit(gpus=1))
    house.ended(house.running(house.submit(restart="on-failure")), exit_code=1)
    house.submit(gpus=2)

    state = await restarted(house, tmp_path)

    assert durable(state) == durable(house.state)


async def test_a_restart_gives_back_what_everybody_has_used(
    house: StoredHouse, tmp_path: Path
) -> None:
    short, long = house.running(house.submit(gpus=1)), house.submit(BOB, gpus=1)
    house.now += 3600
    house.ended(short)
    house.running(long)
    house.now += 600
    house.do(e.Tick())

    state = await restarted(house, tmp_path)

    pools = house.state.pools
    for now in (house.now, house.now + 86400):
        assert standing(state.usage, pools, now) == standing(house.state.usage, pools, now)


async def test_nobody_is_connected_and_nothing_is_placed_before_a_node_is_back(
    house: StoredHouse, tmp_path: Path
) -> None:
    house.queue("default", paused=True)
    house.submit(gpus=1)
    house.queue("default", paused=False)
    first = house.job(1)

    house.state = await restarted(house, tmp_path)
    house.do(e.Tick())

    assert house.state.nodes[NodeName("n1")].session is None
    assert first.state is JobState.STARTING
    assert house.submit(gpus=1).state is JobState.PENDING

    hello = a_hello("n1", an_inventory(a_card(0), a_card(1)))
    house.do(e.AgentSaidHello(session="s-n1", address=None, hello=hello))

    assert house.job(2).state is JobState.STARTING


async def test_what_the_nodes_have_is_known_before_they_are_back(
    house: StoredHouse, tmp_path: Path
) -> None:
    house.state = await restarted(house, tmp_path)

    assert house.submit(gpus=2).state is JobState.PENDING
    with pytest.raises(NeverFits):
        house.submit(gpus=3)


async def test_a_restart_still_knows_how_long_jobs_usually_run(
    house: StoredHouse, tmp_path: Path
) -> None:
    for seconds in (30, 10, 20):
        job = house.running(house.submit())
        house.now += seconds
        house.ended(job)
    house.ended(house.running(house.submit()), exit_code=1)

    state = await restarted(house, tmp_path)

    assert state.runs == house.state.runs
    assert list(state.runs.values()) == [(30, 10, 20)]
