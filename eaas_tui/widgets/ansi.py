"""Turns a line of a log into coloured text: SGR is understood, everything else is dropped.

What is dropped, and what counts as well-formed SGR, is decided by ``eaas.safe_text`` alone, so
the console and the command line can't differ in what they let through.
"""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Final

import msgspec
from msgspec.structs import replace
from rich.cells import cell_len, set_cell_size
from rich.color import Color
from rich.segment import Segment
from rich.style import Style

from eaas.safe_text import safe_log

MAX_BYTES: Final = 64 * 1024
"""No more of a line than this is looked at."""
MAX_CELLS: Final = 4096
MAX_RUNS: Final = 512
"""Colour changes a line may have; the rest of it keeps the last one's."""
TAB_CELLS: Final = 8

_SGR: Final = re.compile("\x1b\\[([0-9;:]*)m")


class Look(msgspec.Struct, frozen=True, kw_only=True):
    """How text looks between two SGR sequences. Blinking and hidden text are not taken over."""

    fg: Color | None = None
    bg: Color | None = None
    bold: bool = False
    dim: bool = False
    italic: bool = False
    underline: bool = False
    reverse: bool = False
    strike: bool = False


PLAIN: Final = Look()
_SWITCHES: Final[dict[int, dict[str, bool]]] = {
    1: {"bold": True},
    2: {"dim": True},
    3: {"italic": True},
    4: {"underline": True},
    7: {"reverse": True},
    9: {"strike": True},
    21: {"underline": True},
    22: {"bold": False, "dim": False},
    23: {"italic": False},
    24: {"underline": False},
    27: {"reverse": False},
    29: {"strike": False},
}

_PALETTE: Final = {3: ("fg", 0), 4: ("bg", 0), 9: ("fg", 8), 10: ("bg", 8)}
"""What the tens of a code colour, and where its eight colours begin."""


def parse_line(raw: bytes) -> list[Segment]:
    """Return the line as a terminal would leave it, at most ``MAX_CELLS`` wide.

    ``raw`` has no newline. Colours begin and end with the line: what came before it is unknown
    when only the visible lines are read.
    """
    text = living_part(raw).decode("utf-8", "replace")
    if text.isascii() and text.isprintable():
        return [Segment(text[:MAX_CELLS])] if text else []
    clean = safe_log(text, keep_sgr=True)
    runs = _runs(clean) if "\x1b" in clean else [(clean, PLAIN)]
    return list(_fitted(runs))


def plain_text(segments: Sequence[Segment]) -> str:
    """Return what the line says, without its colours."""
    return "".join(segment.text for segment in segments)


def living_part(raw: bytes) -> bytes:
    """Return what a progress bar shows last: a line's last part that isn't empty.

    Of a long line only its end is looked at when it has carriage returns, else its beginning.
    """
    if b"\r" not in raw:
        return raw[:MAX_BYTES]
    end = raw[-MAX_BYTES:].rstrip(b"\r")
    return end[end.rfind(b"\r") + 1 :] if end else b""


def _runs(text: str) -> list[tuple[str, Look]]:
    pieces = _SGR.split(text, MAX_RUNS)
    runs, look = [(pieces[0], PLAIN)], PLAIN
    for parameters, piece in zip(pieces[1::2], pieces[2::2], strict=True):
        look = changed_look(look, parameters)
        runs.append((piece, look))
    if "\x1b" in runs[-1][0]:
        runs[-1] = (_SGR.sub("", runs[-1][0]), look)
    return runs


def _fitted(runs: Sequence[tuple[str, Look]]) -> Iterator[Segment]:
    """Yield the runs with tabs as blanks, up to the widest a line may be."""
    column = 0
    for text, look in runs:
        if not text:
            continue
        spread = _without_tabs(text, column) if "\t" in text else text
        room = MAX_CELLS - column
        width = cell_len(spread)
        if width > room:
            spread, width = set_cell_size(spread, room), room
        if spread:
            yield Segment(spread, None if look is PLAIN else style_of(look))
        column += width
        if column >= MAX_CELLS:
            return


def _without_tabs(text: str, column: int) -> str:
    parts: list[str] = []
    for index, part in enumerate(text.split("\t")):
        if index:
            blanks = TAB_CELLS - column % TAB_CELLS
            parts.append(" " * blanks)
            column += blanks
        parts.append(part)
        column += cell_len(part)
        if column > MAX_CELLS:
            break
    return "".join(parts)


@lru_cache(maxsize=4096)
def changed_look(look: Look, parameters: str) -> Look:
    """Return how text looks after SGR with these parameters; unknown ones change nothing."""
    groups = iter(parameters.split(";"))
    for group in groups:
        code, _, rest = group.partition(":")
        number = int(code or 0)
        if number in (38, 48):
            color = _color(rest.split(":")) if rest else _color_of(groups)
            if color is not None:
                look = replace(look, **{"fg" if number == 38 else "bg": color})
        elif number == 4 and rest == "0":
            look = replace(look, underline=False)
        else:
            look = _switched(look, number)
    return look


def _switched(look: Look, number: int) -> Look:
    if number == 0:
        return PLAIN
    if number in _SWITCHES:
        return replace(look, **_SWITCHES[number])
    if number in (39, 49):
        return replace(look, **{"fg" if number == 39 else "bg": None})
    tens, unit = divmod(number, 10)
    if tens in _PALETTE and unit <= 7:
        field, first = _PALETTE[tens]
        return replace(look, **{field: Color.from_ansi(first + unit)})
    return look


def _color_of(groups: Iterator[str]) -> Color | None:
    """Return the colour that the following parameters name: ``5;n`` or ``2;r;g;b``."""
    kind = next(groups, "")
    count = {"5": 1, "2": 3}.get(kind, 0)
    return _color([kind, *(next(groups, "") for _ in range(count))])


def _color(parts: Sequence[str]) -> Color | None:
    """Return the colour of ``5:n``, ``2:r:g:b`` or, with a colour space, ``2::r:g:b``."""
    kind, *numbers = parts
    levels = [int(number or 0) for number in numbers]
    if any(level > 255 for level in levels):
        return None
    if kind == "5" and levels:
        return Color.from_ansi(levels[0])
    if kind == "2" and len(levels) >= 3:
        red, green, blue = levels[1:4] if len(levels) >= 4 else levels
        return Color.from_rgb(red, green, blue)
    return None


@lru_cache(maxsize=4096)
def style_of(look: Look) -> Style:
    """Return the look as a style to lay over the widget's own."""
    return Style(
        color=look.fg,
        bgcolor=look.bg,
        bold=look.bold or None,
        dim=look.dim or None,
        italic=look.italic or None,
        underline=look.underline or None,
        reverse=look.reverse or None,
        strike=look.strike or None,
    )
