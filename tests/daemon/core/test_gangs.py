"""A job on several nodes as people meet it: placed whole, steered whole."""

import pytest
from msgspec.structs import replace

from eaas import reasons as r
from eaas.errors import Conflict, Invalid, NeverFits
from eaas.ids import JobNumber
from eaas.lifecycle import JobState
from eaas.wire.from_agent import TOO_OLD_FOR_RANKS
from eaas_daemon.core import events as e
from eaas_daemon.core.explain import Explainer
from eaas_daemon.core.gangs import as_ranks, first_rank, ranks_left, ranks_of
from eaas_daemon.core.orders import order_for
from tests.rig.builders import ADMIN, ALICE, BOB, House

PENDING, STARTING = JobState.PENDING, JobState.STARTING
CANCELLED = JobState.CANCELLED


@pytest.fixture
def house() -> House:
    house = House()
    house.nodes("n1", "n2", "n3", cards=2)
    return house


def states(house: House, *numbers: int) -> list[JobState]:
    return [house.job(number).state for number in numbers]


def test_every_rank_is_a_job_with_a_node_of_its_own(house: House) -> None:
    job = house.submit(gpus=2, num_nodes=3)

    ranks = house.ranks(job)

    assert [rank.called for rank in ranks] == ["1[0]", "1[1]", "1[2]"]
    assert [rank.state for rank in ranks] == [STARTING] * 3
    assert {rank.attempts[-1].node for rank in ranks} == {"n1", "n2", "n3"}
    assert [len(rank.attempts[-1].cards) for rank in ranks] == [2, 2, 2]


def test_all_ranks_are_told_where_the_first_one_is(house: House) -> None:
    job = house.submit(gpus=1, num_nodes=2)

    orders = [order_for(rank, 1).rank for rank in house.ranks(job)]

    first, second = orders
    assert first is not None
    assert second is not None
    assert (first.rank, second.rank, first.ranks, first.whole) == (0, 1, 2, job.number)
    assert (first.address, first.port) == (second.address, second.port) == ("127.0.0.1", 29501)


def test_none_is_placed_while_there_is_no_room_for_all(house: House) -> None:
    house.submit(gpus=1, nodes=["n1"])
    job = house.submit(gpus=2, num_nodes=3)

    assert states(house, 2, 3, 4) == [PENDING] * 3
    assert house.submit(gpus=2).state is STARTING
    assert ranks_of(house.state, job) == house.ranks(job)


def test_only_the_first_rank_stands_in_line(house: House) -> None:
    house.submit(gpus=2, nodes=["n1"])
    house.submit(gpus=2, num_nodes=3)

    assert [job.in_line for job in (house.job(2), house.job(3))] == [True, False]
    assert first_rank(house.state, house.job(4)) == house.job(2)
    assert house.state.waiting("default/default") == 3


def test_why_is_one_answer_for_all_ranks(house: House) -> None:
    house.submit(gpus=1, nodes=["n1"])
    house.submit(gpus=2, num_nodes=3)

    views = [Explainer(house.state, house.now).why(house.job(number)) for number in (2, 4)]

    assert views[0] == views[1]
    assert views[0].text == (
        "job 2 waits: 2 of the 3 nodes that it needs at once could take it now; "
        "n1 has 1 free card, 2 asked for"
    )
    assert [(reason.code, reason.scope) for reason in views[0].reasons] == [
        ("too_few_nodes", "pool")
    ]


def test_more_nodes_than_could_ever_run_it_are_refused_with_their_number(house: House) -> None:
    with pytest.raises(NeverFits) as refused:
        house.submit(gpus=2, num_nodes=4)

    assert refused.value.sentence == (
        "no 4 nodes of pool default could ever run this: pool default has 3 nodes that could ever "
        "take it, 4 asked for at once"
    )


def test_what_was_forced_in_and_can_never_start_says_what_to_ask_for(house: House) -> None:
    job = house.submit(gpus=2, num_nodes=4, force=True)

    view = Explainer(house.state, house.now).why(job)

    assert (view.verdict, view.advice) == ("never", ("ask for 3 nodes or fewer with num_nodes",))
    assert view.text == (
        "job 1 can never start: pool default has 3 nodes that could ever take it, 4 asked for at "
        "once"
    )


