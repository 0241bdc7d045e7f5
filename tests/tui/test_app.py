"""The whole console in memory: what its keys do, and what it draws when."""

import asyncio
from itertools import cycle
from pathlib import Path

import pytest
from msgspec.structs import replace
from rich.color import ColorSystem
from rich.segment import Segment
from textual import events
from textual.strip import Strip
from textual.widgets import Input, Static

from eaas.wire.to_client import Readings
from eaas_tui.app import CLEARED, ConsoleApp
from eaas_tui.arguments import Arguments
from eaas_tui.commanding import CommandLine
from eaas_tui.pace import GIVES_WAY, STEPS_S
from eaas_tui.screens.help import HelpScreen
from eaas_tui.screens.jobs import JobsScreen
from eaas_tui.screens.overview import OverviewScreen
from eaas_tui.shown_screen import ShownScreen
from eaas_tui.widgets.prompt import Prompt
from tests.rig.consoles import a_console
from tests.rig.pilots import screen_lines, until


async def test_ctrl_c_twice_leaves_whatever_is_open() -> None:
    app = a_console()
    async with app.run_test() as pilot:
        await pilot.press("question_mark", "ctrl+c")
        assert isinstance(app.screen, HelpScreen)
        assert app._exit is False
        (notice,) = app._notifications
        assert notice.message == "ctrl+c once more within 3 seconds leaves the console"
        app._interrupted_at -= 3.5
        await pilot.press("ctrl+c")
        assert app._exit is False
        app._interrupted_at -= 2
        await pilot.press("ctrl+c")
        assert app._exit is True


async def test_an_end_that_comes_before_the_beginning_is_not_forgotten() -> None:
    app = a_console()
    app.end(143)
    async with app.run_test():
        assert app._exit is True
    assert app.return_code == 143


async def test_q_is_a_letter_where_one_types() -> None:
    app = a_console()
    async with app.run_test() as pilot:
        await pilot.press("2", "slash", "q")

        assert app.screen.query_one(Input).value == "q"
        assert isinstance(app.screen, JobsScreen)


@pytest.mark.parametrize("text", ["q", "x", "y", "qqqq", "2", ":quit\r", "xy\n"])
async def test_a_paste_triggers_no_key(text: str) -> None:
    app = a_console()
    async with app.run_test() as pilot:
        app.picture_changed()
        await pilot.pause()
        app.post_message(events.Paste(text))
        await pilot.pause()

        assert isinstance(app.screen, OverviewScreen)
        assert len(app.screen_stack) == 1
        assert app._exit is False


async def test_a_paste_into_a_prompt_is_typed_there() -> None:
    app = a_console()
    async with app.run_test() as pilot:
        await pilot.press("colon")
        app.post_message(events.Paste("node a"))

        await until(lambda: isinstance(app.screen, CommandLine), pilot)
        await until(lambda: app.screen.query_one(Input).value == "node a", pilot)


async def test_ten_pictures_a_second_at_most_are_drawn() -> None:
    app = a_console()
    async with app.run_test() as pilot:
        drawn: list[int] = []
        app.watch(app, "picture", lambda picture: drawn.append(picture.seq), init=False)
        for seq in range(2000):
            app.store.link("away", f"try {seq}", 1.0)
            app.picture_changed()
        await pilot.pause(0.25)

        assert 1 <= len(drawn) <= 4
        assert app.picture.link.text == "try 1999"


async def test_nothing_is_drawn_while_output_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    app = a_console()
    async with app.run_test() as pilot:
        monkeypatch.setattr(ConsoleApp, "output_waits", 3)
        app.picture_changed()
        await pilot.pause()
        assert app.picture.seq == 0

        monkeypatch.setattr(ConsoleApp, "output_waits", 0)
        app._draw_if_free()
        assert app.picture is app.store.picture


@pytest.mark.parametrize(("waits", "written"), [(0, [CLEARED]), (1, [])])
async def test_a_terminal_that_takes_nothing_is_not_cleared_again_and_again(
    monkeypatch: pytest.MonkeyPatch, waits: int, written: list[str]
) -> None:
    monkeypatch.setattr(ConsoleApp, "output_waits", waits)
    app = a_console()
    async with app.run_test() as pilot:
        came: list[str] = []
        monkeypatch.setattr(app._driver, "write", came.append)
        await pilot.press("ctrl+l")

        assert came == written


async def test_a_live_draw_gives_way_to_a_key_but_not_for_ever() -> None:
    app = a_console("busy")
    async with app.run_test():
        app._is_busy = True
        for _ in range(GIVES_WAY):
            app._draw_if_free()
            assert app.picture.seq == 0
        app._draw_if_free()

        assert app.picture is app.store.picture


async def test_what_gave_way_to_a_key_is_drawn_right_behind_it() -> None:
    app = a_console("busy")
    async with app.run_test():
        app._is_busy = True
        app._draw_if_free()
        assert app.picture.seq == 0

        app._over(app._turn)

        assert app.picture is app.store.picture


async def test_a_key_that_comes_while_readings_are_drawn_is_done_after_them() -> None:
    app = a_console("busy")
    async with app.run_test() as pilot, asyncio.timeout(20):
        app._draw_if_free()
        await app.on_event(events.Key("2", "2"))
        assert not app.is_busy  # what is being drawn is not the answer to that key

        while not isinstance(app.screen, JobsScreen):
            await pilot.pause()


