"""Every node with every card as a live bar: one widget that draws only what is seen."""

from typing import ClassVar, Final

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.binding import Binding, BindingType
from textual.geometry import Region
from textual.message import Message
from textual.reactive import var
from textual.strip import Strip
from textual.widget import Widget

from eaas.node_views import CardView
from eaas_tui.glyphs import BLOCKS, Glyphs
from eaas_tui.model.card_cells import Shows, Tone
from eaas_tui.model.grid import MARGIN, Grid, Spot, kept, lay_out, sideways, spot_at, upright
from eaas_tui.model.grid_scene import Scene, Sparks, seen
from eaas_tui.model.grid_text import Look, Wish, changed_cells
from eaas_tui.model.picture import EMPTY, Picture

FRAME_LINES: Final = 2
"""The title, and the line about the selection."""
NEXT_SHOWS: Final[dict[Shows, Shows]] = {"load": "user", "user": "job", "job": "load"}
TONES: Final = (
    *("plain", "dim", "title", "name", "mine", "free", "low", "mid", "high"),
    *("shared", "foreign", "dirty", "sick", "excluded", "unknown"),
)


class CardGrid(Widget, can_focus=True):
    """Pools, nodes and cards. Draws the picture it is given, asks nothing."""

    DEFAULT_CSS = """
    CardGrid { height: 1fr; width: 1fr; }
    CardGrid > .card-grid--dim { color: $text-muted; }
    CardGrid > .card-grid--title { text-style: bold; }
    CardGrid > .card-grid--free { color: $text-muted; }
    CardGrid > .card-grid--low { color: $text-success; }
    CardGrid > .card-grid--mid { color: $text-success; text-style: bold; }
    CardGrid > .card-grid--high { color: $text-primary; text-style: bold; }
    CardGrid > .card-grid--mine { color: $text-accent; text-style: bold; }
    CardGrid > .card-grid--shared { color: $text-secondary; }
    CardGrid > .card-grid--foreign { color: $text-warning; }
    CardGrid > .card-grid--dirty { color: $text-warning; text-style: bold; }
    CardGrid > .card-grid--sick { color: $text-error; text-style: bold; }
    CardGrid > .card-grid--excluded { color: $text-muted; text-style: italic; }
    CardGrid > .card-grid--unknown { color: $text-muted; text-style: bold; }
    """
    COMPONENT_CLASSES: ClassVar[set[str]] = {f"card-grid--{tone}" for tone in TONES}
    ALLOW_SELECT = False
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("down,j", "move(1)", "Down", show=False, id="grid.down"),
        Binding("up,k", "move(-1)", "Up", show=False, id="grid.up"),
        Binding("right,l", "step(1)", "Next card", show=False, id="grid.right"),
        Binding("left,h", "step(-1)", "Card before", show=False, id="grid.left"),
        Binding("pagedown,ctrl+d", "page(1)", "Page down", show=False, id="grid.page_down"),
        Binding("pageup,ctrl+u", "page(-1)", "Page up", show=False, id="grid.page_up"),
        Binding("g,home", "move(-99999)", "First", show=False, id="grid.top"),
        Binding("G,end", "move(99999)", "Last", show=False, id="grid.end"),
        Binding("enter", "open", "Open", show=False, id="grid.open"),
        Binding("o", "next_shows", "Load, users or jobs", show=False, id="grid.shows"),
    ]

    class NodeOpened(Message):
        """A person wants to see this node, and maybe one card of it."""

        def __init__(self, node: str, card: str | None) -> None:
            self.node: Final = node
            self.card: Final = card
            super().__init__()

    class CardSelected(Message):
        """The cursor stands on another pool, node or card; what it isn't on is None."""

        def __init__(self, spot: Spot | None) -> None:
            self.spot: Final = spot
            super().__init__()

    shows: var[Shows] = var[Shows]("load")
    glyphs: var[Glyphs] = var(BLOCKS)

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(id=id, classes=classes)
        self.closed: set[str] = set()
        self.spot: Spot | None = None
        self._picture: Picture = EMPTY
        self._grid: Grid = lay_out(EMPTY, width=80, height=24)
        self._empty = ""
        self._top = 0
        self._looks: list[Look] = []
        self._sparks: Final = Sparks()
        self._styles: dict[tuple[Tone, bool], Style] = {}
        self._base: Style | None = None

    # --- what it is given

    def show(self, picture: Picture, *, empty: str = "") -> None:
        """Show this picture, or the sentences if it has no node.

        The cursor stays on its card as long as there is one.
        """
        self._empty = empty
        if picture.is_stale != self._picture.is_stale:
            self._styles.clear()
            self.refresh()
        self._picture = picture
        self._lay_out()

    def watch_shows(self) -> None:
        """Show other words in the cells."""
        self._paint_changes()

    def watch_glyphs(self) -> None:
        """Draw with other signs."""
        self._sparks.forget()
        self._paint_changes()

    def select(self, spot: Spot) -> None:
        """Put the cursor there and bring it into sight."""
        self._go(kept(self._grid, spot))

    # --- what it knows

    def lines_needed(self, picture: Picture, most: int, *, empty: str = "") -> int:
        """How many lines it would take to show all of it, the title and the last one too.

        With fewer lines cells get smaller, so it is said for the ``most`` that there may be,
        however many there are now.
        """
        grid = lay_out(
            picture,
            width=max(1, self.size.width),
            height=max(0, most - FRAME_LINES),
            closed=self.closed,
        )
        return len(grid.lines) + len(empty.splitlines()) + FRAME_LINES

    @property
    def node(self) -> str | None:
        """The node under the cursor."""
        return self.spot.node if self.spot else None

    @property
    def card(self) -> CardView | None:
        """The card under the cursor."""
        return self._scene.card

    # --- keys and the mouse

    def action_move(self, by: int) -> None:
        """Go so many lines down."""
        if self.spot is not None:
            self._go(upright(self._grid, self.spot, by))

    def action_step(self, by: int) -> None:
        """Go so many cards to the right."""
        if self.spot is not None:
            self._go(sideways(self._grid, self.spot, by))

    def action_page(self, pages: int) -> None:
        """Go a screen down or up."""
        self.action_move(pages * max(1, self._lines_seen - 1))

    def action_open(self) -> None:
        """Open the node, or close and open the pool whose line this is."""
        if self.spot is None:
            return
        if self.spot.node is None:
            self.closed ^= {self.spot.pool}
            self._lay_out()
        else:
            self.post_message(self.NodeOpened(self.spot.node, self.spot.card))

    def action_next_shows(self) -> None:
        """Show the load, then whose cards they are, then which jobs'."""
        self.shows = NEXT_SHOWS[self.shows]

    def on_click(self, event: events.Click) -> None:
        """Put the cursor where the mouse is; a second click opens, on a pool's line the first."""
        at = self._top + event.y - 1
        if event.y < 1 or event.y > self._lines_seen or at >= len(self._grid.lines):
            return
        self._go(self._spot_under(at, event.x))
        if event.chain == 2 or self._grid.lines[at].is_pool:
            self.action_open()

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        """Scroll three lines."""
        event.stop()
        self._scroll(3)

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        """Scroll three lines back."""
        event.stop()
        self._scroll(-3)

    def on_resize(self) -> None:
        """Take the new space."""
        self._lay_out()
        self.refresh()

    # --- drawing

    def render_line(self, y: int) -> Strip:
        """Return one line of what is seen; all of them were made when the picture came."""
        size = self.size
        if len(self._looks) != size.height:
            self._looks = seen(self._scene, self._sparks)
        look = self._looks[y] if y < len(self._looks) else []
        strip = Strip([Segment(text, self._style(tone, on)) for text, tone, on in look])
        if self._base is None:
            self._base = self.rich_style
        return strip.adjust_cell_length(size.width, self._base)

    def notify_style_update(self) -> None:
        """Forget the colours of the theme before."""
        super().notify_style_update()
        self._styles.clear()
        self._base = None

    def _lay_out(self) -> None:
        size = self.size
        self._grid = lay_out(
            self._picture,
            width=max(1, size.width),
            height=self._lines_seen,
            closed=self.closed,
        )
        self._go(kept(self._grid, self.spot))

    def _go(self, spot: Spot | None) -> None:
        changed = spot != self.spot
        self.spot = spot
        place = self._grid.place(spot)
        if changed and place is not None:
            self._top = max(place[0] - self._lines_seen + 1, min(self._top, place[0]))
            if place[0] == 1:
                self._top = 0  # the pool's own line, just above, is worth seeing
        self._scroll(0)
        if changed:
            self.post_message(self.CardSelected(spot))

    def _scroll(self, by: int) -> None:
        most = max(0, len(self._grid.lines) - self._lines_seen)
        self._top = max(0, min(self._top + by, most))
        self._paint_changes()

    @property
    def _scene(self) -> Scene:
        return Scene(
            picture=self._picture,
            grid=self._grid,
            wish=Wish(shows=self.shows, glyphs=self.glyphs, me=self._picture.user),
            width=self.size.width,
            height=self.size.height,
            top=self._top,
            spot=self.spot,
            closed=self.closed,
            empty=self._empty,
        )

    @property
    def _lines_seen(self) -> int:
        return self._scene.lines_seen

    def _paint_changes(self) -> None:
        """Repaint the columns that changed, line by line, and nothing else."""
        if not self.is_mounted:
            return
        before = self._looks
        self._looks = seen(self._scene, self._sparks)
        if len(before) != len(self._looks):
            self.refresh()
            return
        regions = [
            Region(left, y, min(right, self.size.width) - left, 1)
            for y, (was, now) in enumerate(zip(before, self._looks, strict=True))
            for left, right in [changed_cells(was, now)]
            if right > left
        ]
        if regions:
            self.refresh(*regions)

    def _spot_under(self, at: int, x: int) -> Spot:
        measure = self._grid.measure
        across, inside = divmod(x, max(1, measure.block))
        column = (inside - MARGIN - measure.name) // measure.cell
        on_card = 0 <= column < measure.cards
        return spot_at(self._grid, at, across, column if on_card else None)

    def _style(self, tone: Tone, is_cursor: bool) -> Style:
        style = self._styles.get((tone, is_cursor))
        if style is None:
            part = "dim" if self._picture.is_stale else tone
            style = self.rich_style + self.get_component_rich_style(
                f"card-grid--{part}", partial=True
            )
            if is_cursor:
                style += Style(reverse=True, bold=True)
            self._styles[tone, is_cursor] = style
        return style
