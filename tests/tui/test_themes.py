import asyncio

import pytest
from rich.color_triplet import ColorTriplet
from rich.segment import Segment
from rich.style import Style
from textual.app import App
from textual.color import Color
from textual.filter import Monochrome
from textual.strip import Strip
from textual.theme import Theme
from textual.widgets._toast import Toast

from eaas_tui import themes
from eaas_tui.app import ConsoleApp
from eaas_tui.arguments import THEMES, Arguments

WITHIN_S = 20.0


def luminance(name: str) -> float:
    """WCAG's relative luminance."""
    triplet = ColorTriplet(*Color.parse(name).rgb)

    def linear(part: float) -> float:
        return part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4

    red, green, blue = (linear(part) for part in triplet.normalized)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(a: str, b: str) -> float:
    low, high = sorted([luminance(a), luminance(b)])
    return (high + 0.05) / (low + 0.05)


def test_there_is_a_theme_for_every_name_that_can_be_asked_for() -> None:
    assert [theme.name for theme in themes.ALL] == [themes.full_name(name) for name in THEMES]


@pytest.mark.parametrize(
    "theme", [themes.DARK, themes.LIGHT, themes.CONTRAST], ids=lambda t: t.name
)
def test_what_is_said_in_colour_can_be_read(theme: object) -> None:
    least = 7.0 if theme is themes.CONTRAST else 4.5
    for part in ("foreground", "primary", "warning", "error", "success", "accent"):
        for paper in ("background", "panel"):
            assert contrast(getattr(theme, part), getattr(theme, paper)) >= least, (part, paper)


@pytest.mark.parametrize("theme", [themes.DARK, themes.LIGHT], ids=lambda t: t.name)
def test_what_matters_less_is_quieter_than_the_rest_and_can_be_read(theme: Theme) -> None:
    muted, plain = theme.variables["text-muted"], theme.foreground or ""
    for paper in (theme.background or "", theme.panel or ""):
        assert 4.5 <= contrast(muted, paper) < contrast(plain, paper)


def test_themes_follow_each_other_in_a_ring() -> None:
    name = themes.full_name(THEMES[0])
    for _ in THEMES:
        name = themes.next_name(name)

    assert name == themes.full_name(THEMES[0])
    assert themes.next_name("nord") == themes.full_name(THEMES[0])


def test_where_no_colour_may_leave_textuals_greys_are_left_out_too(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    app: App[None] = App()
    app._filters.append(Monochrome())
    themes.leave_colours_out(app)

    [strip] = [Strip([Segment("word", Style(color="red", bgcolor="blue", bold=True))])]
    for filter in app.get_line_filters():
        strip = strip.apply_filter(filter, Color.parse("black"))
    [segment] = strip
    assert segment.style == Style(color="default", bgcolor="default", bold=True)


@pytest.mark.parametrize("theme", ["dark", "light", "contrast", "ansi16"])
async def test_a_notice_covers_one_line_of_the_smallest_screen(theme: str) -> None:
    app = ConsoleApp(Arguments(theme=theme))
    async with app.run_test(size=(20, 5), notifications=True) as pilot:
        app.say("job 42 is Stopping, and there is much more to be said about it")
        async with asyncio.timeout(WITHIN_S):
            while not app.screen.query(Toast) or not app.screen.query_one(Toast).region.width:
                await pilot.pause(0.02)

        assert app.screen.query_one(Toast).region.height == 1
