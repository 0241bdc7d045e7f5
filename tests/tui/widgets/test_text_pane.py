import pytest

from eaas_tui.model.columns import Cell
from eaas_tui.model.text_lines import text
from eaas_tui.widgets.text_pane import TextPane
from tests.rig.pilots import OneWidget, lines_of, widths

MANY = [text(f"line {number}") for number in range(30)]


def rows(pane: TextPane) -> list[str]:
    return [line.rstrip() for line in lines_of(pane)]


async def test_a_page_scrolls_and_stays_where_it_is_when_its_words_change() -> None:
    pane = TextPane()
    async with OneWidget(pane).run_test(size=(20, 4)) as pilot:
        pane.show(MANY)
        await pilot.press("j", "j")
        assert rows(pane)[0] == "line 2"

        pane.show([*MANY, text("one more")])

        assert rows(pane)[0] == "line 2"
        await pilot.press("G")
        assert rows(pane)[-1] == "one more"


async def test_a_journal_stays_at_its_end_unless_one_has_scrolled_up() -> None:
    pane = TextPane(at_end=True)
    async with OneWidget(pane).run_test(size=(20, 4)) as pilot:
        pane.show(MANY)
        assert rows(pane)[-1] == "line 29"
        await pilot.press("k")
        pane.show([*MANY, text("new")])
        assert rows(pane)[-1] == "line 28"


@pytest.mark.parametrize("size", [(1, 1), (20, 5)])
async def test_no_size_is_too_small(size: tuple[int, int]) -> None:
    pane = TextPane()
    async with OneWidget(pane).run_test(size=size) as pilot:
        pane.show([text(Cell("训练训练训练训练训练", "bad"), indent=30)] * 9)
        await pilot.press("j", "G", "pageup", "g")
        assert widths(lines_of(pane)) == {size[0]}
