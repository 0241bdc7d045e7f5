"""Pretended cards: what their text means, and how they behave under load."""

import asyncio

import pytest

from eaas.ids import CardUuid, NodeName
from eaas_agent.cards.port import CardProcess, CardsPicture
from eaas_agent.cards.simulated import (
    BadSimulation,
    Holder,
    Load,
    SimulatedCards,
    parse_simulation,
    simulated_reading,
)

NODE = NodeName("node-a")
CARD = parse_simulation("1x24GiB", NODE)[0]


class Clock:
    def __init__(self, now: float = 1_700_000_000.0) -> None:
        self.now = now

    def __call__(self) -> float:
        return self.now


def test_a_list_of_groups_makes_cards_in_order() -> None:
    cards = parse_simulation("2x24GiB, 1x80gib:NVIDIA A100,1x512MiB", NODE)

    assert [(card.index, card.model, card.memory_mib) for card in cards] == [
        (0, "24 GiB card (simulated)", 24576),
        (1, "24 GiB card (simulated)", 24576),
        (2, "NVIDIA A100 (simulated)", 81920),
        (3, "512 MiB card (simulated)", 512),
    ]


def test_uuids_are_the_same_after_a_restart_and_differ_between_nodes() -> None:
    one, again = (parse_simulation("2x24GiB", NODE) for _ in range(2))
    other = parse_simulation("2x24GiB", NodeName("node-b"))

    assert one == again
    assert len({card.uuid for card in (*one, *other)}) == 4
    assert all(card.uuid.startswith("GPU-") and len(card.uuid) == 40 for card in one)


@pytest.mark.parametrize(
    "text",
    ["", "2", "2x24", "x24GiB", "0x24GiB", "65x24GiB", "2x0GiB", "2x24GiB,", "2x24TiB", "-1x2GiB"],
)
def test_a_text_that_names_no_cards_is_refused_with_an_example(text: str) -> None:
    with pytest.raises(BadSimulation, match="like 2x24GiB or 4x80GiB:A100") as refused:
        parse_simulation(text, NODE)

    assert refused.value.sentence.startswith(f"--simulate {text!r} names no cards")


def test_the_same_moment_and_seed_give_the_same_reading() -> None:
    load = Load(holders={"job": (Holder(7), 100.0)}, since=100.0)

    one, again = (simulated_reading(CARD, load, 160.0, seed=3) for _ in range(2))

    assert one == again
    assert one != simulated_reading(CARD, load, 160.0, seed=4)
    assert one != simulated_reading(CARD, load, 163.0, seed=3)


def test_a_free_card_idles_near_zero_whatever_the_time() -> None:
    readings = [simulated_reading(CARD, Load(), float(now)) for now in range(0, 5000, 37)]

    assert {reading.utilization_pct for reading in readings} == {0}
    assert {reading.memory_used_mib for reading in readings} == {4}
    assert {reading.processes for reading in readings} == {()}
    assert all((reading.temperature_c or 0) < 40 for reading in readings)
    assert all(reading.simulated and "simulated" in reading.model for reading in readings)


def test_a_held_card_fills_its_memory_works_and_warms_up() -> None:
    load = Load(holders={"job": (Holder(7), 1000.0)}, since=1000.0)
    early, later, *warm = (
        simulated_reading(CARD, load, 1000.0 + s) for s in (1, 10, *range(120, 600, 3))
    )

    assert (early.memory_used_mib or 0) < (later.memory_used_mib or 0) < 24576
    assert (early.temperature_c or 0) < (later.temperature_c or 0) < (warm[0].temperature_c or 0)
    assert len({reading.utilization_pct for reading in warm}) > 5
    assert all(60 <= (reading.utilization_pct or 0) <= 100 for reading in warm)
    assert all(60 <= (reading.temperature_c or 0) <= 80 for reading in warm)
    assert len({reading.memory_used_mib for reading in warm}) == 1
    assert warm[0].processes == (CardProcess(pid=7, memory_mib=warm[0].memory_used_mib),)


async def test_load_appears_on_the_cards_that_are_held_and_leaves_with_them() -> None:
    clock = Clock()
    cards = SimulatedCards("2x24GiB", NODE, clock=clock)
    first, second = (card.uuid for card in (await cards.start()).cards)

    cards.hold({second: {"job": Holder()}})
    clock.now += 300
    busy = cards.picture()
    cards.hold({})
    clock.now += 1
    freed = cards.picture()
    clock.now += 600
    cooled = cards.picture()

    assert [utilization(busy, uuid) > 0 for uuid in (first, second)] == [False, True]
    assert [utilization(freed, uuid) for uuid in (first, second)] == [0, 0]
    assert freed.cards[1].memory_used_mib == 4
    warm, just_freed, cold = (it.cards[1].temperature_c or 0 for it in (busy, freed, cooled))
    assert warm - 4 < just_freed <= warm + 1
    assert cold == 34


async def test_a_pid_that_becomes_known_later_does_not_start_the_load_anew() -> None:
    clock = Clock()
    cards = SimulatedCards("1x24GiB", NODE, clock=clock)
    uuid = cards.picture().cards[0].uuid

    cards.hold({uuid: {"job": Holder()}})
    clock.now += 300
    before = cards.picture().cards[0]
    cards.hold({uuid: {"job": Holder(4711)}})
    after = cards.picture().cards[0]

    assert (before.processes, after.memory_used_mib) == ((), before.memory_used_mib)
    assert after.processes == (CardProcess(pid=4711, memory_mib=before.memory_used_mib),)


async def test_jobs_that_share_a_card_fill_their_own_parts_of_it_from_when_they_came() -> None:
    clock = Clock()
    cards = SimulatedCards("1x24GiB", NODE, clock=clock)
    uuid = cards.picture().cards[0].uuid
    first, second = Holder(1, 8192), Holder(2, 4096)

    cards.hold({uuid: {"a": first}})
    clock.now += 300
    alone = cards.picture().cards[0]
    cards.hold({uuid: {"a": first, "b": second}})
    joined = cards.picture().cards[0]
    clock.now += 300
    (mine, other) = cards.picture().cards[0].processes or ()

    assert joined.memory_used_mib == alone.memory_used_mib
    assert 0 < (mine.memory_mib or 0) <= 8192
    assert (other.pid, other.memory_mib) == (2, (mine.memory_mib or 0) // 2)


async def test_cards_may_be_tied_in_groups() -> None:
    cards = SimulatedCards("4x80GiB/2:A100,2x24GiB", NODE)
    index = {card.uuid: card.index for card in cards.picture().cards}

    links = cards.picture().links

    assert len(links) == 15
    tied = [(index[link.a], index[link.b]) for link in links if link.kind == "nvlink"]
    assert tied == [(0, 1), (2, 3)]


async def test_each_period_gives_one_new_picture() -> None:
    cards = SimulatedCards("1x24GiB", NODE, period_s=0.01)

    async with asyncio.timeout(5):
        stamps = [(await cards.changed()).sampled_at for _ in range(3)]
    await cards.close()

    assert stamps == sorted(set(stamps))


def utilization(picture: CardsPicture, uuid: CardUuid) -> int:
    return next(card.utilization_pct or 0 for card in picture.cards if card.uuid == uuid)
