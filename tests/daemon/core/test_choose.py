from typing import Any

from msgspec.structs import replace

from eaas.lifecycle import JobState
from eaas_daemon.core.ask import Shape, shape_of
from eaas_daemon.core.choose import Most, Refused, best_room, least_of
from eaas_daemon.core.rooms import rooms_of
from tests.rig.builders import House, a_card


def a_house(*sizes: int) -> House:
    """Return a node for each size, with one card of so many GiB."""
    house = House()
    for index, gib in enumerate(sizes):
        house.node(f"n{index}", a_card(0, node=f"n{index}", gib=gib), cpus=8)
    house.pool("default", *(f"n{index}" for index in range(len(sizes))))
    return house


def a_shape(house: House, **fields: Any) -> Shape:
    house.queue("default", paused=True)
    return shape_of(house.submit(force=True, **fields))


def test_the_smallest_card_that_suffices_is_given_whatever_the_nodes_are_called() -> None:
    house = a_house(80, 24, 48)

    nodes = [
        house.submit(gpus=1, gpu_memory=memory).attempts[-1].node for memory in ("30GiB", "1GiB")
    ]

    assert nodes == ["n2", "n1"]


def test_a_job_goes_back_to_its_workspace_and_not_where_it_failed_to_start() -> None:
    house = a_house(24, 24)
    ran = house.submit(gpus=1, restart={"policy": "on-failure", "retries": 1, "backoff": "0s"})
    assert ran.attempts[-1].node == "n0"
    house.ended(house.running(ran), exit_code=1)
    house.now += 2
    house.beat("n0", a_card(0, node="n0"))
    again = house.job(ran.number)
    assert (again.state, len(again.attempts)) == (JobState.STARTING, 2)

    # it went to n1 at once, for the card of n0 was not seen clean yet; the next attempt knows both
    waiting = replace(again, state=JobState.PENDING)
    rooms = rooms_of(house.state)
    home, _ = best_room(house.state, waiting, shape_of(waiting), rooms, house.now)
    failed = replace(waiting, attempts=(replace(waiting.attempts[0], started_at=None),))
    away, _ = best_room(house.state, failed, shape_of(failed), rooms, house.now)

    assert home is not None
    assert (home.node.name, away) == ("n0", home)


def test_what_no_room_has_is_seen_at_once() -> None:
    house = a_house(24)
    rooms = list(rooms_of(house.state).values())
    most = Most.of(rooms)

    assert most.allows(a_shape(house, gpus=1, cpus=8).ask)
    assert not most.allows(a_shape(house, gpus=2).ask)
    assert not most.allows(a_shape(house, cpus=9).ask)
    assert not Most.of([]).allows(a_shape(house).ask)


def test_whoever_wants_as_much_of_the_same_is_refused_without_another_look() -> None:
    house = a_house(24)
    refused = Refused()
    refused.add(a_shape(house, gpus=2, cpus=2), is_kept=False)

    assert refused.covers(a_shape(house, gpus=3, cpus=2))
    assert not refused.covers(a_shape(house, gpus=1, cpus=2))
    assert not refused.covers(a_shape(house, gpus=2, cpus=1))
    assert not refused.covers(a_shape(house, gpus=2, cpus=2, gpu_memory="80GiB"))


def test_what_is_only_kept_from_a_job_one_with_a_shorter_timeout_may_have() -> None:
    house = a_house(24)
    refused = Refused()
    refused.add(a_shape(house, gpus=1, timeout="2h"), is_kept=True)

    assert refused.covers(a_shape(house, gpus=1, timeout="2h"))
    assert refused.covers(a_shape(house, gpus=1, timeout="3h"))
    assert refused.covers(a_shape(house, gpus=1))
    assert not refused.covers(a_shape(house, gpus=1, timeout="1m"))
    assert not refused.covers(a_shape(house, gpus=2, timeout="2h"))


def test_the_least_of_many_asks_is_the_least_of_each_amount() -> None:
    house = a_house(24)
    shapes = [a_shape(house, gpus=2, cpus=3), a_shape(house, gpus=1, cpus=8, memory="1GiB")]

    least = least_of([shape.ask for shape in shapes])

    assert (least.gpus, least.cpus_milli, least.memory_mib) == (1, 3000, 0)
