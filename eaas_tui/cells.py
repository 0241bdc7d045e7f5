"""What a styled piece of text is on a terminal: cells, each a sign and a look. The last guard
against control sequences stands here."""

import re
from functools import lru_cache
from typing import Final, NamedTuple

from rich.cells import split_graphemes
from rich.color import Color, ColorSystem
from rich.style import Style

REPLACEMENT: Final = "\ufffd"
UNSAFE: Final = re.compile(
    "[\x00-\x1f\x7f-\x9f\ud800-\udfff"  # C0, DEL, C1, and what can't be written at all
    "\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb]"  # bidi, invisible
)
"""What no cell may hold: a terminal would obey it, or show what follows out of order."""

SINGLE: Final = re.compile("[ -~\u00b7\u2026\u2500-\u259f\u2800-\u28ff]*")
"""Texts of signs that are one cell each: letters, and what bars, curves and frames are made of."""

_CODES: Final = ("1", "2", "3", "4", "5", "6", "7", "8", "9", "21", "51", "52", "53")
"""SGR codes of Rich's attributes, by bit."""
_ENDS: Final = {"1": "22", "2": "22", "3": "23", "4": "24", "7": "27"}
"""What ends one attribute alone; bold and dim end together."""
_BOTH_ENDED: Final = 0b11
_SEEN_ON_BLANKS: Final = sum(1 << _CODES.index(code) for code in ("4", "7", "9", "21", "53"))
"""Underline, reverse, strike and overline: these show on a blank, too."""


class Look(NamedTuple):
    """How a cell is drawn: Rich's attribute bits, and SGR codes of its colours ("" the default)."""

    attributes: int = 0
    ink: str = ""
    paper: str = ""

    @property
    def blank(self) -> "Look":
        """Return what is left of the look when there is nothing but a blank to see."""
        return self if self.attributes & _SEEN_ON_BLANKS else _ground(self.paper)


PLAIN: Final = Look()


@lru_cache(4096)
def _ground(paper: str) -> Look:
    """Return the one look that is nothing but this paper: it is asked for with every cell."""
    return Look(paper=paper)


@lru_cache(4096)
def look_of(style: Style | None, system: ColorSystem) -> Look:
    """Return the look of a style. Its link, if it has one, is left out for good."""
    if style is None:
        return PLAIN
    attributes = style._attributes & style._set_attributes
    return Look(
        attributes,
        _code(style.color, system, is_ink=True),
        _code(style.bgcolor, system, is_ink=False),
    )


def signs_of(text: str) -> tuple[str, ...] | list[str]:
    """Return a text's signs, one for each cell; the second cell of a wide sign is empty."""
    return list(text) if SINGLE.fullmatch(text) else _split(text)


@lru_cache(4096)
def sgr(before: Look, after: Look) -> str:
    """Return the shortest sequence that turns one look into another."""
    if before == after:
        return ""
    ways = [["", *_added(PLAIN, after)]]
    if (ends := _ended(before.attributes & ~after.attributes)) is not None:
        kept = before.attributes & ~(_BOTH_ENDED if "22" in ends else 0)
        ways.append([*ends, *_added(before._replace(attributes=kept), after)])
    return min((f"\x1b[{';'.join(codes)}m" for codes in ways), key=len)


def _added(before: Look, after: Look) -> list[str]:
    """Return the codes of what the look has and the one before has not."""
    added = after.attributes & ~before.attributes
    codes = [code for bit, code in enumerate(_CODES) if added >> bit & 1]
    if after.ink != before.ink:
        codes.append(after.ink or "39")
    if after.paper != before.paper:
        codes.append(after.paper or "49")
    return codes


def _ended(attributes: int) -> list[str] | None:
    """Return the codes that end the attributes; None where terminals don't agree on one."""
    codes = [_ENDS.get(code) for bit, code in enumerate(_CODES) if attributes >> bit & 1]
    return list(dict.fromkeys(code for code in codes if code)) if all(codes) else None


@lru_cache(4096)
def _split(text: str) -> tuple[str, ...]:
    text = UNSAFE.sub(REPLACEMENT, text)
    signs: list[str] = []
    for start, end, cells in split_graphemes(text)[0]:
        if cells:
            signs += (text[start:end], *[""] * (cells - 1))
    return tuple(signs)


def _code(colour: Color | None, system: ColorSystem, *, is_ink: bool) -> str:
    if colour is None or colour.is_default:
        return ""
    return ";".join(colour.downgrade(system).get_ansi_codes(is_ink))