async def test_on_a_slow_terminal_only_what_a_key_paints_is_awaited() -> None:
    app = ConsoleApp(Arguments(slow=True))
    async with app.run_test():
        assert not app.is_awaited
        app._is_busy = True
        assert app.is_awaited


async def test_readings_alone_may_be_drawn_in_portions_but_not_what_a_key_paints() -> None:
    app = a_console("busy")
    async with app.run_test():
        app._draw_if_free()
        assert app.is_awaited

        node = next(iter(app.store.picture.nodes.values()))
        read = Readings(at="", node=node.name, cpus_used=0.5, memory_used_mib=7, cards=node.cards)
        app.store.apply(read, 1.0)
        app._draw_if_free()
        assert not app.is_awaited
        app._is_busy = True
        assert app.is_awaited


async def test_newer_numbers_wait_while_those_before_are_being_written_and_nothing_else_does() -> (
    None
):
    app = a_console("busy")
    async with app.run_test() as pilot:
        app._draw_if_free()
        app._shown = ShownScreen(200, 60)
        half = [(y, 0, Strip([Segment("x" * 200)])) for y in range(60)]
        app._shown.leave(half, ColorSystem.TRUECOLOR)

        node = next(iter(app.store.picture.nodes.values()))
        read = Readings(at="", node=node.name, cpus_used=0.5, memory_used_mib=7, cards=node.cards)
        app.store.apply(read, 1.0)
        app._draw_if_free()
        assert app.picture is not app.store.picture

        app.store.apply(replace(read, memory_used_mib=8), 2.0)
        app.store.link("away", "it does not answer", 3.0)
        app._draw_if_free()
        assert app.picture is app.store.picture

        app.store.apply(replace(read, memory_used_mib=9), 4.0)
        app._draw_if_free()
        assert app.picture is not app.store.picture
        await until(lambda: app.picture is app.store.picture, pilot)  # by itself in the end


async def test_what_the_portions_of_live_draws_cost_makes_those_rarer_too() -> None:
    app = a_console("busy")
    async with app.run_test(), asyncio.timeout(20):
        app._shown = shown = ShownScreen(200, 60)
        for sign in cycle("xo"):
            shown.leave(
                [(y, 0, Strip([Segment(sign * 200)])) for y in range(60)], ColorSystem.TRUECOLOR
            )
            app._go_on()
            await asyncio.sleep(0)
            if app._pace.interval_s > STEPS_S[0]:
                break


async def test_a_held_picture_stays_until_it_is_let_go() -> None:
    app = a_console()
    async with app.run_test() as pilot:
        await pilot.press("P")
        app.picture_changed()
        await pilot.pause()
        assert app.picture.seq == 0
        await until(lambda: "held" in screen_lines(app)[0], pilot)

        await pilot.press("P")
        await pilot.pause(0.15)
        assert app.picture is app.store.picture


async def test_a_console_that_only_looks_says_so_and_offers_nothing_else() -> None:
    app = a_console(view_only=True)
    async with app.run_test(size=(120, 30)) as pilot:
        app.picture_changed()
        await pilot.press("2", "n")
        await pilot.pause()

        lines = screen_lines(app)
        assert "view only" in lines[0]
        assert "cancel" not in lines[-1]
        assert isinstance(app.screen, JobsScreen)


async def test_a_recording_that_ends_is_told_once_and_stays_in_the_top_line(
    tmp_path: Path,
) -> None:
    app = a_console(record=tmp_path / "r.jsonl")
    async with app.run_test(size=(120, 30)) as pilot:
        assert "recording" in app.remarks
        app.recording_ended("the recording into r.jsonl ended: No space left on device")
        await pilot.press("P")

        await until(lambda: app.remarks == ("held: P goes on", "recording ended"), pilot)
        await until(lambda: "recording ended" in screen_lines(app)[0], pilot)
        (notice,) = app._notifications
        assert notice.message == "the recording into r.jsonl ended: No space left on device"


async def test_the_command_line_does_what_it_says_and_explains_what_it_cannot() -> None:
    app = a_console()
    async with app.run_test() as pilot:
        app.picture_changed()
        await pilot.pause()
        await pilot.press("colon", *"jobs user:bob", "enter")
        await until(lambda: isinstance(app.screen, JobsScreen), pilot)
        assert isinstance(app.screen, JobsScreen)
        assert app.screen.query_now.text == "user:bob"

        await pilot.press("colon", *"jbos", "enter")
        told = app.screen.query_one("#command-hints", Static)
        assert str(told.content) == "there is no command 'jbos'; did you mean jobs?"
        assert app.screen.query_one(Prompt).value == "jbos"
        await pilot.press("backspace", "backspace", "backspace", "o")
        assert str(told.content) == "jobs  job"

        await pilot.press("ctrl+u", *"q", "enter")
        assert app._exit is True


async def test_themes_go_round() -> None:
    app = a_console(theme="light")
    async with app.run_test() as pilot:
        assert app.theme == "eaas-light"
        await pilot.press("T")
        assert app.theme == "eaas-contrast"
        assert [notice.message for notice in app._notifications] == ["theme: contrast"]


async def test_no_size_is_too_small() -> None:
    app = a_console("troubles")
    async with app.run_test(size=(20, 5)) as pilot:
        app.picture_changed()
        await pilot.press("2", "4", "1", "question_mark", "escape", "colon", "escape")

        assert len(screen_lines(app)) == 5
