"""Keys that arrive all at once mean what they would mean one by one."""

from textual import events
from textual.widgets import Input

from eaas_tui.app import ConsoleApp
from eaas_tui.commanding import CommandLine
from eaas_tui.screens.jobs import JobsScreen
from tests.rig.consoles import a_console


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
        await pilot.pause(0.5)

        assert isinstance(app.screen, JobsScreen)
        assert app.screen.query_one(Input).value == "xyq"


async def test_a_command_typed_fast_arrives_whole() -> None:
    app = a_console()
    async with app.run_test() as pilot:
        type_at_once(app, "colon", *"nodexy")
        await pilot.pause(0.5)

        assert isinstance(app.screen, CommandLine)
        assert app.screen.query_one(Input).value == "nodexy"


async def test_a_key_whose_widget_is_gone_stops_no_other() -> None:
    app = a_console()
    async with app.run_test() as pilot:
        type_at_once(app, "question_mark", "escape", "colon", "escape", "2")
        await pilot.pause(0.5)

        assert isinstance(app.screen, JobsScreen)
