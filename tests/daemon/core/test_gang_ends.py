"""What becomes of one rank becomes of all of them."""

from typing import Any

import pytest

from eaas import reasons as r
from eaas.errors import Invalid
from eaas.gang_reasons import RankEnded, RanksLeft
from eaas.lifecycle import JobState, Verb
from eaas.sentences import sentence
from eaas.wire import from_agent as wire
from eaas.wire.to_agent import Stop
from eaas_daemon.core import events as e
from eaas_daemon.core.explain import Explainer
from eaas_daemon.core.gang_ends import cancelled_with_others
from eaas_daemon.core.model import Job, StopIntent
from eaas_daemon.core.orders import order_for
from tests.rig.builders import ADMIN, ALICE, House, a_card

PENDING, STARTING, RUNNING = JobState.PENDING, JobState.STARTING, JobState.RUNNING
STOPPING, UNKNOWN = JobState.STOPPING, JobState.UNKNOWN
FAILED, SUCCEEDED = JobState.FAILED, JobState.SUCCEEDED
AGAIN = {"policy": "on-failure", "retries": 1, "backoff": "0s"}


@pytest.fixture
def house() -> House:
    house = House()
    house.nodes("n1", "n2", "n3")
    house.quiet_start()
    return house


def two_running(house: House, **fields: Any) -> tuple[Job, Job]:
    job = house.submit(num_nodes=2, **fields)
    first, second = (house.running(rank) for rank in house.ranks(job))
    return first, second


def states(house: House, *jobs: Job) -> list[JobState]:
    return [house.job(job.number).state for job in jobs]


def test_when_one_fails_the_others_are_stopped_and_say_why(house: House) -> None:
    first, second = two_running(house)

    house.ended(second, 3)

    assert states(house, first, second) == [STOPPING, FAILED]
    assert order_for(house.job(first.number), 1).stop == Stop(grace_s=10.0, why="cancelled")
    stopped = house.ended(first, 143, cause="stopped")
    assert (stopped.state, stopped.attempts[-1].exit_code) == (FAILED, 143)
    assert stopped.reason is not None
    assert sentence(stopped.reason) == "rank 1 of this job failed: exited with code 3"


def test_all_succeed_one_by_one(house: House) -> None:
    first, second = two_running(house)

    house.ended(first)

    assert states(house, first, second) == [SUCCEEDED, RUNNING]
    assert house.ended(second).state is SUCCEEDED


def test_all_wait_together_and_start_together_again_at_another_port(house: House) -> None:
    first, second = two_running(house, restart=AGAIN)
    before = first.attempts[-1].meeting

    house.ended(second, 1)

    assert states(house, first, second) == [STOPPING, PENDING]
    assert not house.job(second.number).in_line
    house.ended(first, None, cause="stopped")
    assert states(house, first, second) == [STARTING, STARTING]
    again = house.ranks(first)
    assert [(len(job.attempts), job.retries_used) for job in again] == [(2, 1), (2, 1)]
    assert len({job.attempts[-1].meeting for job in again}) == 1
    assert again[0].attempts[-1].meeting != before


def test_a_rank_that_waits_for_others_says_for_which(house: House) -> None:
    first, second = two_running(house, restart=AGAIN)

    house.ended(second, 1)

    waiting = Explainer(house.state).reason(house.job(second.number))
    assert waiting == RanksLeft(ranks=(f"rank 0 is Stopping on {first.attempts[-1].node}",))
    assert sentence(waiting) == "all ranks are placed together, and rank 0 is Stopping on n1"


def test_the_backoff_is_that_of_all(house: House) -> None:
    first, second = two_running(house, restart=AGAIN | {"backoff": "30s"})

    house.ended(second, 1)
    house.ended(first, None, cause="stopped")

    assert {job.not_before for job in house.ranks(first)} == {house.now + 30}
    house.now += 31
    house.do(e.Tick())
    assert states(house, first, second) == [STARTING, STARTING]


def test_a_rank_that_had_succeeded_runs_again_with_the_others(house: House) -> None:
    first, second = two_running(house, restart=AGAIN)
    behind = house.submit(after=[first.number])
    house.ended(first)
    assert house.job(behind.number).waits_for == (second.number,)

    house.ended(second, 1)

    assert states(house, first, second) == [STARTING, STARTING]
    assert house.job(behind.number).waits_for == (first.number, second.number)
    for rank in house.ranks(first):
        house.ended(house.running(rank))
    assert house.job(behind.number).state is STARTING


def test_what_is_to_follow_it_follows_all_ranks_or_the_one_that_it_names(house: House) -> None:
    first, second = two_running(house)

    whole, one = house.submit(after=[first.number]), house.submit(after=[f"{first.number}[1]"])

    assert [whole.waits_for, one.waits_for] == [
        (first.number, second.number),
        (second.number,),
    ]
    house.ended(second)
    assert states(house, whole, one) == [PENDING, STARTING]
    house.ended(first)
    assert states(house, whole) == [STARTING]


