"""What a plan costs on one core: with all cards free, with none, and for one job more."""

import time
from collections.abc import Callable, Sequence
from itertools import cycle, islice
from random import Random
from typing import Final, TypeVar

from msgspec.structs import replace

from bench.figures import Figure, Section
from bench.simulate.agents import Agent
from bench.simulate.workload import PoolSize
from eaas.ids import PoolName, UserName
from eaas.job_spec import JobSpec, read_spec
from eaas.wire.rest import SetQueue
from eaas_daemon.core import events as e
from eaas_daemon.core.archive import NoArchive
from eaas_daemon.core.plan import plan
from eaas_daemon.core.state import State
from eaas_daemon.core.step import step

T = TypeVar("T")

POOL: Final = PoolSize(nodes=200, cards=8)
WAITING: Final = 10_000
GROWTH: Final = (1_000, 10_000, 100_000)
ADMIN: Final = e.Caller(user=UserName("root"), role="admin")
USERS: Final = tuple(e.Caller(user=UserName(f"user{number}")) for number in range(20))
NOW: Final = 1_000_000.0
SEED: Final = 1
LAB: Final = PoolName("lab")


async def measure(rounds: int, quick: bool) -> Section:
    """Plan for many waiting jobs; CPU milliseconds of this thread, the pure core alone."""
    growth = GROWTH[:2] if quick else GROWTH
    spent = {waiting: [_planned(waiting) for _ in range(rounds)] for waiting in growth}
    figures = [
        Figure(
            name="all cards are free, 10,000 wait",
            values=tuple(each[0] for each in spent[WAITING]),
            unit="ms",
            target="100",
        ),
        Figure(
            name="no card is free, 10,000 wait",
            values=tuple(each[1] for each in spent[WAITING]),
            unit="ms",
            target="100",
        ),
        Figure(
            name="one job comes to 10,000",
            values=tuple(each[2] for each in spent[WAITING]),
            unit="ms",
            target="5",
        ),
    ]
    figures += [
        Figure(
            name=f"no card is free, {waiting:,} wait",
            values=tuple(each[1] for each in spent[waiting]),
            unit="ms",
        )
        for waiting in growth
        if waiting != WAITING
    ]
    title = f"A plan for {POOL.nodes} nodes with {POOL.cards} cards each"
    notes = (
        f"jobs of {len(USERS)} users: 0 to 8 cards, 1 to 4 CPUs, three timeouts; seed {SEED}",
        "one job more: the whole step, with its acceptance and the order of the line",
    )
    return Section(title=title, figures=tuple(figures), notes=notes)


def _planned(waiting: int) -> tuple[float, float, float]:
    """Return what a plan takes while all cards are free, while none is, and a step with one job."""
    state = _full_line(waiting)
    free_ms, made = _timed(lambda: plan(state, NOW))
    assert made.placements
    step(state, (_open(paused=False),), NOW)
    state.settle()
    state.restless.add(LAB)
    full_ms, made = _timed(lambda: plan(state, NOW))
    state.restless.clear()
    state.arrived.clear()
    one = e.Submit(caller=USERS[0], specs=(read_spec({"image": "x", "gpus": 1}),))
    more_ms, _ = _timed(lambda: step(state, (one,), NOW))
    return free_ms, full_ms, more_ms


def _full_line(waiting: int) -> State:
    """Return a pool in which so many jobs wait and nothing has been planned."""
    state = State(NoArchive(), epoch=1, next_number=1, seq=0)
    step(state, [Agent(number, POOL).hello() for number in range(POOL.nodes)], NOW)
    nodes = list(state.nodes)
    step(state, (e.CreatePool(caller=ADMIN, name=LAB),), NOW)
    joins = [e.AddToPool(caller=ADMIN, pool=LAB, node=node, cards=None) for node in nodes]
    step(state, [*joins, _open(paused=True)], NOW)
    specs = _wishes(waiting)
    for number, caller in enumerate(USERS):
        mine = tuple(specs[number :: len(USERS)])
        step(state, (e.Submit(caller=caller, specs=mine),), NOW)
        state.settle()
    ref = f"{LAB}/default"
    state.queues[ref] = replace(state.queues[ref], paused=False)
    state.restless.add(LAB)
    return state


def _open(*, paused: bool) -> e.ChangeQueue:
    settings = SetQueue(paused=paused)
    return e.ChangeQueue(caller=ADMIN, pool=LAB, name="default", settings=settings)


def kinds() -> Sequence[JobSpec]:
    """Return what people ask for here: some hundred kinds of jobs."""
    random = Random(SEED)
    return [
        read_spec(
            {
                "image": "x",
                "gpus": random.choice([0, 1, 1, 1, 1, 2, 4, 8]),
                "cpus": random.choice([1, 2, 4]),
                "timeout": random.choice(["1h", "2h", "8h"]),
            }
        )
        for _ in range(997)
    ]


def _wishes(count: int) -> Sequence[JobSpec]:
    return list(islice(cycle(kinds()), count))


def _timed(work: Callable[[], T]) -> tuple[float, T]:
    begun = time.thread_time()
    made = work()
    return (time.thread_time() - begun) * 1000, made
