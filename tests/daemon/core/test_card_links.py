from eaas.node_views import CardLinksView
from eaas.wire.from_agent import CardLink
from eaas_daemon.core.card_links import card_links
from tests.rig.builders import House, a_card


def test_pairs_are_told_by_index_the_closest_first() -> None:
    house = House()
    links = [
        CardLink(a="GPU-n1-0", b="GPU-n1-1", kind="system"),
        CardLink(a="GPU-n1-2", b="GPU-n1-0", kind="nvlink"),
        CardLink(a="GPU-n1-1", b="GPU-n1-2", kind="system"),
        CardLink(a="GPU-n1-1", b="GPU-gone", kind="nvlink"),
    ]
    house.node("n1", a_card(0), a_card(1), a_card(2), links=links)

    assert card_links(house.state.nodes["n1"]) == (  # type: ignore[index]
        CardLinksView(kind="nvlink", pairs=((0, 2),)),
        CardLinksView(kind="system", pairs=((0, 1), (1, 2))),
    )


def test_an_agent_that_tells_nothing_of_it_has_no_links() -> None:
    house = House()
    house.node("n1", a_card(0), a_card(1))

    assert card_links(house.state.nodes["n1"]) == ()  # type: ignore[index]
