from eaas_tui.widgets.tab_row import TabRow
from tests.rig.pilots import OneWidget, lines_of


class TabApp(OneWidget):
    """Keeps which tab was clicked."""

    chosen = ""

    def on_tab_row_chosen(self, event: TabRow.Chosen) -> None:
        self.chosen = event.name


async def test_the_chosen_tab_stands_in_brackets_and_a_click_chooses_another() -> None:
    row = TabRow(("Overview", "Log"))
    app = TabApp(row)
    async with app.run_test(size=(40, 3)) as pilot:
        row.choose("Overview")
        assert lines_of(row)[0].rstrip() == "[1 Overview]  2 Log"

        await pilot.click(row, offset=(16, 0))

        assert app.chosen == "Log"
