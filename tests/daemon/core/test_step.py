from typing import get_type_hints

import pytest

from eaas.errors import NotFound
from eaas.ids import JobNumber, NodeName, PoolName
from eaas.job_spec import JobSpec, read_spec
from eaas.lifecycle import JobState
from eaas_daemon.core import events as e
from eaas_daemon.core.model import Job
from eaas_daemon.core.step import HANDLERS, step
from tests.daemon.core.test_on_jobs import a_submit
from tests.rig.builders import ADMIN, ALICE, BOB, House, a_card
from tests.rig.costs import costing


def a_house(nodes: int = 1, cards: int = 1) -> House:
    house = House()
    names = [f"n{i}" for i in range(nodes)]
    for name in names:
        house.node(name, *(a_card(i, node=name) for i in range(cards)))
    house.pool("default", *names)
    return house


def test_every_event_has_a_handler() -> None:
    kinds = {
        kind
        for kind in vars(e).values()
        if isinstance(kind, type) and issubclass(kind, e.Event) and kind not in (e.Event, e.Asked)
    }

    assert kinds == set(HANDLERS)
    for kind in kinds:
        assert get_type_hints(kind) is not None


def test_answers_come_in_the_order_of_the_events_and_show_what_the_plan_made_of_them() -> None:
    house = a_house()

    refused, jobs, pool = step(
        house.state,
        [
            e.Cancel(caller=ALICE, number=JobNumber(9)),
            a_submit("k", b"1"),
            e.CreatePool(caller=ADMIN, name="lab"),
        ],
        house.now,
    )

    assert isinstance(refused, NotFound)
    assert [job.state for job in jobs] == [JobState.STARTING]
    assert pool == house.state.pools[PoolName("lab")]


def test_a_step_after_which_nobody_could_be_placed_leaves_the_order_of_the_line_alone() -> None:
    house = a_house()
    house.running(house.submit(gpus=1))
    house.submit(gpus=1)
    before = house.state.standing
    house.now += 300  # nobody has waited for long enough to be kept cards yet

    house.do(e.Tick())
    assert house.state.standing is before
    house.submit(BOB, gpus=1)
    assert house.state.standing != before


def test_several_events_of_one_job_are_taken_in_order() -> None:
    house = a_house()

    jobs, job = step(
        house.state,
        [a_submit("k", b"1"), e.Cancel(caller=ALICE, number=JobNumber(1))],
        house.now,
    )

    assert isinstance(job, Job)
    assert jobs == (job,)
    assert (job.state, job.attempts) == (JobState.CANCELLED, ())


def different_specs(count: int) -> tuple[JobSpec, ...]:
    return tuple(
        read_spec({"image": "busybox", "gpus": 1, "memory": f"{6 + i}MiB"}) for i in range(count)
    )


def seconds_of(house: House, event: e.Event) -> float:
    with costing() as cost:
        house.do(event)
    return cost.s


@pytest.fixture(scope="module")
def crowded() -> House:
    """A full house in front of which 10,000 jobs wait, each asking for something else."""
    house = a_house(nodes=8, cards=2)
    house.do(e.Submit(caller=ALICE, specs=different_specs(10_000)))
    return house


def test_a_step_stays_short_when_10_000_kinds_of_jobs_wait(crowded: House) -> None:
    one_more = seconds_of(crowded, a_submit("one more", b"1"))
    readings = seconds_of(crowded, e.Tick())
    everything = seconds_of(crowded, e.SetDraining(caller=ADMIN, node="n0", draining=False))

    assert one_more < 0.1
    assert readings < 0.1
    assert everything < 0.5


def test_a_freed_card_finds_its_next_job_among_10_000_kinds_in_time(crowded: House) -> None:
    node = NodeName("n0")
    first = next(iter(crowded.state.placed[node].values()))
    crowded.ended(crowded.running(first))
    crowded.now += 2

    with costing() as cost:
        crowded.beat(node, *(a_card(i, node=node) for i in range(2)))

    assert cost.s < 0.5
    assert [job.state for job in crowded.changes.jobs] == [JobState.STARTING]
