from eaas.cli.draw_closeness import closeness
from eaas.cli.output import Table
from eaas.node_views import CardLinksView
from tests.rig.views import a_node


def test_each_pair_of_cards_has_a_word_and_a_card_has_none_with_itself() -> None:
    links = (
        CardLinksView(kind="nvlink", pairs=((0, 1),)),
        CardLinksView(kind="bridge", pairs=((0, 3),)),
        CardLinksView(kind="telepathy", pairs=((1, 3),)),
    )

    assert list(closeness(a_node(links=links))) == [
        Table(
            ("CLOSE", "0", "1", "3"),
            [
                ("0", None, "NVLink", "switch"),
                ("1", "NVLink", None, "telepathy"),
                ("3", "switch", "telepathy", None),
            ],
        )
    ]


def test_where_all_cards_are_equally_close_there_is_nothing_to_show() -> None:
    alike = CardLinksView(kind="host", pairs=((0, 1), (0, 2), (1, 2)))

    assert list(closeness(a_node(links=(alike,)))) == []
    assert list(closeness(a_node())) == []