def test_what_was_to_follow_it_fails_with_any_rank(house: House) -> None:
    first, second = two_running(house)
    behind = house.submit(after=[first.number])

    house.ended(second, 1)

    assert states(house, behind) == [FAILED]
    with pytest.raises(Invalid, match=r"job 1\[1\] is Failed, so this could never start"):
        house.submit(after=[first.number])


def test_what_the_node_of_one_cannot_start_is_tried_elsewhere_by_all(house: House) -> None:
    job = house.submit(num_nodes=2)
    first, second = house.ranks(job)
    house.running(first)

    failed = {"cause": "start_failed", "fault": "node", "text": "no disk"}
    house.ended(second, None, **failed)
    house.ended(first, None, cause="stopped")
    house.now += 3
    house.do(e.Tick())

    again = house.ranks(job)
    assert [(one.state, one.infra_retries, one.retries_used) for one in again] == [
        (STARTING, 1, 0)
    ] * 2
    assert second.attempts[-1].node not in {one.attempts[-1].node for one in again}


def test_silence_of_one_node_stops_nobody(house: House) -> None:
    first, second = two_running(house)

    house.silence(second.attempts[-1].node)

    assert states(house, first, second) == [RUNNING, UNKNOWN]


def test_the_loss_of_a_node_is_the_end_of_all(house: House) -> None:
    first, second = two_running(house)
    house.silence(second.attempts[-1].node)

    house.do(e.ConfirmDead(caller=ADMIN, node=second.attempts[-1].node))

    assert states(house, first, second) == [STOPPING, FAILED]
    stopped = house.ended(first, None, cause="stopped")
    assert stopped.reason == RankEnded(
        rank=1, text=f"failed: root confirmed that {second.attempts[-1].node} is dead"
    )


def test_a_rank_on_a_silent_node_is_stopped_when_that_is_back(house: House) -> None:
    first, second = two_running(house, restart=AGAIN)
    house.silence(second.attempts[-1].node)

    house.ended(first, 1)

    assert states(house, first, second) == [PENDING, UNKNOWN]
    house.node(second.attempts[-1].node, a_card(0, node=second.attempts[-1].node))
    assert states(house, first, second) == [PENDING, STOPPING]
    house.ended(house.job(second.number), None, cause="stopped")
    assert states(house, first, second) == [STARTING, STARTING]


def test_one_that_is_out_of_time_takes_the_others_with_it(house: House) -> None:
    first, second = two_running(house, timeout="1h", restart=AGAIN)

    house.ended(second, None, cause="timed_out")
    stopped = house.ended(first, None, cause="stopped")

    assert states(house, first, second) == [JobState.TIMED_OUT] * 2
    assert stopped.reason == RankEnded(
        rank=1, text="ran out of time: stopped after its timeout of 1h"
    )


def test_one_out_of_time_ends_also_those_that_were_to_begin_anew(house: House) -> None:
    first, second = two_running(house, timeout="1h", restart=AGAIN)
    fact = wire.AttemptStopping(uid=first.uid, attempt=1, at=house.now)
    house.fact(first.attempts[-1].node, fact)

    house.ended(second, 1)
    assert states(house, first, second) == [STOPPING, PENDING]
    house.ended(house.job(first.number), None, cause="timed_out")

    assert states(house, first, second) == [JobState.TIMED_OUT, FAILED]
    assert house.job(second.number).reason == RankEnded(
        rank=0, text="ran out of time: stopped after its timeout of 1h"
    )


def test_what_was_to_begin_anew_is_cancelled_whole(house: House) -> None:
    first, second = two_running(house, restart=AGAIN)
    house.ended(second, 1)

    house.do(e.Cancel(caller=ALICE, number=first.number))
    house.ended(house.job(first.number), None, cause="stopped")

    assert states(house, first, second) == [JobState.CANCELLED] * 2


def test_what_ends_anyway_may_only_end_sooner() -> None:
    asked = StopIntent(why="cancelled", by="alice", grace_s=5.0)
    ends = StopIntent(why="cancelled", by="rank 1", grace_s=10.0, ends=Verb.EXITED_BADLY)
    begins_anew = StopIntent(why="cancelled", by="rank 1", grace_s=2.0, ends=Verb.REQUEUED)

    assert cancelled_with_others(ends, asked) == StopIntent(
        why="cancelled", by="rank 1", grace_s=5.0, ends=Verb.EXITED_BADLY
    )
    assert cancelled_with_others(begins_anew, asked) == StopIntent(
        why="cancelled", by="alice", grace_s=2.0
    )


def test_a_failure_of_what_was_started_before_is_no_news(house: House) -> None:
    first, second = two_running(house)
    house.ended(second, 1)

    ended = house.ended(house.job(first.number), 1)

    assert isinstance(ended.reason, RankEnded)
    assert house.job(second.number).reason == r.Exited(exit_code=1)
