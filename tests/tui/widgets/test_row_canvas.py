"""A list paints a line again only when it looks different."""

from typing import Self

from textual.app import App, ComposeResult
from textual.geometry import Region

from eaas_tui.model.columns import Cell, Column, Row
from eaas_tui.widgets.row_canvas import Look, RowCanvas
from tests.rig.pilots import until

COLUMNS = (Column(key="a", title="A", width=4), Column(key="b", title="B", width=4))


class Words(RowCanvas):
    """Lines of words, and the regions that were asked to be painted."""

    def __init__(self) -> None:
        super().__init__(COLUMNS)
        self.words = ["one", "two", "three"]
        self.asked: list[Region] = []

    def look_at(self, y: int) -> Look:
        word = self.words[y] if y < len(self.words) else ""
        return Look(content=Row((word, Cell("x", "bad"))), is_marked=word == "two")

    def refresh(self, *regions: Region, **options: bool) -> Self:
        self.asked.extend(regions)
        return super().refresh(*regions, **options)


class CanvasApp(App[None]):
    def compose(self) -> ComposeResult:
        yield Words()


async def test_only_the_lines_that_changed_are_painted() -> None:
    app = CanvasApp()
    async with app.run_test(size=(20, 4)):
        canvas = app.query_one(Words)
        canvas.paint_changes()
        canvas.paint_changes()
        assert canvas.asked == []

        canvas.words[2] = "four"
        canvas.paint_changes()
        assert canvas.asked == [Region(0, 2, 20, 1)]


async def test_a_line_that_looks_the_same_is_the_same_strip_until_the_theme_changes() -> None:
    app = CanvasApp()
    async with app.run_test(size=(20, 4)) as pilot:
        canvas = app.query_one(Words)
        strip = canvas.render_line(1)
        assert strip.text == " * two  x           "
        assert canvas.render_line(1) is strip

        app.theme = "textual-light"
        await until(lambda: canvas.render_line(1) is not strip, pilot)


async def test_a_place_in_a_line_belongs_to_a_column_or_to_none() -> None:
    app = CanvasApp()
    async with app.run_test(size=(20, 4)):
        canvas = app.query_one(Words)

        found = [canvas.column_at(x) for x in (0, 3, 6, 7, 8, 12)]
        assert [column and column.key for column in found] == [None, "a", "a", None, "b", None]
