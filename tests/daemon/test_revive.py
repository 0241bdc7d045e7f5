import asyncio
from contextlib import suppress
from math import log
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from eaas.errors import Conflict, NeverFits, NotFound
from eaas.ids import NodeName, PoolName, UserName
from eaas.lifecycle import JobState
from eaas.wire.rest import SetPool
from eaas_daemon.core import events as e
from eaas_daemon.core.archive import NoArchive
from eaas_daemon.core.changes import Changes
from eaas_daemon.core.model import UseSoFar
from eaas_daemon.core.state import State
from eaas_daemon.core.usage import standing
from eaas_daemon.revive import revive
from eaas_daemon.store.database import Database
from tests.rig.builders import ADMIN, ALICE, BOB, House, a_card, a_hello, an_inventory
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


DAY = 86400.0
deeds = st.lists(
    st.one_of(
        st.tuples(st.just("pass"), st.sampled_from([60.0, 3600.0, DAY])),
        st.tuples(st.just("submit"), st.sampled_from([(ALICE, "a"), (BOB, "a"), (BOB, "b")])),
        st.tuples(st.just("end"), st.sampled_from([0, 1])),
        st.tuples(st.just("halve"), st.sampled_from([3600.0, DAY, 5 * DAY])),
        st.tuples(st.just("move"), st.sampled_from(["a", "b"])),
        st.tuples(st.just("delete"), st.sampled_from(["a", "b"])),
        st.tuples(st.just("jump"), st.sampled_from([-400 * DAY, -DAY, 400 * DAY])),
    ),
    min_size=6,
    max_size=25,
)
ran = [("submit", (ALICE, "a")), ("pass", DAY), ("end", 0)]
failed = [("submit", (ALICE, "a")), ("pass", DAY), ("end", 1)]


def happen(house: StoredHouse, deed: str, how: Any) -> None:
    """Let one of these things happen, if it can."""
    jobs = [job for job in house.state.jobs.values() if job.live_attempt]
    waiting = [job for job in house.state.jobs.values() if job.state is JobState.PENDING]
    with suppress(Conflict, NotFound):
        if deed == "submit":
            caller, pool = how
            restart = {"policy": "on-failure", "retries": 9, "backoff": "30s"}
            house.submit(caller, gpus=1, pool=pool, restart=restart)
        elif deed == "end" and jobs:
            house.ended(house.running(jobs[0]), exit_code=how)
        elif deed == "halve":
            settings = SetPool(half_life_s=how)
            house.do(e.ChangePool(caller=ADMIN, name="a", settings=settings))
        elif deed == "move" and waiting:
            number, pool = waiting[-1].number, PoolName(how)
            house.do(e.Move(caller=ADMIN, number=number, pool=pool, queue="default"))
        elif deed == "delete":
            house.do(e.DeletePool(caller=ADMIN, name=how))
            house.pool(how, "n1")
    if deed == "pass":
        house.now += how
    elif deed == "jump":
        house.do(e.Tick())
        house.now = max(1000.0, house.now + how)
    cards = [a_card(0), a_card(1)]
    house.beat("n1", *cards)
    house.do(e.Tick())


@settings(max_examples=100, deadline=None)
@given(deeds=deeds)
@example(deeds=[*ran, ("halve", 3600.0), ("pass", 3600.0)])
@example(deeds=[*failed, ("move", "b"), ("pass", 3600.0)])
@example(deeds=[*ran, ("delete", "a"), ("pass", 3600.0)])
@example(deeds=[("halve", 3600.0), *ran, ("delete", "a"), ("pass", DAY)])
@example(deeds=[*ran, ("jump", 400 * DAY), *ran, ("jump", -400 * DAY), ("pass", DAY)])
@example(deeds=[("jump", 400 * DAY), *ran, ("jump", -400 * DAY), *ran, ("pass", DAY)])
def test_whatever_has_happened_a_restart_gives_everybody_the_same_use(
    deeds: list[tuple[str, Any]],
) -> None:
    house = StoredHouse()
    house.node("n1", a_card(0), a_card(1))
    for pool in ("a", "b"):
        house.pool(pool, "n1")
    house.do(e.Tick())
    for deed, how in deeds:
        happen(house, deed, how)

    with TemporaryDirectory(prefix="eaas-use-") as folder:
        state = asyncio.run(restarted(house, Path(folder)))

    for now in (house.now, house.now + DAY):
        again, before = (use(each, now) for each in (state, house.state))
        assert again == pytest.approx(before, rel=1e-3, abs=200.0)


async def test_a_clock_that_was_set_right_while_the_controller_was_down_decides_from_then_on(
    house: StoredHouse, tmp_path: Path
) -> None:
    house.now += 400 * DAY
    house.do(e.ChangePool(caller=ADMIN, name="default", settings=SetPool(half_life_s=3600.0)))
    house.running(house.submit(gpus=1))
    house.now += 60
    house.ended(house.job(1))
    house.submit(BOB, gpus=1)
    await restarted(house, tmp_path)
    house.now -= 399 * DAY
    async with Database(tmp_path / "controller.db", clock=lambda: house.now) as database:
        house.state = revive(await database.load(), NoArchive())
    house.do(e.Tick())
    before = use(house.state, house.now)

    house.now += 3600

    after = use(house.state, house.now)
    pool = PoolName("default")
    assert before[pool, ALICE.user] == 0
    assert after[pool, BOB.user] == pytest.approx(1800 / log(2), rel=0.01)
    assert (house.state.pools[pool].used or UseSoFar(as_of=0)).as_of == house.now - 3600


def use(state: State, now: float) -> dict[Any, float]:
    """Return what everybody has had, in card-seconds that count; nothing is nought."""
    halves = {name: pool.half_life_s for name, pool in state.pools.items()}
    everybody = {(pool, UserName(user)): 0.0 for pool in halves for user in ("alice", "bob")}
    known = {key: used.at(now, halves[key[0]]) for key, used in state.usage.items()}
    return {**everybody, **known}


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
