"""How the console looks: dark, light, high contrast, and the terminal's own sixteen colours.

With ``NO_COLOR`` in the environment no colour leaves, whichever is chosen: nothing is said by
colour alone, and what a paper would set apart is reversed or framed.
"""

from dataclasses import replace
from typing import Final

from textual.app import App
from textual.filter import Monochrome, NoColor
from textual.theme import BUILTIN_THEMES, Theme

from eaas_tui.arguments import THEMES

PREFIX: Final = "eaas-"

DARK: Final = Theme(
    name=f"{PREFIX}dark",
    primary="#5fafff",
    secondary="#87afd7",
    accent="#ffaf5f",
    warning="#ffd75f",
    error="#ff5f5f",
    success="#5fd787",
    foreground="#d7d7d7",
    background="#121212",
    surface="#1c1c1c",
    panel="#262626",
    variables={
        "text-muted": "#949494",
        "scrollbar": "#585858",
        "scrollbar-background": "#262626",
    },
)
"""All of these are among the 256 colours: the same over ssh, which loses COLORTERM."""

LIGHT: Final = Theme(
    name=f"{PREFIX}light",
    primary="#005faf",
    secondary="#5f87af",
    accent="#8700af",
    warning="#875f00",
    error="#af0000",
    success="#005f00",
    foreground="#262626",
    background="#ffffff",
    surface="#eeeeee",
    panel="#e4e4e4",
    dark=False,
    variables={
        "text-muted": "#5f5f5f",
        "scrollbar": "#a8a8a8",
        "scrollbar-background": "#e4e4e4",
    },
)
CONTRAST: Final = Theme(
    name=f"{PREFIX}contrast",
    primary="#00d7ff",
    secondary="#ffffff",
    accent="#ffff00",
    warning="#ffff00",
    error="#ffafaf",
    success="#5fff5f",
    foreground="#ffffff",
    background="#000000",
    surface="#000000",
    panel="#262626",
    text_alpha=1.0,
    variables={"text-muted": "#ffffff", "foreground-muted": "#ffffff"},
)
ANSI16: Final = replace(BUILTIN_THEMES["ansi-dark"], name=f"{PREFIX}ansi16")

ALL: Final = (DARK, LIGHT, CONTRAST, ANSI16)


OWN_COLOURS: Final = """
ModalScreen, CommandPalette { background: transparent; }
Toast {
    width: 60; max-width: 100%; max-height: 25vh; margin-top: 0; padding: 0 1;
    background: $panel; color: $foreground;
}
CommandPalette > Vertical, CommandPalette > Vertical:dark { background: $panel; }
CommandPalette #--input { border: blank; }
CommandPalette SearchIcon { color: $primary; }
CommandPalette > .command-palette--highlight { color: $primary; text-style: bold; }
"""
"""What Textual brings along, in the colours of the rest. In a low terminal a notice is one line."""

FEW_COLOURS: Final = """
App:nocolor RowCanvas > .row-list--cursor, App:nocolor CardGrid > .card-grid--cursor,
App:nocolor OptionList > .option-list--option-highlighted, App:nocolor Button:focus,
App:nocolor SelectCurrent:focus, App:nocolor Select:focus > SelectCurrent,
App:nocolor TabRow > .tab-row--chosen, App:nocolor .log-view--hit { text-style: bold reverse; }
App:nocolor StatusBar, App:nocolor KeyBar { text-style: underline; }
App:nocolor Input, App:nocolor TextArea, App:nocolor SelectCurrent { text-style: underline; }
App:ansi Input, App:ansi TextArea, App:ansi SelectCurrent { text-style: underline; }
App:nocolor Prompt, App:ansi Prompt { text-style: none; }
App:nocolor #question, App:nocolor #help { border: ascii; }
App:ansi #question, App:ansi #help { border: ascii ansi_default; }
App:nocolor Toast, App:ansi Toast { text-style: reverse; }
"""
"""How things are set apart where there are no colours, or only the terminal's own."""


def leave_colours_out(app: App[None]) -> None:
    """Let no colour out, where Textual would take greys."""
    app._filters[:] = [NoColor() if isinstance(it, Monochrome) else it for it in app._filters]


def register(app: App[None]) -> None:
    """Make the themes known to the app."""
    for theme in ALL:
        app.register_theme(theme)


def full_name(name: str) -> str:
    """Return Textual's name of one of ``THEMES``."""
    return f"{PREFIX}{name}"


def short_name(name: str) -> str:
    """Return the name of a theme as people write it."""
    return name.removeprefix(PREFIX)


def next_name(current: str) -> str:
    """Return the theme after this one, by Textual's names; the first one after any other."""
    names = [full_name(name) for name in THEMES]
    return names[(names.index(current) + 1) % len(names)] if current in names else names[0]
