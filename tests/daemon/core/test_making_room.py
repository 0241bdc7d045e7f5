"""What others see of room that is being made for a job."""

from eaas import reasons as r
from eaas.ids import NodeName
from eaas.lifecycle import JobState
from eaas_daemon.core import events as e
from eaas_daemon.core.explain import Explainer
from eaas_daemon.core.making_room import (
    Part,
    goes_on,
    held,
    on_node,
    passed_on,
    promised_cards,
    stopping_for,
    why_promised,
)
from eaas_daemon.core.rooms import rooms_of
from tests.rig.builders import ALICE, BOB, cards_of
from tests.rig.preempting import a_house, at_night, clean, obeys, states, urgently

N1 = NodeName("n1")


def test_a_job_that_lacks_only_what_is_promised_hears_to_whom() -> None:
    house = a_house()
    old, young = at_night(house, gpus=1), at_night(house, gpus=1)
    urgent = urgently(house, gpus=2)
    obeys(house, young)
    clean(house)

    small = house.submit(ALICE, queue="urgent", gpus=1)
    wide = house.submit(ALICE, queue="urgent", gpus=2)

    explainer = Explainer(house.state, house.now)
    reserved = r.CardReserved(node="n1", job=urgent.number, user="bob", asked=1, available=0)
    assert explainer.waiting(small).nodes == (reserved,)
    lacking = r.TooFewFreeCards(node="n1", asked=2, available=0)
    assert explainer.waiting(wide).nodes == (lacking,)
    assert states(house, old) == [JobState.STOPPING]


def test_a_room_has_left_what_is_neither_taken_nor_promised() -> None:
    house = a_house(cards=4, cpus=16, memory_mib=16384)
    victim = at_night(house, gpus=2, cpus=2, memory="2GiB")
    house.running(house.submit(gpus=1, cpus=1))
    urgent = urgently(house, gpus=3, cpus=8, memory="1GiB")
    assert states(house, victim) == [JobState.STOPPING]

    room = rooms_of(house.state)[N1]

    assert (len(room.free_cards), room.cpus_milli, room.memory_mib) == (0, 7000, 14336)
    assert passed_on(house.state, N1) == {victim.uid: Part(2000, 1024)}
    obeys(house, victim)
    room = rooms_of(house.state)[N1]
    assert (len(room.free_cards), room.cpus_milli, room.memory_mib) == (0, 7000, 15360)
    assert len(promised_cards(house.state, room.node.name)) == 3
    assert [job.number for job in on_node(house.state, room.node.name)] == [urgent.number]


def test_what_promised_jobs_will_hold_counts_as_held() -> None:
    house = a_house(cards=1)
    at_night(house, gpus=1)
    urgent = urgently(house)

    assert held(house.state).of_queue(urgent.ref).gpus == 1
    assert house.state.held.of_queue(urgent.ref).gpus == 0


def test_only_those_that_are_stopped_for_the_job_itself_are_waited_for() -> None:
    house = a_house(cards=3)
    first, second = at_night(house, gpus=1), at_night(house, gpus=1)
    cancelled = house.submit(BOB, gpus=1)
    house.do(e.Cancel(caller=BOB, number=cancelled.number))
    urgent, other, third = urgently(house), urgently(house), urgently(house)

    assert urgent.promise is None  # it gets what comes free by itself
    assert [job.number for job in stopping_for(house.state, other)] == [second.number]
    assert [job.number for job in stopping_for(house.state, third)] == [first.number]
    making = why_promised(house.state, other, house.now)
    assert making is not None
    assert (making.jobs, making.users) == ((second.number,), ("alice",))


def test_nothing_is_added_to_what_is_said_of_a_job_that_nobody_interrupts() -> None:
    house = a_house(cards=1)
    running = at_night(house, gpus=1)

    assert goes_on(running) == ""
    assert why_promised(house.state, running, house.now) is None


def test_a_wide_job_knows_that_promised_cards_come_back_when_their_job_has_ended() -> None:
    house = a_house()
    house.running(house.submit(gpus=1, timeout="2h"))
    at_night(house, gpus=1, timeout="1h")
    urgent = urgently(house, timeout="3h")
    assert urgent.promise is not None

    wide = house.submit(BOB, gpus=2, queue="urgent")

    kept = house.state.reservations[wide.pool]
    assert kept.uid == wide.uid
    assert kept.at is not None
    assert kept.at >= house.now + 3 * 3600


def test_a_promised_job_keeps_no_reservation_beside_its_promise() -> None:
    house = a_house()
    night = house.running(house.submit(ALICE, queue="night", gpus=2, timeout="1h"))
    urgent = urgently(house, gpus=2)
    assert house.state.reservations[urgent.pool].uid == urgent.uid

    house.now += 60
    house.do(e.Tick())

    assert states(house, night) == [JobState.STOPPING]
    assert urgent.pool not in house.state.reservations
    promise = house.job(urgent.number).promise
    assert promise is not None
    assert list(promise.cards) == cards_of(night)
