"""The top line: what stands where in the pool, and how the console stands with its controller.

Below it, while something is wrong with the whole, stands what that is.
"""

from collections.abc import Callable, Sequence
from typing import ClassVar, Final

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual import getters
from textual.reactive import var
from textual.strip import Strip
from textual.timer import Timer
from textual.widget import Widget

from eaas_tui.model.picture import EMPTY, Picture
from eaas_tui.model.summary import Part, essence, link_part, pool_parts, shortened
from eaas_tui.model.text_lines import CUT
from eaas_tui.model.whole import banner
from eaas_tui.screens.base import PictureApp
from eaas_tui.screens.opening import clock_of

TOLD_EVERY_S: Final = 1.0
"""How often the time since the controller went away is told anew."""
GAP: Final = "  "
MOST_BANNER: Final = 4
"""Lines of the banner on a screen of ``TALL`` lines; on a lower one half of them."""
TALL: Final = 30
COUNTS: Final = 4
"""So many parts of the pool's line stay, whatever has to be said beside them."""


class StatusBar(Widget):
    """One line over every screen, and a banner where there is need of one.

    Follows the app's picture while its screen is on top.
    """

    DEFAULT_CSS = """
    StatusBar { dock: top; height: 1; background: $panel; color: $foreground; }
    StatusBar > .status-bar--banner { background: $error-muted; color: $text-error; }
    StatusBar > .status-bar--strong { text-style: bold; color: $primary; }
    StatusBar > .status-bar--muted { color: $text-muted; }
    StatusBar > .status-bar--good { color: $text-success; }
    StatusBar > .status-bar--busy { color: $text-primary; }
    StatusBar > .status-bar--warn { color: $text-warning; }
    StatusBar > .status-bar--bad { color: $text-error; text-style: bold; }
    """
    COMPONENT_CLASSES: ClassVar[set[str]] = {
        f"status-bar--{tone}"
        for tone in ("strong", "muted", "good", "busy", "warn", "bad", "banner")
    }

    app = getters.app(PictureApp)
    picture: var[Picture] = var(EMPTY, init=False)

    def __init__(self, *, clock: Callable[[], float] | None = None) -> None:
        """Go by this clock, or else by the app's."""
        super().__init__()
        self._given_clock: Final = clock
        self._line: list[Part] = []
        self._banner: list[str] = []
        self._timer: Timer | None = None

    def on_mount(self) -> None:
        """Begin to follow."""
        self._timer = self.set_interval(TOLD_EVERY_S, self._tell, pause=True)
        self.watch(self.app, "picture", self._follow, init=False)
        self.watch(self.app, "remarks", self._tell, init=False)
        self.picture = self.app.picture
        self._tell()

    @property
    def _is_in_sight(self) -> bool:
        """Tell whether its screen can be seen, be it below a question."""
        return bool(getattr(self.screen, "is_in_sight", self.screen.is_current))

    def _follow(self, picture: Picture) -> None:
        if self._is_in_sight:
            self.picture = picture

    def watch_picture(self, picture: Picture) -> None:
        """Tell what is new; while the controller is away the line goes on by itself."""
        if self._timer is not None:
            (self._timer.pause if picture.link.state == "live" else self._timer.resume)()
        self._tell()

    def on_resize(self) -> None:
        """Fit the line into its new width."""
        self._tell()

    def _tell(self) -> None:
        """Paint the line if it says something else now."""
        if self._is_in_sight:
            self.picture = self.app.picture
        right = [Part(remark, "warn") for remark in getattr(self.app, "remarks", ())]
        clock = self._given_clock or clock_of(self.app)
        right.append(link_part(self.picture.link, clock()))
        line = laid_out(pool_parts(self.picture), right, self.size.width)
        most = MOST_BANNER if self.app.size.height >= TALL else MOST_BANNER // 2
        said = banner(self.picture.conditions, max(0, self.size.width - 2), most)
        if len(said) != len(self._banner):
            self.styles.height = 1 + len(said)
        if (line, said) != (self._line, self._banner):
            self._line, self._banner = line, said
            self.refresh()

    def render_line(self, y: int) -> Strip:
        """Return the line, or one of the banner's."""
        if y > 0:
            style = self.get_component_rich_style("status-bar--banner")
            text = f" {self._banner[y - 1]}" if y <= len(self._banner) else ""
            return Strip([Segment(text, style)]).adjust_cell_length(self.size.width, style)
        segments = [Segment(part.text, self._style(part)) for part in self._line]
        return Strip(segments).adjust_cell_length(self.size.width, self.rich_style)

    def _style(self, part: Part) -> Style:
        name = f"status-bar--{part.tone}"
        return self.rich_style if part.tone == "plain" else self.get_component_rich_style(name)


def laid_out(left: Sequence[Part], right: Sequence[Part], width: int) -> list[Part]:
    """Return one line: the right parts at its end, and of the left ones as many as fit.

    What stands last, why the controller is away, may be long: where and for which cause is cut
    before the counts are. The name goes before any count does.
    """
    counts = sum(cell_len(part.text) + len(GAP) for part in left[:COUNTS]) - len(GAP)
    end: list[Part] = []
    essential = sum(cell_len(essence(part.text)) for part in right)
    most = max(
        width - counts - 1 - len(GAP) * len(right), width // 2, min(essential, width * 3 // 4)
    )
    for part in _cut(right, most):
        end += [Part(GAP), part]
    room = width - sum(cell_len(part.text) for part in end) - 1
    line = [Part(" ")]
    left = left if counts <= room else left[1:]
    for number, part in enumerate(left):
        piece = [Part(GAP), part] if number else [part]
        cost = sum(cell_len(each.text) for each in piece)
        if cost > room:
            if room > len(CUT) and number < COUNTS - 1:
                line.append(Part(f" {CUT}", "muted"))
                room -= len(CUT) + 1
            break
        line += piece
        room -= cost
    line.append(Part(" " * max(0, room)))
    return _cut([*line, *end], width)


def _cut(line: Sequence[Part], width: int) -> list[Part]:
    parts = []
    for part in line:
        text = shortened(part.text, width)
        width -= cell_len(text)
        if text:
            parts.append(Part(text, part.tone))
    return parts
