from eaas.ids import CardUuid, NodeName
from eaas_daemon.core import events as e
from eaas_daemon.core.rooms import room_of, rooms_of
from tests.rig.builders import ADMIN, House, a_card

N1 = NodeName("n1")


def a_house() -> House:
    house = House()
    house.node("n1", a_card(0), a_card(1), cpus=8, memory_mib=4096)
    house.pool("default", "n1")
    return house


def free(house: House) -> list[str]:
    return sorted(rooms_of(house.state)[N1].free_cards)


def test_a_node_has_what_its_jobs_do_not_have() -> None:
    house = a_house()
    house.submit(gpus=1, cpus=3, memory="1GiB")

    room = rooms_of(house.state)[N1]

    assert (room.cpus_milli, room.memory_mib) == (5000, 3072)
    assert list(room.free_cards) == ["GPU-n1-1"]


def test_whoever_takes_from_a_room_takes_from_their_own_copy() -> None:
    house = a_house()
    rooms_of(house.state)[N1].free_cards.clear()

    assert free(house) == ["GPU-n1-0", "GPU-n1-1"]


def test_what_is_remembered_of_a_room_is_what_it_has_whatever_happened_to_its_node() -> None:
    house = a_house()
    seen = [free(house)]
    job = house.submit(gpus=1)
    seen.append(free(house))
    house.ended(house.running(job))
    seen.append(free(house))
    house.now += 2
    house.beat("n1", a_card(0), a_card(1))
    seen.append(free(house))
    house.do(e.SetExcluded(caller=ADMIN, node="n1", card="1", excluded=True))
    seen.append(free(house))
    house.beat("n1", a_card(0, state="foreign", text="pid 7"), a_card(1))
    seen.append(free(house))

    both, second = ["GPU-n1-0", "GPU-n1-1"], ["GPU-n1-1"]
    assert seen == [both, second, second, both, ["GPU-n1-0"], []]


def test_a_card_that_cools_is_not_free_and_one_read_clean_is() -> None:
    house = a_house()
    house.state.cool(CardUuid("GPU-n1-0"), 5.0)
    assert free(house) == ["GPU-n1-1"]

    house.state.cool(CardUuid("GPU-n1-0"), None)

    assert free(house) == ["GPU-n1-0", "GPU-n1-1"]


def test_an_undone_step_leaves_the_rooms_as_they_were() -> None:
    house = a_house()
    mark = house.state.mark()
    house.state.cool(CardUuid("GPU-n1-0"), 5.0)
    free(house)

    house.state.undo_to(mark)

    assert free(house) == ["GPU-n1-0", "GPU-n1-1"]
    node = house.state.nodes[N1]
    assert sorted(room_of(house.state, node).free_cards) == free(house)
