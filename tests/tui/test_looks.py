"""How the console looks and behaves on every screen: sizes, colours, wide signs, the way out."""

import os
import re
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Final

import pytest
from rich.cells import cell_len
from textual import events
from textual.geometry import Size
from textual.pilot import Pilot
from textual.widgets import Input

from eaas.errors import Unreachable
from eaas_tui.app import ConsoleApp
from eaas_tui.bursts import BURST_S
from eaas_tui.keys import KEYS, keys_of
from eaas_tui.screens.acting import NONE_SELECTED
from eaas_tui.screens.overview import OverviewScreen
from eaas_tui.widgets.row_list import RowList
from tests.rig.consoles import a_console
from tests.rig.pilots import screen_lines, until
from tests.rig.recordings import FOLDER
from tests.rig.terminal import RealTerminal

WITHIN_S: Final = 20.0
BUSY: Final = str(FOLDER / "busy.jsonl")
SGR: Final = re.compile(rb"\x1b\[([\d;]*)m")
SCREENS: Final[Mapping[str, tuple[str, ...]]] = {
    "overview": (),
    "jobs": ("2",),
    "job": ("2", "enter", "1"),
    "node": ("3",),
    "events": ("4",),
    "submit": ("n",),
    "help": ("question_mark",),
    "command line": ("colon",),
    "palette": ("ctrl+p",),
    "filter": ("2", "slash"),
    "cancel": ("2", "x"),
    "kill": ("2", "X"),
    "number": ("2", "p"),
    "queue": ("2", "end", "M"),
    "drain": ("3", "D"),
    "exclude": ("3", "E"),
    "pause": ("1", "Z"),
}
"""Every screen and every question by the keys that open it."""


VIEWS: Final = {"1": "OverviewScreen", "2": "JobsScreen", "3": "NodeScreen", "4": "EventsScreen"}


