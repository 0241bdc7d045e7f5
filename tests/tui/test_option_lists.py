import pytest
from textual.widgets import OptionList

from eaas_tui.option_lists import mend_option_lists
from tests.rig.consoles import a_console
from tests.rig.pilots import OneWidget

PAGES = ("down", "pageup", "pagedown", "home", "pagedown", "end", "pageup")


@pytest.mark.parametrize("size", [(20, 3), (1, 30)], ids=["no line", "no column"])
async def test_pages_in_a_palette_without_room_are_no_mistake(size: tuple[int, int]) -> None:
    app = a_console()
    async with app.run_test(size=size) as pilot:
        await pilot.press("ctrl+p")
        await pilot.pause()
        await pilot.press(*PAGES)

        assert app.screen.query_one(OptionList).option_count > 1


@pytest.mark.parametrize(("room", "moved_to"), [(0, 0), (4, 4)])
async def test_any_list_goes_a_page_at_a_time_as_far_as_it_has_room(
    room: int, moved_to: int
) -> None:
    mend_option_lists()
    shown = OptionList(*(f"option {n}" for n in range(20)), compact=True)
    shown.styles.height = room
    async with OneWidget(shown).run_test() as pilot:
        await pilot.pause()
        shown.highlighted = 0
        await pilot.press("pagedown")

        assert shown.highlighted == moved_to