def test_an_older_agent_takes_no_rank() -> None:
    house = House()
    house.nodes("n1", "n2")
    known = house.state.nodes["n2"]  # type: ignore[index]
    old = e.AgentInventory(
        node=known.name,
        session="s-n2",
        inventory=replace(known.inventory, no_ranks=TOO_OLD_FOR_RANKS),
    )
    house.do(old)

    with pytest.raises(NeverFits, match="n2 takes no part in jobs on several nodes: its agent is"):
        house.submit(num_nodes=2)
    assert house.submit(nodes=["n2"]).state is STARTING


def test_caps_count_the_cards_of_all_ranks(house: House) -> None:
    house.queue("default", max_gpus=5)

    with pytest.raises(Invalid, match="gpus, on all nodes together, must be 5 at most"):
        house.submit(gpus=2, num_nodes=3)
    house.submit(gpus=2)
    assert house.submit(gpus=2, num_nodes=2).state is PENDING


def test_caps_on_jobs_count_every_rank(house: House) -> None:
    house.queue("default", max_running=2)

    with pytest.raises(Invalid, match="num_nodes must be 2 at most"):
        house.submit(num_nodes=3)
    house.submit()
    job = house.submit(num_nodes=2)
    assert job.state is PENDING
    assert Explainer(house.state).reason(job) == r.QueueFull(
        queue="default/default", what="jobs", asked=2, used=1, limit=2
    )


def test_who_cancels_one_rank_cancels_all(house: House) -> None:
    job = house.submit(num_nodes=2)
    house.running(job)

    answer = house.do(e.Cancel(caller=ALICE, number=JobNumber(job.number + 1)))

    assert answer.number == job.number + 1
    assert states(house, 1, 2) == [JobState.STOPPING] * 2
    for rank in house.ranks(job):
        house.ended(rank, None, cause="stopped")
    assert states(house, 1, 2) == [CANCELLED] * 2


def test_a_waiting_one_is_cancelled_whole(house: House) -> None:
    house.submit(gpus=2, nodes=["n1"])
    job = house.submit(gpus=2, num_nodes=3)

    house.do(e.Cancel(caller=ALICE, number=job.number))

    assert [rank.state for rank in house.ranks(job)] == [CANCELLED] * 3


def test_nobody_else_may_cancel_a_rank(house: House) -> None:
    job = house.submit(num_nodes=2)

    with pytest.raises(Exception, match="belongs to alice"):
        house.do(e.Cancel(caller=BOB, number=JobNumber(job.number + 1)))
    assert states(house, 1, 2) == [STARTING] * 2


def test_priority_top_and_queue_are_those_of_all(house: House) -> None:
    house.queue("night")
    house.submit(gpus=2, nodes=["n1"])
    job = house.submit(gpus=2, num_nodes=3)

    house.do(e.SetPriority(caller=ADMIN, number=JobNumber(job.number + 2), priority=7))
    house.do(e.Move(caller=ADMIN, number=JobNumber(job.number + 1), pool=job.pool, queue="night"))

    assert [(rank.priority, rank.queue) for rank in house.ranks(job)] == [(7, "night")] * 3


def test_all_are_retried_and_none_before_all_have_ended(house: House) -> None:
    job = house.submit(num_nodes=2)
    for rank in house.ranks(job):
        house.running(rank)
    house.ended(job)
    with pytest.raises(Conflict, match=r"job 1\[1\] is Running; only an ended job can be retried"):
        house.do(e.Retry(caller=ALICE, number=job.number))
    assert states(house, 1, 2) == [JobState.SUCCEEDED, JobState.RUNNING]
    house.ended(house.job(2))

    house.do(e.Retry(caller=ALICE, number=JobNumber(job.number + 1)))

    assert [(rank.state, len(rank.attempts)) for rank in house.ranks(job)] == [(STARTING, 2)] * 2


def test_an_array_is_not_on_several_nodes(house: House) -> None:
    with pytest.raises(Invalid, match="every task of an array runs on one node"):
        house.submit(num_nodes=2, array="0-3")


def test_a_job_that_nobody_has_submitted_has_ranks_too(house: House) -> None:
    job = house.submit(num_nodes=2)

    twins = as_ranks(replace(job, array=None, array_index=None))

    assert [(one.number, one.array, one.array_index) for one in twins] == [(1, 1, 0), (2, 1, 1)]
    assert len({one.uid for one in twins}) == 2


def test_a_job_that_is_whole_has_nothing_left_to_wait_for(house: House) -> None:
    assert ranks_left(house.state, house.submit(num_nodes=2)) is None
