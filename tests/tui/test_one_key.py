"""Keys that arrive all at once mean what they would mean one by one."""

from textual import events
from textual.widgets import Input, Static

from eaas_tui.app import ConsoleApp
from eaas_tui.commanding import CommandLine
from eaas_tui.one_key import TOO_FAST
from eaas_tui.screens.confirm import Confirm, TypeToConfirm
from eaas_tui.screens.events import EventsScreen
from eaas_tui.screens.jobs import JobsScreen
from tests.rig.consoles import a_console
from tests.rig.pilots import until


def type_at_once(app: ConsoleApp, *keys: str) -> None:
    """Send keys as one burst: nothing is looked at between them."""
    for key in keys:
        app.post_message(events.Key(key, key if len(key) == 1 else None))


async def test_a_filter_typed_fast_cancels_nothing() -> None:
    app = a_console("busy")
    async with app.run_test() as pilot:
        app.picture_changed()
        await pilot.press("2")
        type_at_once(app, "slash", "x", "y", "space", "q")
        await until(lambda: bool(app.screen.query(Input)), pilot)
        await until(lambda: app.screen.query_one(Input).value == "xyq", pilot)

        assert isinstance(app.screen, JobsScreen)


async def test_a_command_typed_fast_arrives_whole() -> None:
    app = a_console()
    async with app.run_test() as pilot:
        type_at_once(app, "colon", *"nodexy")
        await until(lambda: isinstance(app.screen, CommandLine), pilot)
        await until(lambda: app.screen.query_one(Input).value == "nodexy", pilot)


async def test_a_key_whose_widget_is_gone_stops_no_other() -> None:
    app = a_console()
    async with app.run_test() as pilot:
        type_at_once(app, "question_mark", "escape", "colon", "escape", "2")
        await until(lambda: isinstance(app.screen, JobsScreen), pilot)


async def test_of_keys_no_person_can_have_typed_none_acts_and_that_is_said_once() -> None:
    app = a_console("busy")
    async with app.run_test() as pilot:
        app.picture_changed()
        await pilot.press("2")
        type_at_once(app, "x", "plus", "t", "X", "4")
        await until(lambda: isinstance(app.screen, EventsScreen), pilot)

        assert [note.message for note in app._notifications] == [f"x {TOO_FAST}"]
        assert len(app.screen_stack) == 1


async def test_a_key_that_acts_is_done_though_another_came_with_it() -> None:
    app = a_console("busy")
    async with app.run_test() as pilot:
        app.store.link("live", "", 1.0)
        app.client = object()  # type: ignore[assignment]
        app.picture_changed()
        await pilot.press("2")
        await until(lambda: app.picture.is_live, pilot)
        type_at_once(app, "j", "x")

        await until(lambda: isinstance(app.screen, Confirm), pilot)


async def test_a_word_that_a_question_asks_for_counts_with_its_enter_however_fast() -> None:
    app = a_console()
    answers: list[bool | None] = []
    async with app.run_test() as pilot:
        question = TypeToConfirm("Kill job 61 at once?", word="61", does="kill it")
        app.push_screen(question, answers.append)
        await pilot.pause()
        type_at_once(app, "6", "2", "enter")
        await until(lambda: "That is not 61" in str(said_by(question)), pilot)
        await pilot.press("backspace")
        assert said_by(question) == ""

        type_at_once(app, "1", "enter", "ctrl+l", "ctrl+l", "ctrl+l")
        await until(lambda: bool(answers), pilot)

        assert answers == [True]
        assert not app._notifications


def said_by(question: TypeToConfirm) -> str:
    return str(question.query_one("#question-mistake", Static).content)


async def test_how_long_nobody_has_pressed_a_key_is_known() -> None:
    app = a_console()
    async with app.run_test() as pilot:
        assert app.rested_s == float("inf")

        await pilot.press("j")
        assert 0 <= app.rested_s < float("inf")
