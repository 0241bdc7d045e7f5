"""The signs that bars and curves are made of, in sets for terminals that can draw less."""

from typing import Final, Literal

import msgspec

Name = Literal["blocks", "braille", "ascii"]


class Glyphs(msgspec.Struct, frozen=True, kw_only=True):
    """One set of signs. Every sign is one cell wide on the terminals it is meant for."""

    name: Name
    rising: str
    """From nothing to full in equal steps: a column of a bar, a point of a sparkline."""
    growing: str
    """The same for bars that grow to the right; the last one is a full cell."""
    curve: Literal["braille", "blocks", "ascii"]
    """How a curve is plotted."""
    ellipsis: str
    dot: str
    """A place with nothing in it."""
    line: str
    """A vertical rule between columns."""


BLOCKS: Final = Glyphs(
    name="blocks",
    rising=" ▁▂▃▄▅▆▇█",
    growing=" ▏▎▍▌▋▊▉█",
    curve="braille",
    ellipsis="…",
    dot="·",
    line="│",
)
BRAILLE: Final = Glyphs(
    name="braille",
    rising=" ⡀⣀⣄⣤⣦⣶⣷⣿",
    growing=" ⡀⡄⡆⡇⣇⣧⣷⣿",
    curve="braille",
    ellipsis="~",
    dot=".",
    line="╎",
)
"""Nothing here is of ambiguous width: for terminals that make such signs two cells wide."""
ASCII: Final = Glyphs(
    name="ascii",
    rising=" ..::||##",
    growing=" ..--==##",
    curve="ascii",
    ellipsis="~",
    dot=".",
    line="|",
)

SETS: Final = {glyphs.name: glyphs for glyphs in (BLOCKS, BRAILLE, ASCII)}


def glyphs_for(*, ascii_only: bool, encoding: str, block_cells: int | None) -> Glyphs:
    """Return the richest set that the terminal draws right.

    ``block_cells`` is how far a full block moved the cursor: 2 is a terminal with wide ambiguous
    signs; None is one that did not answer, as most do the usual.
    """
    if ascii_only or "utf" not in encoding.lower().replace("-", ""):
        return ASCII
    return BRAILLE if block_cells == 2 else BLOCKS


def bar(share: float | None, width: int, glyphs: Glyphs) -> str:
    """Return a bar that grows to the right, ``width`` cells wide; unknown is blank."""
    if share is None:
        return " " * width
    steps = len(glyphs.growing) - 1
    filled = round(max(0.0, min(1.0, share)) * width * steps)
    full, rest = divmod(filled, steps)
    tail = glyphs.growing[rest] if rest else ""
    return (glyphs.growing[-1] * full + tail).ljust(width)
