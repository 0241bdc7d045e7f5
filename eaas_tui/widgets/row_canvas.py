"""How a list is painted: columns that fit, strips that are kept, only the lines that changed."""

from collections.abc import Sequence
from typing import ClassVar, Final

import msgspec
from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.cache import LRUCache
from textual.geometry import Region
from textual.strip import Strip
from textual.widget import Widget

from eaas_tui.model.columns import GAP, Column, Row, fit, padded, text_of, tone_of

GUTTER: Final = 3
"""Cells before the first column: ``>`` the selection, ``*`` a mark, a blank."""
BAR: Final = 1
"""Cells of the scrollbar, which are kept free when there is none."""
STRIPS_KEPT: Final = 256


class Look(msgspec.Struct, frozen=True, kw_only=True):
    """What one line of the screen shows. Equal looks are painted once."""

    content: Row | str = ""
    is_header: bool = False
    is_selected: bool = False
    is_marked: bool = False
    bar: str = ""
    """``thumb``, ``track``, or empty when everything is in sight."""


class RowCanvas(Widget):
    """Paints lines that a subclass describes with ``look_at``, one ``Look`` a line."""

    DEFAULT_CSS = """
    RowCanvas { height: 1fr; width: 1fr; }
    RowCanvas > .row-list--header { text-style: bold; color: $text-muted; }
    RowCanvas > .row-list--cursor { background: $primary-muted; text-style: bold; }
    RowCanvas > .row-list--away { background: $panel; }
    RowCanvas > .row-list--marked { color: $text-accent; }
    RowCanvas > .row-list--thumb { background: $foreground 40%; }
    RowCanvas > .row-list--track { background: $foreground 10%; }
    RowCanvas > .row-list--strong { text-style: bold; }
    RowCanvas > .row-list--muted { color: $text-muted; }
    RowCanvas > .row-list--good { color: $text-success; }
    RowCanvas > .row-list--busy { color: $text-primary; }
    RowCanvas > .row-list--warn { color: $text-warning; }
    RowCanvas > .row-list--bad { color: $text-error; }
    RowCanvas.-stale { color: $text-muted; }
    """
    COMPONENT_CLASSES: ClassVar[set[str]] = {
        f"row-list--{part}"
        for part in (
            *("header", "cursor", "away", "marked", "thumb", "track"),
            *("strong", "muted", "good", "busy", "warn", "bad"),
        )
    }

    ALLOW_SELECT = False

    def __init__(
        self, columns: Sequence[Column], *, id: str | None = None, classes: str | None = None
    ) -> None:
        super().__init__(id=id, classes=classes)
        self.columns: Sequence[Column] = columns
        self._fitted: list[tuple[int, int]] = []
        self._looks: list[Look] = []
        self._strips: Final[LRUCache[Look, Strip]] = LRUCache(STRIPS_KEPT)
        self._styles: Final[dict[str, Style]] = {}

    def look_at(self, y: int) -> Look:
        """Return what stands on this line of the widget."""
        raise NotImplementedError

    def looks(self) -> list[Look]:
        """Return what stands on each line."""
        return [self.look_at(y) for y in range(self.size.height)]

    def lay_out(self) -> None:
        """Give the columns their widths again, and paint everything."""
        self._fitted = fit(self.columns, self.size.width - GUTTER - BAR)
        self._forget()
        self.refresh()

    def paint_changes(self) -> None:
        """Paint the lines that look different from what is on the screen, and no other."""
        before, width = self._looks, self.size.width
        self._looks = self.looks()
        if len(before) != len(self._looks):
            self.refresh()
            return
        lines = zip(before, self._looks, strict=True)
        changed = [Region(0, y, width, 1) for y, (was, now) in enumerate(lines) if was != now]
        if changed:
            self.refresh(*changed)

    def column_at(self, x: int) -> Column | None:
        """Return the column whose title or cell is at this place of a line."""
        left = GUTTER
        for index, width in self._fitted:
            if left <= x < left + width:
                return self.columns[index]
            left += width + GAP
        return None

    def render_line(self, y: int) -> Strip:
        """Return one line, painted once as long as it looks the same."""
        look = self._looks[y] if y < len(self._looks) else self.look_at(y)
        strip = self._strips.get(look)
        if strip is None:
            strip = self._painted(look)
            self._strips[look] = strip
        return strip

    def on_resize(self, _: events.Resize) -> None:
        """Find the columns that fit now."""
        self.lay_out()

    def notify_style_update(self) -> None:
        """Paint everything anew: the colours are others."""
        super().notify_style_update()
        self._forget()

    def on_focus(self) -> None:
        """Show the selection as the one that keys are about."""
        self._repaint_selection()

    def on_blur(self) -> None:
        """Show the selection as one that keys are not about now."""
        self._repaint_selection()

    def _repaint_selection(self) -> None:
        self._styles.clear()
        self._strips.clear()
        for y, look in enumerate(self._looks):
            if look.is_selected:
                self.refresh(Region(0, y, self.size.width, 1))

    def _forget(self) -> None:
        self._styles.clear()
        self._strips.clear()
        self._looks = []

    def _painted(self, look: Look) -> Strip:
        whole = self.size.width
        plain = self._style("plain")
        base = plain + self._style("header") if look.is_header else plain
        if look.is_selected:
            base += self._style("cursor" if self.has_focus else "away")
        if isinstance(look.content, str):
            room = max(0, whole - GUTTER - BAR)
            body = [Segment(" " * GUTTER + padded(look.content, room), base)]
        else:
            quiet = ("muted",) if look.is_selected else ()
            body = [self._gutter(look, base), *self._cells(look.content, base, quiet)]
        bar = Segment(" " * min(BAR, whole), plain + self._style(look.bar) if look.bar else plain)
        line = Strip(body).adjust_cell_length(max(0, whole - BAR), base)
        return Strip.join([line, Strip([bar])])

    def _gutter(self, look: Look, base: Style) -> Segment:
        signs = (">" if look.is_selected else " ") + ("*" if look.is_marked else " ")
        style = base + self._style("marked") if look.is_marked else base
        return Segment(signs.ljust(GUTTER), style)

    def _cells(self, row: Row, base: Style, quiet: Sequence[str]) -> list[Segment]:
        segments = []
        for index, width in self._fitted:
            cell = row.cells[index] if index < len(row.cells) else ""
            text = padded(text_of(cell), width, to_right=self.columns[index].align == "right")
            tone = tone_of(cell, row)
            is_plain = tone in quiet or tone in ("", "plain")
            style = base if is_plain else base + self._style(tone)
            segments.append(Segment(text + " " * GAP, style))
        return segments

    def _style(self, part: str) -> Style:
        """Return the look of a part; of the plain one, the whole of it. Looked up once."""
        style = self._styles.get(part)
        if style is None:
            on_top = part not in ("thumb", "track")  # a partial style would lose transparency
            style = self._styles[part] = (
                self.rich_style
                if part == "plain"
                else self.get_component_rich_style(f"row-list--{part}", partial=on_top)
            )
        return style
