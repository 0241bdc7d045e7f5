from textual.widgets import OptionList

from eaas_tui.keys import Needs
from eaas_tui.screens.help import HelpScreen, entries, matching
from tests.rig.pictures import a_picture
from tests.rig.pilots import on_screen, screen_lines

ALL = frozenset[Needs]({"look", "act", "admin"})


def test_help_has_the_screens_own_keys_first_and_the_commands_last() -> None:
    found = entries("jobs", ALL)

    assert found[0] == ("j down", "one row down")
    assert found[-1][0] == ":quit"


def test_help_leaves_out_what_one_may_not_do() -> None:
    looking = entries("jobs", frozenset[Needs]({"look"}))

    assert not [entry for entry in looking if "cancel" in entry[1]]


def test_help_is_found_by_words_and_by_the_key_itself() -> None:
    found = entries("jobs", ALL)

    assert ("x", "cancel it or what is marked; asks first") in matching(found, "Cancel mark")
    assert matching(found, "x")[0][0] == "x"
    assert matching(found, "nothing like this") == []


async def test_typing_searches_and_escape_closes() -> None:
    screen = HelpScreen("jobs", may=ALL)
    async with on_screen(screen, a_picture()) as (app, pilot):
        everything = screen.query_one(OptionList).option_count
        await pilot.press(*"page")
        await pilot.pause()

        assert 0 < screen.query_one(OptionList).option_count < everything
        assert any("a page down" in line for line in screen_lines(app))

        await pilot.press("escape")
        assert app.screen is not screen
