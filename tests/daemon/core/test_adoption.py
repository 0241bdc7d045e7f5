"""A controller out of a backup meets agents that run what it does not know."""

from typing import Any

import pytest

from eaas.ids import NodeName
from eaas.lifecycle import JobState
from eaas.wire.from_agent import AttemptEnded, Unlisted
from eaas.wire.to_agent import Order, Stop
from eaas_daemon.core import events as e
from eaas_daemon.core.adoption import AFTER_THE_BACKUP, orphans_text
from eaas_daemon.core.effects import Dispatch, Dropped
from eaas_daemon.core.invariants import broken
from eaas_daemon.core.inventory_picture import node_view
from eaas_daemon.core.model import Job
from eaas_daemon.core.orders import order_for
from tests.rig.agents import an_order
from tests.rig.builders import ADMIN, ALICE, House, a_card

N1, N2 = NodeName("n1"), NodeName("n2")


@pytest.fixture
def house() -> House:
    """A restored controller: its numbers have jumped and its queue is paused."""
    house = House()
    house.node("n1", a_card(0), a_card(1))
    house.node("n2", a_card(2, node="n2"))
    house.pool("default", "n1", "n2")
    house.queue("default", paused=True)
    house.state.next_number = 10_001
    house.state.epoch = 9
    return house


def holds(house: House, order: Order, node: str = "n1", **said: Any) -> None:
    given = {"state": "running", "started_at": house.now - 60, "handle": "c1", **said}
    unlisted = Unlisted(order=order, **given)
    house.do(e.AgentHolds(node=NodeName(node), session=f"s-{node}", unlisted=unlisted))


def an_alien(house: House, **fields: Any) -> Order:
    """Return the order of an attempt that this controller knows nothing of."""
    given = {
        "number": 57,
        "epoch": 1,
        "user": "alice",
        "queue": "default/default",
        "image": "busybox",
        "cards": (house.state.nodes[N1].cards[0].uuid,),
        "env": {"A": "1"},
        "timeout_s": 90.0,
    }
    return an_order("train", **(given | fields))


def adopted(house: House, number: int) -> Job:
    job = house.job(number)
    assert broken(house.state) == []
    return job


def kinds(house: House) -> list[str]:
    return [line.kind for line in house.changes.journal]


def test_a_job_it_never_heard_of_is_taken_up_with_its_number_its_cards_and_its_owner(
    house: House,
) -> None:
    order = an_alien(house)

    holds(house, order)

    job = adopted(house, 57)
    assert (job.uid, job.user, job.ref, job.state) == (
        order.uid,
        "alice",
        "default/default",
        JobState.RUNNING,
    )
    (attempt,) = job.attempts
    assert (attempt.node, attempt.started_at, attempt.handle) == (N1, house.now - 60, "c1")
    assert [card.uuid for card in attempt.cards] == list(order.cards)
    again = order_for(job, 9)
    assert (again.command, again.env, again.timeout_s, again.image) == (
        order.command,
        order.env,
        order.timeout_s,
        order.image,
    )
    assert house.effects == (Dispatch(node=N1, uid=job.uid),)
    assert kinds(house) == ["job.adopted", "job.running"]


def test_it_ends_as_any_other_job_does(house: House) -> None:
    holds(house, an_alien(house))

    job = house.ended(house.job(57), exit_code=3)

    assert (job.state, job.attempts[-1].exit_code) == (JobState.FAILED, 3)


def test_to_be_told_twice_changes_nothing(house: House) -> None:
    order = an_alien(house)
    holds(house, order)
    before = adopted(house, 57)

    holds(house, order)

    assert adopted(house, 57) == before
    assert house.effects == ()


def test_a_job_that_waits_in_the_backup_and_runs_on_a_node_is_not_started_again(
    house: House,
) -> None:
    waiting = house.submit()

    holds(house, an_alien(house, uid=waiting.uid, number=waiting.number, cards=()))

    job = adopted(house, waiting.number)
    assert (job.state, [each.node for each in job.attempts]) == (JobState.RUNNING, [N1])


