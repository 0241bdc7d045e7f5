import msgspec

from eaas.cli.draw_pool import card_table, node_table, pool_table, queue_table, status_facts
from eaas.views import PoolNodeView
from tests.eaas.cli.test_system import FREE, STATUS, card
from tests.eaas.client.test_nodes import NODE
from tests.eaas.client.test_pools import POOL, QUEUE


def test_a_simulated_card_is_called_so_once() -> None:
    rows = card_table(
        [card(simulated=True), card(simulated=True, model="24 GiB card (simulated)")]
    ).rows

    assert [row[2] for row in rows] == ["RTX 3090 (simulated)", "24 GiB card (simulated)"]


def test_a_node_counts_its_free_cards() -> None:
    with_cards = msgspec.structs.replace(NODE, cards=(FREE, card(state="held")))

    assert node_table([with_cards]).rows[0][4] == "1 of 2 free"
    assert node_table([NODE]).rows[0][4] == "none"
    draining = msgspec.structs.replace(NODE, cards=(card(offered=False),))
    assert node_table([draining]).rows[0][4] == "0 of 1 free"


def test_a_node_of_which_only_some_cards_belong_to_the_pool_says_how_many() -> None:
    some = msgspec.structs.replace(POOL, nodes=(PoolNodeView(name="n1", cards=("GPU-1",)),))

    assert pool_table([some]).rows[0][1] == "n1 (1 card)"


def test_a_queue_shows_only_the_limits_that_are_set() -> None:
    assert queue_table([QUEUE]).rows[0][-1] == "max GPUs 4, timeout 1h"


def test_an_address_that_is_none_has_no_line() -> None:
    assert dict(status_facts(STATUS).pairs)["address"] is None