class Elsewhere:
    """Stands where a client is: whatever is asked, nobody answers. Keeps what was asked."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def __getattr__(self, name: str) -> Any:
        async def ask(*_: Any, **__: Any) -> None:
            self.asked.append(name)
            raise Unreachable("nobody is there")

        return ask


@asynccontextmanager
async def live(
    *, size: tuple[int, int] = (120, 40), recording: str = "busy", **asked: Any
) -> AsyncIterator[tuple[ConsoleApp, Pilot[None]]]:
    """A console that is live, and whose person may do everything."""
    app = a_console(recording, **asked)
    app.store.link("live", "", 1.0)
    async with app.run_test(size=size) as pilot:
        app.client = Elsewhere()  # type: ignore[assignment]
        app.picture_changed()
        await until(lambda: app.picture.is_live, pilot)
        yield app, pilot


async def press(app: ConsoleApp, pilot: Pilot[None], *keys: str) -> None:
    """Press keys as fast as a person could, each when the console is done with the one before.

    The pilot's own way waits for every key until the whole process rests. Keys that come faster
    are a paste to the console, and such a one's deeds are left out.
    """
    for key in keys:
        await until(lambda: app.rested_s > BURST_S, pilot)
        turn = app._turn
        app.simulate_key(key)
        await until(lambda turn=turn: app._turn > turn and not app._is_busy, pilot)  # type: ignore[misc]


async def go(app: ConsoleApp, pilot: Pilot[None], name: str) -> None:
    """Open a screen from the overview; a view has to be there before a key is meant for it."""
    for number, key in enumerate(SCREENS[name]):
        await press(app, pilot, key)
        if number == 0 and (view := VIEWS.get(key)) is not None:
            await until(lambda view=view: type(app.screen).__name__ == view, pilot)  # type: ignore[misc]


async def come_back(app: ConsoleApp, pilot: Pilot[None]) -> None:
    """Press escape until the overview is there; it takes no more than a few."""
    for _ in range(5):
        if isinstance(app.screen, OverviewScreen):
            return
        await press(app, pilot, "escape")
    raise AssertionError(f"escape does not leave {app.screen}")


async def test_no_screen_minds_a_storm_of_sizes() -> None:
    async with live(recording="small") as (app, pilot):
        for name in ("overview", "jobs", "job", "node", "submit", "kill"):
            await go(app, pilot, name)
            for size in ((200, 60), (1, 1), (250, 2), (3, 70), (90, 20)):
                app.post_message(events.Resize(Size(*size), Size(*size)))
            await until(lambda: app.size == (90, 20) == app.screen.size, pilot)

            await until(lambda: {cell_len(line) for line in screen_lines(app)} == {90}, pilot)
            await come_back(app, pilot)


@pytest.mark.parametrize(
    "opened",
    [
        {"jobs": "JobsScreen", "job": "JobScreen", "node": "NodeScreen", "events": "EventsScreen"},
        {"submit": "SubmitScreen", "help": "HelpScreen", "command line": "CommandLine"},
        {"palette": "CommandPalette", "filter": "JobsScreen", "queue": "PickQueue"},
        {"cancel": "Confirm", "kill": "TypeToConfirm", "number": "AskNumber"},
        {"drain": "Confirm", "exclude": "Confirm", "pause": "Confirm", "overview": ""},
    ],
    ids=["views", "forms", "lists", "jobs' questions", "nodes' questions and the overview"],
)
async def test_every_screen_fits_twenty_columns_and_five_lines_and_q_never_leaves_from_it(
    opened: Mapping[str, str],
) -> None:
    async with live(size=(20, 5)) as (app, pilot):
        for name, screen in opened.items():
            await go(app, pilot, name)
            assert {cell_len(line) for line in screen_lines(app)} == {20}, name
            if name == "overview":
                await pilot.press("q")
                assert app._exit is True
                continue
            await until(lambda screen=screen: type(app.screen).__name__ == screen, pilot)  # type: ignore[misc]
            await press(app, pilot, "q")
            if isinstance(app.focused, Input):
                assert app.focused.value.endswith("q"), name
                await press(app, pilot, "backspace")
            assert app._exit is False, name
            await come_back(app, pilot)


async def test_names_of_wide_signs_leave_every_column_where_it_is() -> None:
    async with live(recording="troubles", size=(100, 30)) as (app, pilot):
        assert any("训" in (job.name or "") for job in app.picture.jobs.values())
        for name in ("overview", "jobs", "events", "node"):
            await go(app, pilot, name)
            for shown in app.screen.query(RowList):
                lines = [shown.render_line(y) for y in range(shown.size.height)]
                assert {line.cell_length for line in lines} <= {shown.size.width}, name
                assert {cell_len(line.text) for line in lines} <= {shown.size.width}, name


@pytest.mark.parametrize("view", ["overview", "jobs", "job", "node", "events"])
async def test_a_console_that_only_looks_refuses_every_key_that_acts_and_says_why(
    view: str,
) -> None:
    async with live(view_only=True) as (app, pilot):
        await go(app, pilot, view)
        was = app.screen
        for key in keys_of(view):
            if key.needs == "look" or key.action == "clean_card":  # no card here is unclean
                continue
            app.clear_notifications()
            await pilot.press(key.keys[0])
            await pilot.pause()

            said = [note.message for note in app._notifications]
            assert len(said) == 1, key
            assert "only looks" in said[0] or said == [NONE_SELECTED], key
            assert app.screen is was, key
        assert isinstance(app.client, Elsewhere)
        assert not {"cancel", "patch", "top", "retry", "keep"} & set(app.client.asked)


def test_what_ends_or_takes_away_is_asked_or_is_a_capital() -> None:
    asking = {"cancel", "kill", "toggle_queue", "toggle_drain", "toggle_card", "clean_card"}
    found = {key.action: key.keys for key in KEYS if key.action in asking}

    assert found.keys() == asking
    assert [name for name, keys in found.items() if not keys[0].isupper()] == ["cancel"]


@pytest.fixture
def environ(tmp_path: Path) -> Mapping[str, str]:
    kept = {key: value for key, value in os.environ.items() if not key.startswith("MINI_EAAS_")}
    return {**kept, "MINI_EAAS_HOME": str(tmp_path), "COLORTERM": "truecolor"}


def looks_written(
    environ: Mapping[str, str], *args: str, by: tuple[str, ...] = ()
) -> tuple[set[str], bytes]:
    """Walk through the screens in a real terminal; return the looks' codes and all that came."""
    line = (*by, sys.executable, "-m", "eaas_tui", "--replay", BUSY, *args)
    with RealTerminal(*line, environ=environ) as terminal:
        terminal.await_text("node00", "RUN")
        for keys, seen in (("2", "JOBS"), ("4", "EVENTS"), ("1", "NODES"), ("?", "search")):
            terminal.press(keys)
            terminal.await_text(seen)
        terminal.press("escape")
        terminal.await_no_text("to search")
        terminal.press("q")
        terminal.await_end()
        written = bytes(terminal.written)
    return {found.decode() for found in SGR.findall(written)}, written


def test_with_no_color_no_colour_leaves_and_no_bell(environ: Mapping[str, str]) -> None:
    looks, written = looks_written(environ, by=("env", "NO_COLOR=1"))
    codes = {int(code) for look in looks for code in look.split(";") if code}

    assert {1, 7} <= codes <= {0, 1, 2, 3, 4, 7, 22, 23, 24, 27, 39, 49}
    assert b"\x07" not in written


def test_the_sixteen_colours_are_the_terminals_own(environ: Mapping[str, str]) -> None:
    looks, _ = looks_written(environ, "--theme", "ansi16")

    assert any(looks)
    assert not [look for look in looks if re.search("(38|48);(2|5)", look)]


async def test_at_the_smallest_size_whatever_is_cut_ends_in_a_mark() -> None:
    async with live(size=(20, 5), recording="empty") as (app, pilot):
        await until(lambda: "machine" in screen_lines(app)[3], pilot)
        assert screen_lines(app)[0].split() == ["RUN", "0", "~", "*", "live"]
        assert screen_lines(app)[3].rstrip().endswith("~")

        await go(app, pilot, "jobs")
        await until(lambda: "JOBS" in screen_lines(app)[1], pilot)
        assert screen_lines(app)[1].rstrip().endswith("~")
        assert screen_lines(app)[3].rstrip().endswith("~")

        await go(app, pilot, "help")
        await until(lambda: "type to" in screen_lines(app)[0], pilot)
        assert screen_lines(app)[0].rstrip().endswith("~")