def test_attempts_that_are_not_known_are_counted_so_that_no_number_comes_twice(
    house: House,
) -> None:
    waiting = house.submit()

    holds(house, an_alien(house, uid=waiting.uid, number=waiting.number, attempt=3, cards=()))

    job = adopted(house, waiting.number)
    assert [each.number for each in job.attempts] == [1, 2, 3]
    assert [each.state for each in job.attempts] == ["Failed", "Failed", "Running"]
    assert job.attempts[0].reason is not None
    assert AFTER_THE_BACKUP in str(job.attempts[0].reason)


def test_a_job_that_was_on_another_node_then_is_known_to_have_left_it(house: House) -> None:
    house.queue("default", paused=False)
    before = house.running(house.submit(nodes=["n2"]))

    holds(house, an_alien(house, uid=before.uid, number=before.number, attempt=2, cards=()))

    job = adopted(house, before.number)
    assert [(each.node, each.state) for each in job.attempts] == [(N2, "Failed"), (N1, "Running")]
    assert Dropped(node=N2, uid=job.uid, attempt=1) in house.effects


def test_an_ended_job_that_was_retried_since_runs_again(house: House) -> None:
    house.queue("default", paused=False)
    ended = house.ended(house.running(house.submit(nodes=["n1"])), exit_code=1)

    holds(house, an_alien(house, uid=ended.uid, number=ended.number, attempt=2, cards=()))

    job = adopted(house, ended.number)
    assert (job.state, job.finished_at, len(job.attempts)) == (JobState.RUNNING, None, 2)


def test_what_it_was_to_follow_keeps_an_adopted_job_from_no_later_attempt(house: House) -> None:
    first = house.submit()
    waiting = house.submit(after=[first.number], restart={"policy": "on-failure", "backoff": "0s"})
    holds(house, an_alien(house, uid=waiting.uid, number=waiting.number, cards=()))
    holds(house, an_alien(house, uid=first.uid, number=first.number, cards=()))
    house.ended(house.job(first.number))
    house.queue("default", paused=False)

    house.ended(house.job(waiting.number), exit_code=1)

    job = adopted(house, waiting.number)
    assert (job.state, len(job.attempts), job.waits_for) == (JobState.STARTING, 2, ())


@pytest.fixture
def ended_in_a_deleted_queue(house: House) -> Job:
    """A job that may try again, and whose queue was deleted after its end."""
    house.queue("train")
    restart = {"policy": "on-failure", "backoff": "0s"}
    job = house.submit(queue="train", nodes=["n1"], restart=restart)
    house.do(e.Cancel(caller=ALICE, number=job.number, grace_s=0))
    house.ended(house.job(job.number), exit_code=1)
    house.do(e.DeleteQueue(caller=ADMIN, pool="default", name="train"))
    return house.job(job.number)


def test_a_job_that_was_retried_since_is_taken_up_only_once_its_queue_is_there_again(
    house: House, ended_in_a_deleted_queue: Job
) -> None:
    before = ended_in_a_deleted_queue

    holds(house, an_alien(house, uid=before.uid, number=before.number, attempt=2, cards=()))

    assert "its queue default/train does not exist here" in (orphans_text(house.state, N1) or "")
    house.queue("train")
    house.do(e.Tick())
    house.ended(house.job(before.number), exit_code=1)
    assert adopted(house, before.number).attempts[-1].number == 3


def test_the_end_of_a_later_attempt_changes_no_job_whose_queue_was_deleted(
    house: House, ended_in_a_deleted_queue: Job
) -> None:
    before = ended_in_a_deleted_queue
    fact = AttemptEnded(
        uid=before.uid, attempt=2, cause="exited", exit_code=1, finished_at=house.now
    )

    house.fact("n1", fact)

    assert adopted(house, before.number) == before
    assert Dropped(node=N1, uid=before.uid, attempt=2) in house.effects


def test_what_is_known_to_be_over_is_let_go(house: House) -> None:
    house.queue("default", paused=False)
    ended = house.ended(house.running(house.submit(nodes=["n1"])))

    holds(house, an_alien(house, uid=ended.uid, number=ended.number, cards=()))

    assert house.effects == (Dropped(node=N1, uid=ended.uid, attempt=1),)
    assert house.job(ended.number) == ended


def test_what_is_being_stopped_is_taken_up_as_such(house: House) -> None:
    holds(house, an_alien(house), state="stopping")

    job = adopted(house, 57)
    assert job.state == JobState.STOPPING
    assert job.stop is not None


