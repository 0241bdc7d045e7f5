"""The lines of a log as strips: parsed when they are seen, kept while they stay what they are."""

from typing import Final, NamedTuple

from rich.segment import Segment
from rich.style import Style
from textual.cache import LRUCache
from textual.strip import Strip

from eaas_tui.model.log_pages import LogPages
from eaas_tui.model.log_rows import Row, cuts
from eaas_tui.model.log_selection import Selection
from eaas_tui.widgets.ansi import parse_line, plain_text

LINES_KEPT: Final = 1500


class Parsed(NamedTuple):
    """A line as it can be shown."""

    strip: Strip
    text: str
    edges: tuple[int, ...]
    """The cells at which its rows begin, and the end of the last one."""


class Shown(NamedTuple):
    """Everything that decides how a row looks: equal ones look equal."""

    begin: int
    stop: int
    part: int
    left: int
    width: int
    selected: tuple[int, int] | None
    words: str


class LogLines:
    """Parses the lines of one window at one width, and remembers the last ones."""

    def __init__(self, pages: LogPages) -> None:
        self.pages: Final = pages
        self.width = 0
        self.wrap = False
        self._parsed: Final[LRUCache[tuple[int, int], Parsed]] = LRUCache(LINES_KEPT)

    def lay_out(self, width: int, *, wrap: bool) -> None:
        """Show the lines at this width from now on."""
        if (width, wrap) != (self.width, self.wrap):
            self.width, self.wrap = width, wrap
            self._parsed.clear()

    def parsed(self, index: int) -> Parsed:
        """Return a line."""
        key = (self.pages.start(index), self.pages.stop(index))
        found = self._parsed.get(key)
        if found is None:
            found = self._parsed[key] = self._parse(self.pages.line(index))
        return found

    def height_of(self, index: int) -> int:
        """Return how many rows the line takes."""
        return len(self.parsed(index).edges) - 1 if self.wrap else 1

    def edges_of(self, row: Row, left: int) -> tuple[int, int]:
        """Return the cells of the line that the row shows, the end not included."""
        if not self.wrap:
            return left, left + self.width
        edges = self.parsed(row.line).edges
        return edges[row.part], edges[row.part + 1]

    def shown(self, row: Row, left: int, selection: Selection | None, words: str) -> Shown:
        """Return what decides how the row looks."""
        begin = self.pages.start(row.line)
        selected = None if selection is None else selection.cells_of(begin)
        stop = self.pages.stop(row.line)
        return Shown(begin, stop, row.part, left, self.width, selected, words)

    def strip(self, row: Row, shown: Shown, *, selected: Style, hit: Style) -> Strip:
        """Return the row, with what is selected and what was searched for laid over it."""
        parsed = self.parsed(row.line)
        strip = parsed.strip
        for begin, stop in _places(parsed.text, shown.words):
            strip = overlaid(strip, begin, stop, hit)
        if shown.selected is not None:
            strip = overlaid(strip, *shown.selected, selected)
        return strip.crop(*self.edges_of(row, shown.left))

    def _parse(self, raw: bytes) -> Parsed:
        segments = parse_line(raw)
        text = plain_text(segments)
        strip = Strip(segments)
        edges = (0, *cuts(text, self.width), strip.cell_length) if self.wrap else (0,)
        return Parsed(strip, text, edges)


def overlaid(strip: Strip, begin: int, stop: int, style: Style) -> Strip:
    """Return the strip with a style laid over some of its cells."""
    length = strip.cell_length
    begin, stop = max(0, min(begin, length)), max(0, min(stop, length))
    if begin >= stop:
        return strip
    before, middle, after = strip.crop(0, begin), strip.crop(begin, stop), strip.crop(stop, length)
    bright = [Segment(one.text, (one.style or Style()) + style) for one in middle]
    return Strip([*before, *bright, *after])


def _places(text: str, words: str) -> list[tuple[int, int]]:
    """Return the cells at which the words stand in the text, in any case."""
    small, needle, found, at = text.lower(), words.lower(), [], 0
    if not needle or len(small) != len(text):
        return []
    while (at := small.find(needle, at)) >= 0:
        begin = Segment(text[:at]).cell_length
        found.append((begin, begin + Segment(text[at : at + len(words)]).cell_length))
        at += len(needle)
    return found
