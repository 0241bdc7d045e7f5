"""Only changed lines are asked for, and what is seen is the same as if all had been."""

from functools import partial
from typing import Final

import pytest
from rich.color import ColorSystem
from textual._compositor import ChopsUpdate
from textual.app import App, ComposeResult
from textual.containers import Horizontal
from textual.geometry import Region
from textual.screen import Screen
from textual.strip import Strip
from textual.widget import Widget

from eaas_tui import compositor
from eaas_tui.shown_screen import ShownScreen, pieces_of
from eaas_tui.widgets.row_list import RowList
from tests.rig.consoles import a_console
from tests.rig.pilots import until

SIZE: Final = (120, 40)
TRUE: Final = ColorSystem.TRUECOLOR
WITHIN_S: Final = 20.0


class Compared(compositor.LeanCompositor):
    """Draws every update as Textual does, too."""

    def __init__(self, differences: list[str]) -> None:
        super().__init__()
        self.differences = differences
        self.updates = 0

    def render_partial_update(self) -> ChopsUpdate | None:
        update = super().render_partial_update()
        if update is not None:
            rows = {y for y, _, _ in update.spans}
            chops = self._render_chops(self.size.region, rows.__contains__)
            stock = ChopsUpdate(chops, update.spans, update.chop_ends)
            shown = ShownScreen(*self.size)
            shown.paint(pieces_of(update), TRUE)
            self.updates += 1
            self.differences += [left] if (left := shown.paint(pieces_of(stock), TRUE)) else []
        return update


async def test_an_update_is_the_same_as_textuals_own(monkeypatch: pytest.MonkeyPatch) -> None:
    differences: list[str] = []
    monkeypatch.setattr(compositor, "LeanCompositor", partial(Compared, differences))
    app = a_console("busy")
    async with app.run_test(size=SIZE) as pilot:
        app.picture_changed()
        await pilot.press(*"jjlo", "tab", *"jj", "2", *"jjkG", "space", *"vkgw<", "enter")
        await pilot.press("escape", "question_mark", "escape", "3", *"jj", "T", "2", *"jj")

        assert isinstance(app.screen._compositor, Compared)
        assert app.screen._compositor.updates > 5
        assert differences == []


class Counted(Widget):
    """Says which of its lines it was asked for."""

    def __init__(self, id: str) -> None:
        super().__init__(id=id)
        self.asked: list[int] = []

    def render_line(self, y: int) -> Strip:
        self.asked.append(y)
        return Strip.blank(self.size.width)


class Beside(Screen[None]):
    """Two widgets beside each other, and one before them."""

    CSS = """
    Horizontal { height: 1fr; }
    Counted { width: 1fr; height: 1fr; }
    #front { layer: front; width: 10; height: 2; offset: 2 5; }
    Beside { layers: base front; }
    """

    def __init__(self) -> None:
        super().__init__()
        self._compositor = compositor.LeanCompositor()

    def compose(self) -> ComposeResult:
        with Horizontal():
            yield Counted("left")
            yield Counted("right")
        yield Counted("front")


async def asked_after_change_of(*rows: int) -> dict[str | None, list[int]]:
    """Return the lines that each widget is asked for when these of the left one have changed."""
    app, screen = App[None](), Beside()
    async with app.run_test(size=(40, 20)) as pilot:
        await app.push_screen(screen)
        await pilot.pause()
        counted = list(screen.query(Counted))
        await until(lambda: all(widget.asked for widget in counted), pilot)
        for widget in counted:
            widget.asked.clear()
        left = screen.query_one("#left", Counted)
        left.refresh(*(Region(0, y, 20, 1) for y in rows))
        await until(lambda: left.asked, pilot)
        return {widget.id: sorted(widget.asked) for widget in counted if widget.asked}


async def test_of_two_lines_that_change_far_apart_only_these_are_asked_for() -> None:
    assert await asked_after_change_of(1, 18) == {"left": [1, 18]}


async def test_what_is_in_front_of_a_change_keeps_its_place() -> None:
    asked = await asked_after_change_of(4, 5)

    assert asked["left"] == [4, 5]
    assert "right" not in asked


def test_the_compositor_that_is_built_on_is_the_known_one() -> None:
    assert compositor.KNOWN


async def test_a_selection_that_moves_asks_the_list_for_two_lines() -> None:
    app = a_console("busy")
    async with app.run_test(size=SIZE) as pilot:
        app.picture_changed()
        await pilot.press("2")
        rows = app.screen.query_one("#jobs-list", RowList)
        await until(lambda: len(rows.rows) > 2, pilot)
        await pilot.press("g")
        asked: list[int] = []
        line = rows.render_line

        def noted(y: int) -> Strip:
            asked.append(y)
            return line(y)

        rows.render_line = noted  # type: ignore[method-assign]
        rows.action_move(1)
        await until(lambda: asked, pilot)

        assert asked == [1, 2]
