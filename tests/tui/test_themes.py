import pytest
from rich.color_triplet import ColorTriplet
from textual.color import Color
from textual.theme import Theme

from eaas_tui import themes
from eaas_tui.arguments import THEMES


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
