"""What becomes of a job that is interrupted, whatever happens meanwhile."""

from typing import Any

import pytest

from eaas import reasons as r
from eaas.lifecycle import JobState
from eaas.preempt_reasons import Preempted
from eaas.units import utc_text
from eaas.wire import from_agent as wire
from eaas.wire.to_agent import Stop
from eaas_daemon.core import events as e
from eaas_daemon.core.effects import Dispatch
from eaas_daemon.core.explain import Explainer
from eaas_daemon.core.invariants import broken
from eaas_daemon.core.model import Job
from eaas_daemon.core.orders import order_for
from eaas_daemon.core.preempt import PREEMPT_GRACE_S
from tests.rig.builders import ADMIN, ALICE, BOB, House, a_card
from tests.rig.preempting import a_house, at_night, clean, obeys, states, urgently

PENDING, STARTING, RUNNING = JobState.PENDING, JobState.STARTING, JobState.RUNNING
STOPPING, UNKNOWN = JobState.STOPPING, JobState.UNKNOWN


def interrupted(**fields: Any) -> tuple[House, Job, Job]:
    """Return a job that is being stopped for another, which waits for that."""
    house = a_house(cards=1)
    house.quiet_start()
    victim = at_night(house, gpus=1, **fields)
    urgent = urgently(house)
    victim = house.job(victim.number)
    assert (victim.state, urgent.state) == (STOPPING, PENDING)
    return house, victim, urgent


def told(house: House, kind: str) -> list[str]:
    return [row.text for row in house.changes.journal if row.kind == kind]


def test_its_agent_is_told_to_stop_it_within_its_grace_and_that_it_goes_on_later() -> None:
    house, victim, _ = interrupted()

    assert house.effects == (Dispatch(node=victim.attempts[-1].node, uid=victim.uid),)
    assert order_for(victim, 1).stop == Stop(grace_s=30.0, why="unwanted", again=True)


def test_the_journal_says_for_whom_it_is_stopped_and_that_it_waits_again() -> None:
    house, victim, urgent = interrupted()
    by = f"preempted by job {urgent.number} of queue default/urgent (bob)"

    said = told(house, "job.preempted")
    obeys(house, victim)

    assert said == [f"job {victim.number} is being stopped, to go on later: {by}"]
    words = f"job {victim.number} was interrupted and waits again: {by}"
    assert told(house, "job.interrupted") == [words]


def test_it_waits_again_in_its_old_place_and_neither_retries_nor_backoff_are_used_up() -> None:
    house, victim, _ = interrupted(restart={"policy": "on-failure", "retries": 2, "backoff": "9m"})
    later = house.submit(ALICE, queue="night", gpus=1)

    again = obeys(house, victim)

    assert (again.state, again.not_before, again.stop) == (PENDING, None, None)
    assert (again.retries_used, again.infra_retries, again.preemptions) == (0, 0, 1)
    assert (again.finished_at, again.keep_until) == (None, None)
    assert (again.since, again.created_at) == (victim.created_at, victim.created_at)
    ended = again.attempts[-1]
    assert (ended.state, ended.exit_code) == (JobState.CANCELLED, 143)
    assert isinstance(ended.reason, Preempted)
    order = list(house.state.line.in_order(again.pool, house.state.order))
    assert order == [again.uid, later.uid]
    assert broken(house.state) == []


def test_its_next_attempt_knows_how_often_it_was_interrupted() -> None:
    house, victim, urgent = interrupted()
    assert "EAAS_PREEMPTIONS" not in order_for(victim, 1).env
    obeys(house, victim)
    clean(house, cards=1)
    house.ended(house.job(urgent.number))
    clean(house, cards=1)

    again = house.job(victim.number)

    assert (again.state, again.attempts[-1].number) == (STARTING, 2)
    assert order_for(again, 1).env["EAAS_PREEMPTIONS"] == "1"


def test_one_that_ends_its_work_within_its_grace_has_succeeded() -> None:
    house, victim, urgent = interrupted()

    assert obeys(house, victim, exit_code=0).state is JobState.SUCCEEDED
    clean(house, cards=1)
    assert states(house, urgent) == [STARTING]


@pytest.mark.parametrize("cause", ["stopped", "never_started", "lost"])
def test_however_its_agent_has_stopped_it_it_goes_on_later(cause: str) -> None:
    house, victim, _ = interrupted()

    again = obeys(house, victim, exit_code=None, cause=cause)

    assert (again.state, again.retries_used, again.infra_retries) == (PENDING, 0, 0)


def test_one_that_failed_by_itself_before_it_was_stopped_has_failed() -> None:
    house, victim, _ = interrupted()

    assert obeys(house, victim, exit_code=1, cause="exited").state is JobState.FAILED


def test_one_that_failed_by_itself_and_may_be_tried_again_uses_up_a_retry() -> None:
    house, victim, _ = interrupted(restart={"policy": "on-failure", "retries": 2, "backoff": "0s"})

    again = obeys(house, victim, exit_code=1, cause="exited")

    assert (again.state, again.retries_used, again.preemptions) == (PENDING, 1, 0)


