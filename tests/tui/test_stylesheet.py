"""What the console's style sheet leaves out, and that nothing looks different for it."""

from collections.abc import Callable
from typing import Any

import pytest
from textual.app import App, ComposeResult
from textual.containers import Vertical
from textual.css.stylesheet import Stylesheet
from textual.dom import DOMNode
from textual.screen import Screen
from textual.widget import Widget
from textual.widgets import Button, Input, Label

from eaas_tui import themes
from eaas_tui.stylesheet import LeanStylesheet
from tests.rig.consoles import a_console


class Counting(LeanStylesheet):
    """Counts the widgets that are styled."""

    styled = 0

    def apply(self, node: DOMNode, **given: Any) -> None:
        self.styled += isinstance(node, Widget)
        super().apply(node, **given)


class Looks(App[None]):
    """Has what style sheets depend on: classes, places, focus, and what is around."""

    CSS = """
    Screen.-wide Label { color: red; }
    Label:first-child { color: blue; }
    Vertical:focus-within Label { color: green; }
    Vertical:disabled Label { text-style: strike; }
    Input:focus { background: blue; }
    """

    def __init__(self, sheet: Callable[..., Stylesheet]) -> None:
        super().__init__()
        self.stylesheet = sheet(variables=self.get_css_variables())

    def compose(self) -> ComposeResult:
        yield Label("first")
        with Vertical():
            yield Label("second")
            yield Input()
        yield Button("go")


def looks(app: App[None]) -> list[tuple[object, ...]]:
    return [
        (type(node).__name__, node.styles.color, node.styles.background, node.styles.text_style)
        for node in app.screen.walk_children(with_self=True)
    ]


async def looked(sheet: Callable[..., Stylesheet]) -> list[list[tuple[object, ...]]]:
    """Return how everything looked after each step."""
    app, seen = Looks(sheet), []
    steps: list[Callable[[], object]] = [
        lambda: app.screen.add_class("-wide"),
        lambda: app.query_one(Input).focus(),
        lambda: app.query_one(Button).focus(),
        lambda: app.push_screen(Screen()),
        app.pop_screen,
        lambda: app.query_one(Vertical).set_class(True, "-any"),
        lambda: setattr(app.query_one(Vertical), "disabled", True),
        lambda: app.mount(Label("before"), before=0),
        lambda: setattr(app, "theme", "textual-light"),
    ]
    async with app.run_test() as pilot:
        for step in steps:
            step()
            await pilot.pause()
            seen.append(looks(app))
    return seen


async def test_everything_looks_as_with_the_style_sheet_of_textual() -> None:
    assert await looked(LeanStylesheet) == await looked(Stylesheet)


async def test_a_view_that_comes_back_is_not_styled_anew() -> None:
    app = a_console()
    app.stylesheet = sheet = Counting(variables=app.get_css_variables())
    async with app.run_test() as pilot:
        await pilot.press("question_mark")
        await pilot.pause()
        sheet.styled = 0
        await pilot.press("escape")
        await pilot.pause()

        assert 2 * sheet.styled < len(app.query("*"))


async def test_another_screen_has_little_parsed_anew_and_another_theme_all() -> None:
    app = a_console()
    async with app.run_test() as pilot:
        before = {*app.stylesheet.rules}
        await pilot.press("2", "n")
        await pilot.pause()
        opened = {*app.stylesheet.rules}
        app.theme = themes.full_name("light")
        await pilot.pause()

        anew = before - opened  # what stands in another order among the defaults now
        assert len(before) > 80 > 9 > len(anew)
        assert opened.isdisjoint(app.stylesheet.rules)


@pytest.mark.parametrize("size", [(80, 24), (200, 60)])
async def test_a_view_is_styled_once_for_the_terminal_it_begins_in(size: tuple[int, int]) -> None:
    app = a_console()
    app.stylesheet = sheet = Counting(variables=app.get_css_variables())
    async with app.run_test(size=size):
        assert sheet.styled < 2 * len(app.query("*"))
