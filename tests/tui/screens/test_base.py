import asyncio
import gc
import weakref
from collections.abc import Callable
from typing import Any, Final, Self

import pytest
from msgspec.structs import replace
from textual.app import ComposeResult
from textual.geometry import Region
from textual.screen import ModalScreen
from textual.widgets import Input

from eaas_tui.app import ConsoleApp
from eaas_tui.model.picture import EMPTY, Picture
from eaas_tui.screens.base import PictureApp, PictureScreen
from tests.rig.consoles import a_console
from tests.rig.pilots import until

WITHIN_S: Final = 20.0


class Drawn(PictureScreen):
    def __init__(self) -> None:
        super().__init__()
        self.seqs: list[int] = []

    def draw(self, picture: Picture) -> None:
        self.seqs.append(picture.seq)


class Console(PictureApp):
    def __init__(self) -> None:
        super().__init__()
        self.below, self.above = Drawn(), Drawn()

    async def show(self, seq: int) -> None:
        self.picture = replace(EMPTY, seq=seq)


async def test_a_screen_draws_while_it_is_on_top_and_catches_up_when_it_comes_back() -> None:
    app = Console()
    async with app.run_test() as pilot:
        await app.push_screen(app.below)
        await app.show(1)
        await pilot.pause()
        await app.push_screen(app.above)
        await app.show(2)
        await app.show(3)
        await pilot.pause()

        assert app.below.seqs[-1] == 1
        await until(lambda: app.above.seqs[-1] == 3, pilot)

        app.pop_screen()

        await until(lambda: app.below.seqs[-1] == 3, pilot)


class Window(ModalScreen[None]):
    CSS = "Window { background: transparent; }"


async def test_a_screen_below_a_transparent_one_goes_on_drawing() -> None:
    app = Console()
    async with app.run_test() as pilot:
        await app.push_screen(app.below)
        await app.push_screen(Window())
        await app.show(7)

        await until(lambda: app.below.seqs[-1] == 7, pilot)


async def test_a_screen_that_says_nothing_of_it_may_be_left_and_acts_on_nothing() -> None:
    screen = Drawn()

    assert screen.check_leave()
    assert screen.facts() == {}


def a_job(app: ConsoleApp) -> None:
    app.open_job(min(app.picture.jobs))


@pytest.mark.parametrize("opened", [ConsoleApp.open_submit, a_job], ids=["the form", "a job"])
async def test_a_closed_screen_does_not_stay_in_memory(
    opened: Callable[[ConsoleApp], None],
) -> None:
    app = a_console("busy")
    async with app.run_test() as pilot:
        app.picture = app.store.picture
        seen: list[weakref.ref[Any]] = []
        for _ in range(3):
            opened(app)
            await pilot.pause()
            seen += weakref.ref(app.screen), weakref.ref(app.screen._styles_cache)
            await pilot.press("escape")
            await pilot.pause()
        assert len(app.screen_stack) == 1

        async with asyncio.timeout(WITHIN_S):  # the last key's timers hold the last one a moment
            while any(it() is not None for it in seen):
                await pilot.pause(0.05)
                gc.collect()


class TwoToType(PictureScreen):
    drawn_whole = 0

    def compose(self) -> ComposeResult:
        yield Input()
        yield Input()

    def refresh(self, *regions: Region, **asked: bool) -> Self:
        self.drawn_whole += not regions
        return super().refresh(*regions, **asked)


async def test_the_screen_is_not_drawn_whole_when_another_widget_gets_the_keys() -> None:
    app, screen = PictureApp(), TwoToType()
    async with app.run_test() as pilot:
        await app.push_screen(screen)
        await pilot.pause()
        focused, screen.drawn_whole = screen.focused, 0
        await pilot.press("tab")
        await pilot.pause()

        assert focused is not screen.focused is not None
        assert screen.drawn_whole == 0
