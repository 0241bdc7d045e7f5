from statistics import median
from typing import Any, Self

import pytest
from msgspec.structs import replace
from textual import events
from textual.geometry import Region

from eaas_tui.glyphs import ASCII
from eaas_tui.model.grid import Spot
from eaas_tui.model.picture import Link, Picture
from eaas_tui.widgets.card_grid import CardGrid
from tests.rig.costs import costing
from tests.rig.pictures import a_big_picture, a_card, a_held_card, a_node, a_picture, a_pool
from tests.rig.pilots import OneWidget, lines_of, widths

SIZES = [(20, 5), (80, 24), (120, 40), (200, 60)]
FRAME_S = 0.015


class Listening(OneWidget):
    """Keeps what the grid says."""

    def __init__(self, grid: CardGrid) -> None:
        super().__init__(grid)
        self.opened: list[tuple[str, str | None]] = []
        self.spots: list[Spot | None] = []

    def on_card_grid_node_opened(self, message: CardGrid.NodeOpened) -> None:
        self.opened.append((message.node, message.card))

    def on_card_grid_card_selected(self, message: CardGrid.CardSelected) -> None:
        self.spots.append(message.spot)


PICTURE = a_picture(
    a_node("a", a_card(0), a_held_card(1, user="王芳"), a_held_card(2, state="shared")),
    a_node("训练机器一号", a_card(0), a_card(1, state="foreign"), a_card(2, state="sick")),
)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("picture", [PICTURE, a_big_picture(100, 8), a_picture()])
async def test_every_line_fills_its_cells_exactly(size: tuple[int, int], picture: Picture) -> None:
    grid = CardGrid()
    async with Listening(grid).run_test(size=size) as pilot:
        grid.show(picture)
        await pilot.press("o", "j", "l", "l")

        assert len(lines_of(grid)) == size[1]
        assert widths(lines_of(grid)) == {size[0]}


async def test_keys_walk_over_cards_and_enter_opens_the_node() -> None:
    grid = CardGrid()
    app = Listening(grid)
    async with app.run_test(size=(80, 24)) as pilot:
        grid.show(PICTURE)
        await pilot.press("l", "right", "j", "enter")

        assert app.opened == [("训练机器一号", "GPU-训练机器一号-1")]
        assert app.spots[-1] == Spot("default", "训练机器一号", "GPU-训练机器一号-1")
        assert "训练机器一号 card 1" in lines_of(grid)[-1]


async def test_enter_on_a_pools_line_closes_it_and_opens_it_again() -> None:
    grid = CardGrid()
    async with Listening(grid).run_test(size=(80, 24)) as pilot:
        grid.show(PICTURE)
        await pilot.press("g", "enter")
        closed = "".join(lines_of(grid))
        await pilot.press("enter")

        assert "训练机器一号" not in closed
        assert "训练机器一号" in "".join(lines_of(grid))


async def test_the_mouse_selects_a_card_and_a_second_click_opens_its_node() -> None:
    grid = CardGrid()
    app = Listening(grid)
    async with app.run_test(size=(80, 24)) as pilot:
        grid.show(PICTURE)
        x = lines_of(grid)[0].index("G1")
        await pilot.click(grid, offset=(x, 2))
        selected = grid.spot
        await pilot.click(grid, offset=(x, 2), times=2)

        assert selected == Spot("default", "a", "GPU-a-1")
        assert app.opened == [("a", "GPU-a-1")]


async def test_the_cursor_stays_on_its_card_when_nodes_come_and_go() -> None:
    grid = CardGrid()
    async with Listening(grid).run_test(size=(80, 24)) as pilot:
        grid.show(PICTURE)
        await pilot.press("l", "l")
        earlier = [a_node("0", a_card(0)), *PICTURE.nodes.values()]
        grid.show(a_picture(*earlier))

        assert grid.spot == Spot("default", "a", "GPU-a-1")


class Painted(CardGrid):
    """Keeps which parts of it were asked to be painted again."""

    def __init__(self) -> None:
        super().__init__()
        self.painted: list[tuple[int, int, int]] = []

    def refresh(self, *regions: Region, **how: Any) -> Self:
        self.painted += [(region.x, region.y, region.height) for region in regions]
        return super().refresh(*regions, **how)


async def test_only_the_cells_that_changed_are_painted() -> None:
    grid = Painted()
    async with Listening(grid).run_test(size=(80, 24)) as pilot:
        grid.show(PICTURE)
        await pilot.pause()
        x = lines_of(grid)[0].index("G1")
        grid.painted.clear()
        node = PICTURE.nodes["a"]
        busier = replace(node.cards[1], utilization_pct=99)
        changed = replace(node, cards=(node.cards[0], busier, node.cards[2]))
        grid.show(replace(PICTURE, nodes={**PICTURE.nodes, "a": changed}))
        grid.show(replace(PICTURE, nodes={**PICTURE.nodes, "a": changed}))

        line_about_the_node = (0, 23, 1)
        assert grid.painted == [(x, 2, 1), line_about_the_node]


async def test_it_scrolls_to_where_the_cursor_is_and_draws_only_what_is_seen() -> None:
    grid = CardGrid()
    async with Listening(grid).run_test(size=(60, 10)) as pilot:
        grid.show(a_big_picture(14, 8))
        await pilot.press("G")

        assert grid.spot == Spot("default", "node13")
        assert lines_of(grid)[-2].startswith("> node13")
        assert not any("node00" in line for line in lines_of(grid))


async def test_the_wheel_scrolls_without_moving_the_cursor() -> None:
    grid = CardGrid()
    async with Listening(grid).run_test(size=(60, 10)) as pilot:
        grid.show(a_big_picture(14, 8))
        before = grid.spot
        await pilot._post_mouse_events([events.MouseScrollDown], grid)

        assert grid.spot == before
        assert "node02" in lines_of(grid)[1]


async def test_states_are_told_apart_in_ascii_and_while_nothing_is_live() -> None:
    grid = CardGrid()
    async with Listening(grid).run_test(size=(80, 24)) as pilot:
        grid.glyphs = ASCII
        grid.show(replace(PICTURE, link=Link(state="away", since=0.0)))
        await pilot.pause()

        text = "\n".join(lines_of(grid)).replace("训练机器一号", "").replace("王", "")
        assert text.isascii()
        assert all(sign in text for sign in (". free", "+", "F ", "! sick"))


async def test_two_pools_stand_below_each_other() -> None:
    grid = CardGrid()
    one, other = a_node("a", a_card(0)), a_node("b", a_card(0), pools=("slow",))
    pools = {"fast": a_pool("fast", [one]), "slow": a_pool("slow", [other])}
    async with Listening(grid).run_test(size=(80, 24)):
        grid.show(a_picture(one, other, pools=pools))

        words = [line.split()[:2] for line in lines_of(grid)[1:5]]
        assert words == [["-", "fast"], [">", "a"], ["-", "slow"], ["b", "·"]]


async def test_a_hundred_nodes_of_eight_cards_change_within_a_frame() -> None:
    grid = CardGrid()
    async with Listening(grid).run_test(size=(200, 60)) as pilot:
        pictures = [a_big_picture(100, 8, seq=seq) for seq in range(6)]
        pictures = [replace(picture, samples=pictures[0].samples) for picture in pictures]
        grid.show(pictures[0])
        await pilot.pause()
        took = []
        for picture in pictures[1:]:
            with costing() as cost:
                grid.show(picture)
                lines_of(grid)
            took.append(cost.s)

        assert median(took) < FRAME_S