def test_what_its_node_stops_only_for_a_more_urgent_job_goes_on_later(house: House) -> None:
    stop = Stop(grace_s=30, why="unwanted", again=True)
    order = an_alien(house, stop=stop, env={"A": "1", "EAAS_PREEMPTIONS": "2"})

    holds(house, order, state="stopping")
    job = house.ended(adopted(house, 57), exit_code=143, cause="stopped")

    assert (job.state, job.preemptions, job.spec.env) == (JobState.PENDING, 1, {"A": "1"})
    assert broken(house.state) == []


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        ({"queue": "gone/train"}, "its queue gone/train does not exist here"),
        ({"queue": None}, "its queue None does not exist here"),
        ({"user": ""}, "nobody knows any more whose job it is"),
        ({"cards": ("GPU-elsewhere",)}, "holds the card GPU-elsewhere"),
    ],
)
def test_what_can_not_be_taken_up_runs_on_and_is_shown_to_people(
    house: House, fields: dict[str, Any], why: str
) -> None:
    holds(house, an_alien(house, **fields))

    (condition,) = node_view(house.state, house.state.nodes[N1]).conditions
    assert condition.code == "orphans"
    assert "attempt 1 of job 57" in condition.text
    assert why in condition.text
    assert house.effects == ()
    assert kinds(house) == ["node.orphan"]
    assert house.state.job_by_number(57) is None


def test_it_is_taken_up_as_soon_as_a_person_has_made_its_queue(house: House) -> None:
    holds(house, an_alien(house, queue="gone/train"))
    house.pool("gone", "n1")
    house.queue("train", "gone")

    house.do(e.Tick())

    assert adopted(house, 57).state == JobState.RUNNING
    assert orphans_text(house.state, N1) is None


def test_a_card_that_is_another_jobs_here_is_not_given_away_twice(house: House) -> None:
    house.queue("default", paused=False)
    holder = house.running(house.submit(gpus=2, nodes=["n1"]))

    holds(house, an_alien(house))

    assert f"belongs to job {holder.number} here" in (orphans_text(house.state, N1) or "")
    house.ended(holder)
    house.do(e.Tick())
    assert adopted(house, 57).state == JobState.RUNNING


def test_an_orphan_that_ends_is_no_trouble_any_more_and_its_end_is_noted(house: House) -> None:
    order = an_alien(house, queue="gone/train")
    holds(house, order)

    fact = AttemptEnded(
        uid=order.uid, attempt=1, cause="exited", exit_code=0, finished_at=house.now
    )
    house.fact("n1", fact)

    assert orphans_text(house.state, N1) is None
    assert "node.orphan_ended" in kinds(house)
    assert Dropped(node=N1, uid=order.uid, attempt=1) in house.effects  # type: ignore[arg-type]


def test_a_greeting_begins_the_list_anew(house: House) -> None:
    holds(house, an_alien(house, queue="gone/train"))

    house.node("n1", a_card(0), a_card(1))

    assert orphans_text(house.state, N1) is None


def test_a_result_that_came_after_the_backup_is_taken_and_its_job_does_not_run_again(
    house: House,
) -> None:
    waiting = house.submit()
    fact = AttemptEnded(
        uid=waiting.uid,
        attempt=1,
        cause="exited",
        exit_code=0,
        started_at=house.now - 5,
        finished_at=house.now,
    )

    house.fact("n2", fact)
    house.queue("default", paused=False)

    job = adopted(house, waiting.number)
    assert (job.state, job.attempts[-1].node, len(job.attempts)) == (JobState.SUCCEEDED, N2, 1)


def test_a_number_that_another_job_has_here_is_not_taken_from_it(house: House) -> None:
    house.state.next_number = 57
    other = house.submit(ALICE)
    assert other.number == 57

    holds(house, an_alien(house))

    assert house.job(58).uid != other.uid
    assert house.job(58).state == JobState.RUNNING


def test_a_task_of_an_array_is_taken_up_as_that_task(house: House) -> None:
    env = {"A": "1", "EAAS_ARRAY_ID": "50", "EAAS_ARRAY_INDEX": "7", "EAAS_ARRAY_COUNT": "9"}
    holds(house, an_alien(house, env=env))

    job = adopted(house, 57)

    assert (job.called, job.array, job.array_index, job.spec.env) == ("50[7]", 50, 7, {"A": "1"})
    assert dict(house.state.arrays.of(50)) == {7: job.uid}
