"""When a promise is kept, and when its job stands in line again."""

from collections.abc import Callable

import pytest

from eaas.ids import PoolName
from eaas.lifecycle import JobState
from eaas_daemon.core import events as e
from eaas_daemon.core.invariants import broken
from eaas_daemon.core.reserve import LOST_S
from tests.rig.builders import ADMIN, ALICE, BOB, House, a_card, cards_of
from tests.rig.preempting import a_house, at_night, change, clean, obeys, states, urgently

PENDING, STARTING, RUNNING = JobState.PENDING, JobState.STARTING, JobState.RUNNING
STOPPING = JobState.STOPPING


def test_a_job_starts_where_room_was_made_for_it_once_the_cards_are_read_clean() -> None:
    house = a_house()
    victim = at_night(house, gpus=2)
    urgent = urgently(house, gpus=2)

    obeys(house, victim)
    assert states(house, urgent) == [PENDING]
    clean(house)

    placed = house.job(urgent.number)
    assert (placed.state, placed.promise) == (STARTING, None)
    assert cards_of(placed) == cards_of(victim)
    assert broken(house.state) == []


def test_a_job_for_which_several_are_stopped_starts_when_the_last_has_ended() -> None:
    house = a_house()
    first, second = at_night(house, gpus=1), at_night(house, gpus=1)
    urgent = urgently(house, gpus=2)

    obeys(house, first)
    clean(house)
    assert states(house, first, second, urgent) == [PENDING, STOPPING, PENDING]
    obeys(house, second)
    clean(house)

    assert states(house, first, second, urgent) == [PENDING, PENDING, STARTING]


def test_nobody_else_gets_what_was_freed_for_it_however_urgent() -> None:
    house = a_house()
    house.queue("first", priority=50)
    old, young = at_night(house, gpus=1), at_night(house, gpus=1)
    urgent = urgently(house, gpus=2)
    obeys(house, young)
    clean(house)

    more_urgent = house.submit(BOB, queue="first", gpus=1)
    lower = house.submit(ALICE, queue="night", gpus=1)
    topped = house.submit(ALICE, queue="urgent", gpus=1)
    house.do(e.PutOnTop(caller=ADMIN, number=topped.number))

    assert states(house, more_urgent, lower, topped, young) == [PENDING] * 4
    obeys(house, old)
    clean(house)
    assert states(house, urgent, more_urgent, lower, topped) == [STARTING] + [PENDING] * 3


def test_cpus_and_memory_are_kept_for_it_like_cards_and_no_more_of_them_than_it_needs() -> None:
    house = a_house(cards=0, cpus=8, memory_mib=8192)
    large = at_night(house, gpus=0, cpus=4, memory="4GiB")
    small = at_night(house, gpus=0, cpus=2, memory="1GiB")
    urgent = urgently(house, gpus=0, cpus=5, memory="3GiB")
    assert states(house, large, small, urgent) == [STOPPING, RUNNING, PENDING]

    fits = house.submit(ALICE, gpus=0, cpus=1, memory="2GiB")
    too_much = house.submit(ALICE, gpus=0, cpus=1, memory="1GiB")
    obeys(house, large)

    assert states(house, urgent, fits, too_much) == [STARTING, STARTING, PENDING]
    assert broken(house.state) == []


Trouble = Callable[[House, int], object]


@pytest.mark.parametrize(
    "trouble",
    [
        lambda house, number: house.do(e.SetDraining(caller=ADMIN, node="n1", draining=True)),
        lambda house, number: house.do(
            e.SetExcluded(caller=ADMIN, node="n1", card="0", excluded=True)
        ),
        lambda house, number: house.beat("n1", a_card(0, state="sick", text="Xid 79")),
        lambda house, number: house.beat("n1", a_card(0, state="foreign", text="somebody")),
        lambda house, number: house.do(change("urgent", paused=True)),
        lambda house, number: house.do(change("urgent", max_gpus=0)),
        lambda house, number: house.do(
            e.Move(caller=BOB, number=number, pool=PoolName("default"), queue="default")
        ),
        lambda house, number: house.do(e.RemoveFromPool(caller=ADMIN, pool="default", node="n1")),
    ],
)
def test_a_job_that_can_not_have_its_room_any_more_stands_in_line_again(trouble: Trouble) -> None:
    house = a_house(cards=1)
    victim = at_night(house, gpus=1)
    urgent = urgently(house)
    later = urgently(house)
    obeys(house, victim)

    trouble(house, urgent.number)
    house.now += 2
    house.do(e.Tick())

    again = house.job(urgent.number)
    assert (again.state, again.promise, again.in_line) == (PENDING, None, True)
    order = list(house.state.line.in_order(again.pool, house.state.order))
    if again.queue == "urgent":
        assert order[:2] == [urgent.uid, later.uid]
    assert broken(house.state) == []


def test_a_card_that_stays_dirty_after_the_stop_is_not_waited_for_for_ever() -> None:
    house = a_house(nodes=2)
    victim = at_night(house, gpus=1)
    assert victim.attempts[-1].node == "n1"
    others = [at_night(house, gpus=1) for _ in range(3)]
    urgent = urgently(house, nodes=["n1"])
    stopped = next(job for job in (victim, *others) if house.job(job.number).stop is not None)
    obeys(house, stopped)
    dirty = stopped.attempts[-1].cards[0].index

    def reads(seconds: float) -> None:
        house.now += seconds
        house.beat("n1", *(a_card(i, state="dirty" if i == dirty else "held") for i in range(2)))

    reads(LOST_S - 1)
    assert house.job(urgent.number).promise is not None
    reads(2)

    promise = house.job(urgent.number).promise
    assert promise is None or promise.cards[0] != cards_of(stopped)[0]


def test_an_agent_that_is_away_for_a_moment_is_waited_for() -> None:
    house = a_house(cards=1)
    house.quiet_start()
    victim = at_night(house, gpus=1)
    urgent = urgently(house)

    house.silence("n1", 8)
    assert house.job(urgent.number).promise is not None
    house.node("n1", a_card(0, state="held"))
    obeys(house, victim)
    clean(house, cards=1)

    assert states(house, victim, urgent) == [PENDING, STARTING]


def test_once_its_node_counts_as_offline_others_may_be_stopped_for_it_elsewhere() -> None:
    house = a_house(cards=1, nodes=2)
    house.quiet_start()
    night = [at_night(house, gpus=1), at_night(house, gpus=1)]
    urgent = urgently(house)
    first = house.job(urgent.number).promise
    assert first is not None
    stopping, other = sorted(night, key=lambda job: job.attempts[-1].node != first.node)
    assert states(house, stopping, other) == [STOPPING, RUNNING]

    house.silence(first.node, 200)

    second = house.job(urgent.number).promise
    assert second is not None
    assert second.node != first.node
    assert states(house, stopping, other) == [JobState.UNKNOWN, STOPPING]


def test_a_cap_that_is_filled_by_its_own_promise_does_not_shut_it_out() -> None:
    house = a_house(cards=1)
    house.do(change("urgent", max_running=1, max_gpus_per_user=1))
    victim = at_night(house, gpus=1)
    urgent = urgently(house)

    obeys(house, victim)
    clean(house, cards=1)

    assert states(house, urgent) == [STARTING]
