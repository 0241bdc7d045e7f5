"""The lines of a log as strips: parsed when they are seen, kept while they stay what they are."""

from typing import Final, NamedTuple

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual.cache import LRUCache
from textual.strip import Strip

from eaas_tui.model.job_page import bytes_words
from eaas_tui.model.log_pages import LogPages
from eaas_tui.model.log_rows import Row, cuts
from eaas_tui.model.log_selection import Selection
from eaas_tui.widgets.ansi import MAX_BYTES, MAX_CELLS, parse_line, plain_text

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
        return self.between(self.pages.start(index), self.pages.stop(index))

    def between(self, begin: int, stop: int) -> Parsed:
        """Return the line between the two offsets, or what is still held of it."""
        found = self._parsed.get((begin, stop))
        if found is None:
            found = self._parse(self.pages.bytes_between(begin, stop))
            if self.pages.begin <= begin and stop <= self.pages.end:
                self._parsed[begin, stop] = found
        return found

    def height_of(self, index: int) -> int:
        """Return how many rows the line takes."""
        return len(self.parsed(index).edges) - 1 if self.wrap else 1

    def edges_of(self, row: Row, left: int) -> tuple[int, int]:
        """Return the cells of the line that the row shows, the end not included."""
        return self._edges(self.parsed(row.line), row.part, left)

    def _edges(self, parsed: Parsed, part: int, left: int) -> tuple[int, int]:
        if not self.wrap:
            return left, left + self.width
        ends = parsed.edges[1:]
        if part >= len(ends):  # its bytes are gone by now
            return ends[-1], ends[-1]
        return parsed.edges[part], ends[part]

    def shown(self, row: Row, left: int, selection: Selection | None, words: str) -> Shown:
        """Return what decides how the row looks."""
        begin = self.pages.start(row.line)
        selected = None if selection is None else selection.cells_of(begin)
        stop = self.pages.stop(row.line)
        return Shown(begin, stop, row.part, left, self.width, selected, words)

    def strip(self, shown: Shown, *, selected: Style, hit: Style) -> Strip:
        """Return the row, with what is selected and what was searched for laid over it."""
        parsed = self.between(shown.begin, shown.stop)
        strip = parsed.strip
        for begin, stop in _places(parsed.text, shown.words):
            strip = overlaid(strip, begin, stop, hit)
        if shown.selected is not None:
            strip = overlaid(strip, *shown.selected, selected)
        return strip.crop(*self._edges(parsed, shown.part, shown.left))

    def cell_at(self, index: int, offset: int, words: str) -> int:
        """Return the cell of the line at which the words begin that stand at the offset.

        Where carriage returns overwrite it is their first place in what is left of the line.
        """
        raw = self.pages.bytes_between(self.pages.start(index), offset)
        if b"\r" not in self.pages.line(index):
            return Strip(parse_line(raw)).cell_length
        text = self.parsed(index).text
        return cell_len(text[: max(0, text.lower().find(words.lower()))])

    def _parse(self, raw: bytes) -> Parsed:
        segments = parse_line(raw)
        text = plain_text(segments)
        strip = Strip(segments)
        note = ""
        if is_cut(raw, strip.cell_length):
            note = f" ... {strip.cell_length:,} cells of a line of {bytes_words(len(raw))}"
            strip = Strip([*segments, Segment(note, Style(dim=True))])
        edges = (0, *cuts(text + note, self.width), strip.cell_length) if self.wrap else (0,)
        return Parsed(strip, text, edges)


def is_cut(raw: bytes, cells: int) -> bool:
    """Tell whether the line is longer than what is shown of it."""
    return cells >= MAX_CELLS or (b"\r" not in raw and len(raw) > MAX_BYTES)


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
