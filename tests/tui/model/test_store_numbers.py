from msgspec.structs import replace

from eaas.wire.to_client import AnyToClient, CardNumbers, ManyReadings, NodeNumbers
from eaas_tui.model.store import Store
from tests.rig.views import AT, a_card, a_node, a_snapshot


def a_store(*frames: AnyToClient) -> Store:
    store = Store()
    for frame in frames:
        store.apply(frame, AT)
    return store


def numbers(node: str, *cards: CardNumbers) -> ManyReadings:
    """Return a frame with nothing but numbers of this node."""
    of_node = NodeNumbers(node, "2025-06-01T03:20:01Z", 2.5, 2048, cards)
    return ManyReadings(readings=(), numbers=(of_node,))


def test_numbers_alone_change_what_is_measured_and_nothing_else() -> None:
    snapshot = a_snapshot(nodes=(a_node("n1", a_card(0), a_card(1)), a_node("n2")))
    measured = numbers("n1", CardNumbers(1, 2, 3, 4.5), CardNumbers(None, None, None, None))

    picture = a_store(snapshot, measured).picture

    at = "2025-06-01T03:20:01Z"
    first, second = (
        replace(
            a_card(index),
            memory_used_mib=used,
            utilization_pct=load,
            temperature_c=heat,
            power_w=power,
            sampled_at=at,
        )
        for index, (used, load, heat, power) in enumerate(((1, 2, 3, 4.5), (None,) * 4))
    )
    moved = a_node("n1", first, second, cpus_used=2.5, memory_used_mib=2048)
    assert picture.nodes == {"n1": moved, "n2": a_node("n2")}
    assert picture.samples["GPU-n1-0"].utilization_pct == (2,)


def test_numbers_that_belong_to_no_cards_known_here_are_left_alone() -> None:
    snapshot = a_snapshot(nodes=(a_node("n1", a_card(0), a_card(1)),))
    one = CardNumbers(1, 2, 3, 4.5)

    assert a_store(snapshot, numbers("n1", one)).picture.nodes == a_store(snapshot).picture.nodes
    assert a_store(snapshot, numbers("n9", one)).picture.nodes == a_store(snapshot).picture.nodes
