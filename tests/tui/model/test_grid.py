from eaas.views import PoolNodeView
from eaas_tui.model.grid import (
    LONGEST_NAME,
    NO_POOL,
    SPARK,
    Spot,
    blocks_of,
    kept,
    lay_out,
    sideways,
    spots_of,
    upright,
)
from eaas_tui.model.picture import EMPTY
from tests.rig.pictures import a_big_picture, a_card, a_node, a_picture, a_pool

PICTURE = a_picture(a_node("a", a_card(0), a_card(1)), a_node("b", a_card(0)))


def test_each_pool_has_its_nodes_below_it_and_strays_come_last() -> None:
    stray = a_node("z", pools=())
    picture = a_picture(*PICTURE.nodes.values(), stray, pools=PICTURE.pools)

    names = {pool: [block.node.name for block in blocks] for pool, blocks in
             blocks_of(picture).items()}  # fmt: skip

    assert names == {"default": ["a", "b"], NO_POOL: ["z"]}


def test_a_pool_shows_only_the_cards_that_belong_to_it() -> None:
    node = PICTURE.nodes["a"]
    half = a_pool("half", [node], nodes=(PoolNodeView(name="a", cards=(node.cards[1].uuid,)),))

    blocks = blocks_of(a_picture(node, pools={"half": half}))

    assert blocks["half"][0].cards == node.cards[1:]


def test_a_few_nodes_stand_one_a_line_in_the_widest_cells_that_fit() -> None:
    picture = a_big_picture(8, 8)

    cells = {width: lay_out(picture, width=width, height=20).measure.cell
             for width in (20, 40, 60, 80, 136, 200)}  # fmt: skip

    assert cells == {20: 1, 40: 3, 60: 5, 80: 8, 136: 15, 200: 20}
    assert len(lay_out(picture, width=80, height=20).lines) == 9


def test_an_endless_name_leaves_room_for_the_curves_beside_it() -> None:
    def measure(name: str, width: int) -> tuple[int, int]:
        node = a_node(name, *(a_card(index) for index in range(2)))
        found = lay_out(a_picture(node), width=width, height=20).measure
        return found.name, found.spark

    assert measure("n" * 300, 200) == (LONGEST_NAME + 1, SPARK)
    assert measure("n" * LONGEST_NAME, 200) == (LONGEST_NAME + 1, SPARK)
    assert measure("n" * 300, 40)[0] < LONGEST_NAME


def test_a_hundred_nodes_are_all_seen_at_once_where_there_is_room() -> None:
    grid = lay_out(a_big_picture(100, 8), width=133, height=30)

    assert grid.measure.across >= 4
    assert len(grid.lines) <= 30
    assert grid.measure.block * grid.measure.across <= 133


def test_nothing_is_wider_than_its_space_down_to_twenty_columns() -> None:
    grids = [
        lay_out(a_big_picture(nodes, 8), width=width, height=height)
        for nodes in (1, 8, 100)
        for width, height in ((20, 3), (80, 7), (200, 40))
    ]

    assert all(grid.measure.across >= 1 for grid in grids)
    assert [grid.measure.block <= 20 for grid in grids[::3]] == [True] * 3


def test_a_closed_pool_is_one_line() -> None:
    grid = lay_out(PICTURE, width=80, height=20, closed={"default"})

    assert [line.is_pool for line in grid.lines] == [True]
    assert grid.lines[0].nodes == ("a", "b")


def test_the_cursor_walks_over_nodes_and_cards_and_stops_at_the_ends() -> None:
    grid = lay_out(PICTURE, width=80, height=20)
    node = Spot("default", "a")
    first, second = (Spot("default", "a", f"GPU-a-{at}") for at in (0, 1))

    assert spots_of(grid.lines[1]) == [node, first, second]
    assert sideways(grid, node, 1) == first
    assert sideways(grid, second, 1) == second
    assert upright(grid, second, 1) == Spot("default", "b", "GPU-b-0")
    assert upright(grid, node, -9) == Spot("default")
    assert upright(grid, node, 9) == Spot("default", "b")


def test_the_cursor_stays_on_its_card_or_goes_to_what_is_nearest() -> None:
    grid = lay_out(PICTURE, width=80, height=20)
    shut = lay_out(PICTURE, width=80, height=20, closed={"default"})
    card = Spot("default", "b", "GPU-b-0")

    assert kept(grid, card) == card
    assert kept(grid, Spot("default", "b", "GPU-gone")) == Spot("default", "b")
    assert kept(shut, card) == Spot("default")
    assert kept(grid, Spot("gone")) == kept(grid, None) == Spot("default", "a")
    assert kept(lay_out(EMPTY, width=80, height=20), card) is None
