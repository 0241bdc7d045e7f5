from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from eaas.wire.from_agent import Image
from eaas_daemon.core import events as e
from eaas_daemon.core.ask import shape_of
from eaas_daemon.core.choose import best_room
from eaas_daemon.core.model import Job
from eaas_daemon.core.ranking import Ranking
from eaas_daemon.core.reserve import cards_for, kept_rooms, take
from eaas_daemon.core.rooms import rooms_of
from tests.rig.builders import ADMIN, ALICE, BOB, House, a_card

plain = st.fixed_dictionaries({"gpus": st.integers(0, 3), "cpus": st.sampled_from([1, 3])})
picky = st.fixed_dictionaries(
    {"gpus": st.integers(1, 2)},
    optional={
        "gpu_memory": st.just("40GiB"),
        "gpu_type": st.just("a100"),
        "image": st.sampled_from(["big", "small"]),
        "timeout": st.just("1m"),
    },
)
wishes = st.lists(plain | picky, min_size=1, max_size=12)


def a_house(sizes: list[list[int]]) -> House:
    """Return nodes with cards of these GiB; from 40 on they are another model."""
    house = House()
    for index, gibs in enumerate(sizes):
        name = f"n{index}"
        cards = [
            a_card(i, node=name, gib=gib, model="A100" if gib >= 40 else "RTX 3090")
            for i, gib in enumerate(gibs)
        ]
        house.node(name, *cards, cpus=8)
    house.pool("default", *(f"n{index}" for index in range(len(sizes))))
    return house


def waiting(house: House, fields: list[dict[str, Any]]) -> list[Job]:
    house.queue("default", paused=True)
    return [
        house.submit(BOB if number % 2 else ALICE, force=True, **wish)
        for number, wish in enumerate(fields)
    ]


@settings(max_examples=300, deadline=None)
@given(
    sizes=st.lists(st.lists(st.sampled_from([24, 24, 48, 80]), max_size=4), min_size=1, max_size=4),
    fields=wishes,
)
def test_it_gives_each_job_the_room_that_a_look_at_all_of_them_gives(
    sizes: list[list[int]], fields: list[dict[str, Any]]
) -> None:
    house = a_house(sizes)
    jobs = waiting(house, fields)
    state, now = house.state, house.now
    rooms = rooms_of(state)
    ranking = Ranking(state, rooms, now)
    for job in jobs:
        shape = shape_of(job)
        room, is_kept = ranking.best(job, shape)
        assert (room, is_kept) == best_room(state, job, shape, rooms, now)
        if room is not None:
            take(room, shape, cards_for(room, shape, state.pools[job.pool]), now)
            ranking.changed(room.node.name)


def test_a_room_that_is_kept_for_another_is_passed_over_and_found_again() -> None:
    house = a_house([[24, 24], [24, 24]])
    running = house.running(house.submit(gpus=1, timeout="1h"))
    house.running(house.submit(gpus=2, timeout="2h"))
    house.submit(gpus=2)
    house.queue("later", paused=True)
    long = house.submit(gpus=1, queue="later")
    short = house.submit(gpus=1, queue="later", timeout="1m")
    rooms = kept_rooms(house.state, house.now)
    ranking = Ranking(house.state, rooms, house.now)
    assert rooms[running.attempts[-1].node].kept is not None

    assert ranking.best(long, shape_of(long)) == (None, True)
    room, _ = ranking.best(short, shape_of(short))

    assert room is not None
    assert room.node.name == running.attempts[-1].node


def test_the_node_with_the_image_goes_before_one_that_is_alike() -> None:
    house = a_house([[24], [24]])
    image = Image(name="busybox", digest=None, size_mib=1)
    house.node("n2", a_card(0, node="n2"), cpus=8, images=(image,))
    house.do(e.AddToPool(caller=ADMIN, pool="default", node="n2", cards=None))
    (job,) = waiting(house, [{"gpus": 1}])

    room, _ = Ranking(house.state, rooms_of(house.state), house.now).best(job, shape_of(job))

    assert room is not None
    assert room.node.name == "n2"
