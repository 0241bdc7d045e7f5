import tracemalloc

from hypothesis import given
from hypothesis import strategies as st

from eaas_daemon.core.recent_samples import EVERY_S, KEPT, NodeRecent
from eaas_daemon.core.run_samples import CardSample, Value

BEGIN = 1000.0
MOST_BYTES = 2_000_000


def seen(node: NodeRecent, now: float) -> tuple[Value, ...]:
    """Return the only card's load as far as it is known by now."""
    window = node.window(now)
    assert window is not None
    (card,) = node.cards.values()
    return card.utilization.between(*window)


def a_node(*readings: tuple[float, int | None]) -> NodeRecent:
    node = NodeRecent()
    for at, load in readings:
        node.add(at, 1500, 2048, [CardSample("a", load, 100)])
    return node


def test_a_sample_is_the_mean_of_ten_seconds_and_the_last_one_of_its_time_so_far() -> None:
    node = a_node((1000, 10), (1004, 20), (1010, 50), (1012, 60))

    assert seen(node, 1012) == (15, 55)
    assert node.cpus_milli.between(100, 101) == (1500, 1500)
    assert node.memory.between(100, 101) == (2048, 2048)


def test_time_without_a_reading_is_unknown_and_silence_until_now_is_part_of_it() -> None:
    node = a_node((1000, 10), (1030, 0), (1040, None))

    assert seen(node, 1045) == (10, None, None, 0, None)
    assert seen(node, 1065) == (10, None, None, 0, None, None)


def test_nothing_is_known_of_a_node_that_never_sent_a_reading() -> None:
    assert NodeRecent().window(1000) is None


def test_a_card_that_came_later_is_unknown_before_that() -> None:
    node = a_node((1000, 10), (1010, 10))
    node.add(1020, 0, None, [CardSample("a", 1, 1), CardSample("b", 2, 2)])

    assert node.cards["b"].utilization.between(100, 102) == (None, None, 2)


def test_a_card_that_is_gone_is_forgotten_when_nothing_of_it_is_left_to_show() -> None:
    node = a_node((BEGIN, 10))
    for slot in range(1, KEPT + 1):
        assert "a" in node.cards
        node.add(BEGIN + slot * EVERY_S, 0, None, [])

    assert node.cards == {}


def test_a_clock_that_is_set_back_begins_anew_and_a_little_does_no_harm() -> None:
    assert seen(a_node((1000, 10), (1010, 20), (1009, 40)), 1010) == (10, 30)
    assert seen(a_node((1000, 10), (1010, 20), (500, 40)), 500) == (40,)


@given(st.lists(st.tuples(st.integers(1, 40), st.one_of(st.none(), st.integers(0, 100)))))
def test_it_remembers_exactly_the_last_quarter_of_an_hour(
    readings: list[tuple[int, int | None]],
) -> None:
    node, slot, known = a_node((BEGIN, 1)), 100, {100: 1}
    for later, load in readings:
        slot += later
        node.add(slot * EVERY_S, 0, None, [CardSample("a", load, None)])
        known |= {} if load is None else {slot: load}

    first = max(100, slot - KEPT + 1)
    assert seen(node, slot * EVERY_S) == tuple(known.get(at) for at in range(first, slot + 1))


def test_eight_hundred_cards_cost_less_than_two_megabytes() -> None:
    tracemalloc.start()
    nodes = [NodeRecent() for _ in range(10)]
    for slot in range(KEPT):
        for name, node in enumerate(nodes):
            cards = [CardSample(f"GPU-{name}-{at}", slot + at, 20_000 + slot) for at in range(8)]
            node.add(BEGIN + slot * EVERY_S, 1500 + slot, 100_000 + slot, cards)
    used, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert 10 * used < MOST_BYTES