def test_one_that_a_person_cancels_meanwhile_is_cancelled_and_stopped_sooner() -> None:
    house, victim, urgent = interrupted()

    house.do(e.Cancel(caller=ALICE, number=victim.number, grace_s=5))
    stop = order_for(house.job(victim.number), 1).stop
    ended = obeys(house, victim)

    assert stop == Stop(grace_s=5, why="cancelled")
    assert (ended.state, ended.reason) == (JobState.CANCELLED, r.Cancelled(by="alice"))
    clean(house, cards=1)
    assert states(house, urgent) == [STARTING]


def test_a_cancel_gives_it_no_more_grace_than_it_had() -> None:
    house, victim, _ = interrupted()

    house.do(e.Cancel(caller=ALICE, number=victim.number, grace_s=600))

    assert order_for(house.job(victim.number), 1).stop == Stop(grace_s=30, why="cancelled")


def test_one_whose_time_was_up_before_its_agent_heard_of_the_stop_has_timed_out() -> None:
    house, victim, _ = interrupted(timeout="1h")
    attempt = victim.attempts[-1]

    house.fact(
        attempt.node, wire.AttemptStopping(uid=victim.uid, attempt=attempt.number, at=house.now)
    )
    ended = obeys(house, victim, cause="timed_out")

    assert ended.state is JobState.TIMED_OUT


def test_one_that_did_not_run_yet_may_be_stopped_and_starts_later() -> None:
    house = a_house(cards=1)
    victim = house.submit(queue="night", gpus=1)
    urgent = urgently(house)
    assert states(house, victim) == [STOPPING]

    again = obeys(house, victim, exit_code=None, cause="never_started")
    clean(house, cards=1)

    assert (again.state, again.preemptions) == (PENDING, 1)
    assert states(house, victim, urgent) == [PENDING, STARTING]


def test_a_node_that_falls_silent_meanwhile_neither_loses_it_nor_runs_it_twice() -> None:
    house, victim, urgent = interrupted()

    house.silence("n1", 200)
    assert states(house, victim, urgent) == [UNKNOWN, PENDING]
    assert house.job(victim.number).stop == victim.stop
    house.node("n1", a_card(0, state="held"))
    assert states(house, victim, urgent) == [STOPPING, PENDING]
    again = obeys(house, victim)

    assert (again.state, again.preemptions, len(again.attempts)) == (PENDING, 1, 1)
    clean(house, cards=1)
    assert states(house, victim, urgent) == [PENDING, STARTING]
    assert broken(house.state) == []


def test_one_whose_node_is_confirmed_dead_meanwhile_goes_on_elsewhere() -> None:
    house, victim, _ = interrupted()
    house.silence("n1", 200)

    house.do(e.ConfirmDead(caller=ADMIN, node="n1"))

    again = house.job(victim.number)
    assert (again.state, again.retries_used, again.infra_retries) == (PENDING, 0, 0)
    assert broken(house.state) == []


def test_when_the_urgent_job_is_cancelled_the_stop_goes_on_and_no_other_is_stopped() -> None:
    house = a_house()
    old, young = at_night(house, gpus=1), at_night(house, gpus=1)
    urgent = urgently(house)

    house.do(e.Cancel(caller=BOB, number=urgent.number))
    house.now += 5
    house.do(e.Tick())

    assert states(house, old, young, urgent) == [RUNNING, STOPPING, JobState.CANCELLED]
    assert house.state.aside.promised == {}
    obeys(house, young)
    clean(house)
    assert states(house, old, young) == [RUNNING, STARTING]


def test_fair_share_counts_what_it_held_until_its_cards_came_back() -> None:
    house, victim, _ = interrupted()
    assert house.state.held.of_pool_user(victim.pool, victim.user).gpus == 1
    house.now += 20

    obeys(house, victim)

    used = house.state.usage[victim.pool, victim.user]
    assert used.thousandths == 0
    assert used.card_seconds == pytest.approx(80, rel=0.01)


def test_why_says_for_whom_it_is_stopped_and_that_it_goes_on() -> None:
    house, victim, urgent = interrupted()
    by = f"preempted by job {urgent.number} of queue default/urgent (bob)"

    stopping = Explainer(house.state).why(victim).text
    again = obeys(house, victim)
    waiting = Explainer(house.state).why(again).text

    assert stopping == f"job 1 is Stopping: {by}; it goes on when there is room again"
    assert waiting.endswith(f"; it was {by} and goes on when there is room again")


def test_why_of_the_urgent_job_names_whom_it_waits_for_and_when_it_starts() -> None:
    house, victim, urgent = interrupted()

    why = Explainer(house.state, house.now).why(urgent)
    later = Explainer(house.state, house.now + 20).why(urgent)

    assert (
        why.text == "job 2 waits: starts on n1 when job 1 (alice) has been interrupted, about 35s"
    )
    assert (why.eta.kind, why.eta.in_s, later.eta.in_s) == ("estimate", 35.0, 15.0)
    [blocker] = why.blockers
    assert (blocker.job, blocker.ends_kind) == (victim.number, "estimate")
    assert blocker.ends_at == utc_text(house.now + PREEMPT_GRACE_S)
    obeys(house, victim)
    text = Explainer(house.state, house.now).why(house.job(urgent.number)).text
    assert text == "job 2 waits: starts on n1 as soon as what was freed for it there is read clean"
