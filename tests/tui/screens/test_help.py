import time
from functools import partial

from textual import events
from textual.widgets import Input, OptionList

from eaas_tui.bursts import BURST_S
from eaas_tui.commanding import CommandLine
from eaas_tui.keys import Needs
from eaas_tui.screens.events import EventsScreen
from eaas_tui.screens.help import Entry, HelpScreen, entries, matching
from eaas_tui.screens.overview import OverviewScreen
from tests.rig.consoles import a_console
from tests.rig.pictures import a_picture
from tests.rig.pilots import on_screen, screen_lines, until

ALL = frozenset[Needs]({"look", "act", "admin"})


def test_help_has_the_screens_own_keys_first_and_the_commands_last() -> None:
    found = entries("jobs", ALL)

    assert found[0] == Entry("j down", "one row down")
    assert found[-1].press == ":quit"


def test_the_forms_help_has_its_own_keys_and_no_command_that_would_lose_it() -> None:
    found = entries("submit", ALL)

    assert found[0].press == "ctrl+s"
    assert {"ctrl+e", "ctrl+o", "ctrl+t", "ctrl+g", "ctrl+c"} <= {entry.press for entry in found}
    assert not [entry for entry in found if entry.verb or len(entry.press) == 1]


def test_help_leaves_out_what_one_may_not_do() -> None:
    looking = entries("jobs", frozenset[Needs]({"look"}))

    assert not [entry for entry in looking if "cancel" in entry.does]


def test_help_says_since_when_failures_are_counted() -> None:
    (entry,) = matching(entries("overview", ALL), "FAIL top line")

    assert "since this console began" in entry.does


def test_help_is_found_by_words_and_by_the_key_itself() -> None:
    found = entries("jobs", ALL)

    assert "x" in [entry.press for entry in matching(found, "Cancel mark")]
    assert matching(found, "x")[0].press == "x"
    assert matching(found, "nothing like this") == []


async def test_typing_searches_and_escape_closes() -> None:
    screen = HelpScreen("jobs", may=ALL)
    async with on_screen(screen, a_picture()) as (app, pilot):
        everything = screen.query_one(OptionList).option_count
        await pilot.press(*"page")

        await until(lambda: 0 < screen.query_one(OptionList).option_count < everything, pilot)
        await until(lambda: any("a page down" in line for line in screen_lines(app)), pilot)

        await pilot.press("escape")
        assert app.screen is not screen


async def test_enter_does_the_line_that_was_found_or_chosen_and_else_closes() -> None:
    app = a_console()
    async with app.run_test() as pilot:
        for words, down, place in (
            ("all jobs, or", 0, CommandLine),
            ("what happened", 0, EventsScreen),
            ("", 0, OverviewScreen),
            ("happened", 1, CommandLine),
            ("", 1, OverviewScreen),
        ):
            await pilot.press("1", "question_mark")
            app.screen.query_one(Input).value = words
            await pilot.pause()
            await pilot.press(*["down"] * down)
            await pilot.pause(BURST_S)
            await pilot.press("enter")
            await pilot.pause()

            assert isinstance(app.screen, place), words
            await pilot.press("escape")


async def test_the_list_follows_what_is_chosen_and_typing_starts_anew() -> None:
    screen = HelpScreen("jobs", may=ALL)
    async with on_screen(screen, a_picture()) as (app, pilot):
        keys = screen.query_one(OptionList)
        assert keys.highlighted is None

        await pilot.press("down")
        assert keys.highlighted == 0
        await pilot.press("pagedown", "down")
        await pilot.pause()
        assert keys.highlighted == keys.size.height + 1
        assert keys.scroll_offset.y > 0

        await pilot.press(*"page")
        await pilot.pause()
        assert (keys.highlighted, keys.scroll_offset.y) == (0, 0)
        assert app.screen is screen


async def test_a_burst_that_ends_in_enter_does_nothing() -> None:
    app = a_console()
    async with app.run_test() as pilot:
        await pilot.press("question_mark")
        now = time.monotonic()
        for key in (*"happ", "enter"):
            app.post_message(event := events.Key(key, key if len(key) == 1 else None))
            event.time = now
        while not app._notifications:
            await pilot.pause()

        assert [note.message.split()[0] for note in app._notifications] == ["enter"]
        assert isinstance(app.screen, HelpScreen)
        assert app.screen.query_one(Input).value == "happ"


async def test_a_click_does_what_the_line_says() -> None:
    app = a_console()
    async with app.run_test() as pilot:
        for words, place in (("all jobs, or", CommandLine), ("what happened", EventsScreen)):
            await pilot.press("question_mark")
            app.screen.query_one(Input).value = words
            await pilot.pause()
            await pilot.click(OptionList, offset=(5, 0))

            await until(partial(lambda wanted: isinstance(app.screen, wanted), place), pilot)
            await pilot.press("escape")
