from eaas.ids import NodeName
from eaas_daemon.core import events as e
from eaas_daemon.core.clearing import with_coming, without
from eaas_daemon.core.preempt import victim_of
from eaas_daemon.core.rooms import rooms_of
from tests.rig.builders import ADMIN, ALICE, a_card
from tests.rig.preempting import a_house, at_night, obeys, urgently

N1 = NodeName("n1")


def test_a_room_without_a_job_has_its_cards_and_amounts_back_and_the_room_itself_stays() -> None:
    house = a_house(cpus=8)
    job = at_night(house, gpus=2, cpus=3, memory="2GiB")
    room = rooms_of(house.state)[N1]
    victim = victim_of(house.state, job, house.now)
    assert victim is not None

    cleared = without(room, [victim])

    assert sorted(cleared.free_cards) == ["GPU-n1-0", "GPU-n1-1"]
    assert {card.state for card in cleared.free_cards.values()} == {"free"}
    assert (cleared.cpus_milli, cleared.memory_mib) == (8000, 65536)
    assert (len(room.free_cards), room.cpus_milli, room.memory_mib) == (0, 5000, 63488)


def test_what_a_person_has_excluded_or_somebody_else_uses_does_not_come_back() -> None:
    house = a_house()
    job = at_night(house, gpus=2)
    house.beat("n1", a_card(0, state="foreign"), a_card(1, state="held"))
    house.do(e.SetExcluded(caller=ADMIN, node="n1", card="1", excluded=True))
    victim = victim_of(house.state, house.job(job.number), house.now)
    assert victim is not None

    assert without(rooms_of(house.state)[N1], [victim]).free_cards == {}


def test_what_is_stopped_or_was_just_released_comes_free_and_what_is_promised_does_not() -> None:
    house = a_house(cards=4, cpus=8)
    released, cancelled = at_night(house, gpus=1), at_night(house, gpus=1, cpus=2)
    slow, interrupted = at_night(house, gpus=1), at_night(house, gpus=1, cpus=3)
    urgent = urgently(house, cpus=1)
    obeys(house, released, cause="exited")
    house.do(e.Cancel(caller=ALICE, number=cancelled.number, grace_s=10))
    house.do(e.Cancel(caller=ALICE, number=slow.number, grace_s=600))
    assert urgent.promise is not None
    assert house.job(interrupted.number).stop is not None

    room = rooms_of(house.state)[N1]
    soon = with_coming(house.state, room)

    cards = [f"GPU-n1-{job.attempts[-1].cards[0].index}" for job in (released, cancelled)]
    assert sorted(soon.free_cards) == sorted(cards)
    assert soon.cpus_milli - room.cpus_milli == 2000 + (3000 - 1000)
