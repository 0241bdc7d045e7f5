"""A controller out of a backup meets ranks of jobs on several nodes, one node after the other."""

import pytest

from eaas.ids import NodeName
from eaas.lifecycle import JobState
from eaas.wire.from_agent import Unlisted
from eaas.wire.rest import SetQueue
from eaas.wire.to_agent import Order, Rank
from eaas_daemon.core import events as e
from eaas_daemon.core.explain import Explainer
from eaas_daemon.core.invariants import broken
from eaas_daemon.core.orders import order_for
from tests.rig.agents import an_order
from tests.rig.builders import ADMIN, House

RESUMED = SetQueue(paused=False)
PENDING, RUNNING = JobState.PENDING, JobState.RUNNING


@pytest.fixture
def house() -> House:
    house = House()
    house.nodes("n1", "n2")
    house.queue("default", paused=True)
    return house


def holds(house: House, node: str, order: Order) -> None:
    """Let the node's agent tell of an attempt that runs there."""
    said = Unlisted(order=order, state="running", started_at=house.now, handle="c1")
    house.do(e.AgentHolds(node=NodeName(node), session=f"s-{node}", unlisted=said))


def an_alien(rank: int) -> Order:
    told = Rank(rank=rank, ranks=2, address="10.0.0.7", port=29557, whole=57)
    about = {"user": "alice", "queue": "default/default", "image": "busybox", "rank": told}
    return an_order("train", number=57 + rank, uid=f"u{rank}", **about)


def later_order(house: House, number: int) -> Order:
    """Return the order of an attempt that the job began after the backup."""
    job = house.job(number)
    told = Rank(rank=number - 1, ranks=2, address="10.0.0.7", port=29557, whole=1)
    return an_order(number=number, uid=job.uid, user="alice", queue=job.ref, rank=told)


def test_ranks_nobody_knows_any_more_are_one_job_again(house: House) -> None:
    house.state.next_number = 10_001

    holds(house, "n1", an_alien(0))
    assert [house.job(57).called, house.job(57).spec.num_nodes] == ["57[0]", 2]
    holds(house, "n2", an_alien(1))

    first, second = house.job(57), house.job(58)
    assert (first.state, second.state, second.called) == (RUNNING, RUNNING, "57[1]")
    assert order_for(second, 1).rank == an_alien(1).rank
    assert broken(house.state) == []
    house.ended(first, 1)
    assert house.job(58).state is JobState.STOPPING


def test_ranks_that_wait_in_the_backup_wait_for_those_that_were_found(house: House) -> None:
    job = house.submit(num_nodes=2)
    own = [later_order(house, number) for number in (1, 2)]

    holds(house, "n1", own[0])

    first, second = house.ranks(job)
    assert (first.state, second.state, second.scattered) == (RUNNING, PENDING, True)
    house.do(e.ChangeQueue(caller=ADMIN, pool="default", name="default", settings=RESUMED))
    assert house.job(2).state is PENDING
    assert Explainer(house.state, house.now).why(second).text == (
        "job 1 waits: all ranks are placed together, and rank 0 is Running on n1"
    )
    assert broken(house.state) == []
    holds(house, "n2", own[1])
    assert [one.state for one in house.ranks(job)] == [RUNNING, RUNNING]


def test_a_rank_that_was_found_alone_and_fails_lets_all_begin_anew(house: House) -> None:
    job = house.submit(num_nodes=2, restart={"retries": 1, "backoff": "0s"})
    holds(house, "n1", later_order(house, 1))
    house.do(e.ChangeQueue(caller=ADMIN, pool="default", name="default", settings=RESUMED))

    house.ended(house.job(1), 1)

    assert [one.state for one in house.ranks(job)] == [JobState.STARTING] * 2
    assert broken(house.state) == []
