import msgspec

from eaas.cli.draw_pool import (
    card_table,
    node_card,
    node_table,
    pool_table,
    queue_table,
    status_card,
)
from eaas.cli.output import Facts, Lines
from eaas.node_views import LinkEndView
from eaas.views import ConditionView, FolderCountsView, PoolNodeView
from tests.eaas.cli.test_system import FREE, STATUS, card
from tests.eaas.client.test_nodes import NODE
from tests.eaas.client.test_pools import POOL, QUEUE
from tests.rig.stand_in import AT


def test_a_long_trouble_leaves_the_list_its_table_and_is_whole_in_the_card() -> None:
    text = "two agents have the identity of n1: " + "one at 10.0.0.1, another came from " * 5
    twin = ConditionView(code="twin", text=text, since=AT)
    node = msgspec.structs.replace(NODE, conditions=(twin,))

    row = node_table([node]).rows[0][-1]
    card = [block for block in node_card(node) if isinstance(block, Lines)]

    assert row is not None
    assert (len(row), row[-1]) == (80, "…")
    assert text in str(card[0].lines)


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
    patient = msgspec.structs.replace(QUEUE, hold_after_s=None)
    assert queue_table([patient]).rows[0][-1] == "max GPUs 4, timeout 1h, hold after never"


def test_an_address_that_is_none_has_no_line() -> None:
    (facts,) = status_card(STATUS)

    assert isinstance(facts, Facts)
    assert dict(facts.pairs)["address"] is None


def test_what_is_wrong_with_the_whole_stands_before_everything_else() -> None:
    wrong = ConditionView(code="mass_loss", text="3 of 4 nodes fell silent", since=AT)

    first, _ = status_card(msgspec.structs.replace(STATUS, conditions=(wrong,)))

    assert isinstance(first, Lines)
    (line,) = first.lines
    assert line.startswith("mass_loss for ")
    assert line.endswith(": 3 of 4 nodes fell silent")


def test_watched_folders_are_one_line_that_says_where_to_look() -> None:
    counts = FolderCountsView(watched=2, wrong=1, left=1)
    (none,) = status_card(msgspec.structs.replace(STATUS, folders=None))
    (some,) = status_card(msgspec.structs.replace(STATUS, folders=counts))

    assert isinstance(none, Facts)
    assert isinstance(some, Facts)
    assert dict(none.pairs)["folders"] is None
    assert dict(some.pairs)["folders"] == (
        "2 watched, something is wrong with 1: mini-eaas folder list, 1 thing left lying"
    )


def test_an_offline_node_says_how_its_last_connection_ended_and_a_connected_one_does_not() -> None:
    end = LinkEndView(at=AT, why="ping timeout", by="nobody", address="10.0.0.4")
    there = msgspec.structs.replace(NODE, last_end=end, state="Ready")
    away = msgspec.structs.replace(there, state="Offline")

    assert node_table([there]).rows[0][-1] is None
    assert str(node_table([away]).rows[0][-1]).startswith("ping timeout, ")
    facts = next(iter(node_card(there)))
    assert isinstance(facts, Facts)
    assert str(dict(facts.pairs)["last connection"]).endswith(" ago, from 10.0.0.4")


def test_a_node_names_the_tasks_on_it_as_people_do_and_says_which_command_gives_it_a_pool() -> None:
    busy = msgspec.structs.replace(NODE, jobs=(3, 11), job_refs=("3", "4[7]"), pools=())
    facts = next(iter(node_card(busy)))

    assert isinstance(facts, Facts)
    assert dict(facts.pairs)["jobs"] == "3, 4[7]"
    assert f"mini-eaas pool add POOL {busy.name}" in str(dict(facts.pairs)["pools"])
    assert "3, 4[7]" in node_table([busy]).rows[0]
