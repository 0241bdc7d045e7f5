from collections import Counter
from typing import Any

from eaas.lifecycle import CardState
from eaas_daemon.core import events as e
from eaas_daemon.core.inventory_picture import card_view, pool_view
from tests.rig.builders import ADMIN, ALICE, House, a_card
from tests.rig.metrics import Scraped, a_moment, scraped

GIB = 1 << 30
READINGS = ("utilization_ratio", "memory_used_bytes", "temperature_celsius", "power_watts")


def a_house(*cards: Any) -> House:
    house = House()
    house.node("n1", *(cards or (a_card(0), a_card(1), a_card(2, state="sick", text="Xid 79"))))
    house.pool("default", "n1")
    return house


def look(house: House) -> Scraped:
    return scraped(a_moment(house.state, house.now))


def test_a_cards_readings_are_shown_in_base_units_under_its_names() -> None:
    house = a_house(
        a_card(0, memory_used_mib=512, utilization_pct=37, temperature_c=61, power_w=250.5)
    )

    found = look(house)

    card = {"node": "n1", "index": "0", "uuid": "GPU-n1-0"}
    assert found.value("card_memory_total_bytes", **card) == 24 * GIB
    assert found.value("card_memory_used_bytes", **card) == 512 << 20
    assert found.value("card_utilization_ratio", **card) == 0.37
    assert found.value("card_temperature_celsius", **card) == 61
    assert found.value("card_power_watts", **card) == 250.5
    model = "NVIDIA GeForce RTX 3090"
    assert found.value("card_info", **card, model=model, simulated="false") == 1


def test_a_simulated_card_says_so() -> None:
    found = look(a_house(a_card(0, simulated=True), a_card(1)))

    assert set(found.rows("card_info", "index", "simulated")) == {("0", "true"), ("1", "false")}


def test_what_nobody_knows_has_no_series() -> None:
    blind = a_card(0, utilization_pct=None, memory_used_mib=None, temperature_c=None, power_w=None)

    found = look(a_house(blind))

    assert all(found.rows(f"card_{each}", "uuid") == {} for each in READINGS)


def test_the_last_readings_of_a_silent_node_are_not_shown_as_new() -> None:
    house = a_house()
    house.quiet_start()
    assert len(look(house).rows("card_power_watts", "uuid")) == 3

    house.silence("n1")

    found = look(house)
    assert all(found.rows(f"card_{each}", "uuid") == {} for each in READINGS)
    assert set(found.rows("card_state", "index", "state")) == {
        ("0", "unknown"),
        ("1", "unknown"),
        ("2", "unknown"),
    }


def test_the_counts_of_a_pool_are_those_of_its_view() -> None:
    house = a_house()
    house.node("n2", a_card(0, node="n2"), a_card(1, node="n2"))
    house.pool("lab", "n1")
    house.do(e.AddToPool(caller=ADMIN, pool="lab", node="n2", cards=("1",)))
    house.running(house.submit(ALICE, gpus=1, pool="default"))
    house.do(e.SetDraining(caller=ADMIN, node="n2", draining=True))

    found = look(house)

    counts = found.rows("cards", "pool", "state")
    for name, pool in house.state.pools.items():
        view = pool_view(house.state, pool)
        assert sum(counts[name, state] for state in CardState) == view.cards_total
        assert counts[name, "held"] == view.cards_held
        assert found.value("cards_offered", pool=name) == view.cards_free
    assert counts["lab", "free"] == 2, "one of them is on a node that drains"
    assert found.value("cards_offered", pool="lab") == 1
    assert set(found.rows("card_pool_info", "pool", "uuid")) == {
        *(("default", f"GPU-n1-{index}") for index in range(3)),
        *(("lab", f"GPU-n1-{index}") for index in range(3)),
        ("lab", "GPU-n2-1"),
    }


def test_every_card_is_in_exactly_the_state_of_its_view() -> None:
    house = a_house()
    house.running(house.submit(ALICE, gpus=1))
    house.do(e.SetExcluded(caller=ADMIN, node="n1", card="1", excluded=True))

    found = look(house).rows("card_state", "uuid", "state")

    node = next(iter(house.state.nodes.values()))
    views = [card_view(house.state, node, card) for card in node.cards]
    assert found == {(view.uuid, view.state): 1 for view in views}
    assert Counter(state for _, state in found) == {"held": 1, "excluded": 1, "sick": 1}
