"""A few lines, painted only where they say something else."""

from typing import Self

from textual.app import App, ComposeResult
from textual.geometry import Region

from eaas_tui.model.columns import Cell
from eaas_tui.widgets.text_lines import TextLines


class Watched(TextLines):
    def __init__(self) -> None:
        super().__init__()
        self.asked: list[Region] = []

    def refresh(self, *regions: Region, **options: bool) -> Self:
        self.asked.extend(regions)
        return super().refresh(*regions, **options)


class LinesApp(App[None]):
    def compose(self) -> ComposeResult:
        yield Watched()


async def test_only_the_lines_that_changed_are_painted() -> None:
    app = LinesApp()
    async with app.run_test(size=(10, 3)):
        lines = app.query_one(Watched)
        lines.show([[Cell("one", "strong"), Cell(" 1")], [Cell("two")], [Cell("three")]])
        lines.asked.clear()

        lines.show([[Cell("one", "strong"), Cell(" 1")], [Cell("2", "bad")], [Cell("three")]])
        assert lines.asked == [Region(0, 1, 10, 1)]
        assert lines.text() == "one 1\n2\nthree"

        lines.show([[Cell("训练多模态大模型", "muted")]])
        assert lines.asked[1:] == [Region(0, y, 10, 1) for y in range(3)]
        assert lines.render_line(0).text == "训练多模 ~"
        assert lines.render_line(2).text == " " * 10
