"""The pool at one glance: nodes and cards, queues, the jobs that matter now, what happened."""

from typing import TYPE_CHECKING, Any, ClassVar, Final

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Container

from eaas.node_views import CardView, NodeView
from eaas.views import JobView, QueueView
from eaas_tui.actions import client_of
from eaas_tui.keys import bindings_for
from eaas_tui.model.first_steps import jobs_text, nodes_text
from eaas_tui.model.jobs_now import COLUMNS, jobs_now
from eaas_tui.model.picture import EMPTY, Picture
from eaas_tui.screens.opening import clock_of, glyphs_of, open_event, opening_of
from eaas_tui.screens.pool_acting import PoolActingScreen
from eaas_tui.widgets.card_grid import CardGrid
from eaas_tui.widgets.event_list import EventList
from eaas_tui.widgets.key_bar import KeyBar
from eaas_tui.widgets.queue_list import QueueList
from eaas_tui.widgets.row_list import RowList
from eaas_tui.widgets.status_bar import StatusBar

if TYPE_CHECKING:
    from eaas_tui.widgets.job_preview import JobPreview

MID: Final = 110
WIDE: Final = 160
SHORT: Final = 12
QUEUE_LINES: Final = 4
"""The most that queues take below the nodes, where there is no room beside them."""
LEAST_LINES: Final = 6
NODES_SHARE: Final = 0.45
"""The most of the height that nodes take while there are jobs to be seen."""


class OverviewScreen(PoolActingScreen):
    """The console's first view."""

    view_name = "overview"
    CSS_PATH = "overview.tcss"
    AUTO_FOCUS = "#nodes"
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (MID, "-mid"), (WIDE, "-wide")]  # noqa: RUF012
    VERTICAL_BREAKPOINTS = [(0, "-tiny"), (SHORT, "-short"), (30, "-tall")]  # noqa: RUF012
    BINDINGS: ClassVar[list[BindingType]] = [*bindings_for("overview")]

    def __init__(self) -> None:
        super().__init__()
        self._only_mine = False
        self._heights = (0, 0)
        """Of nodes and queues together, and of the queues; 0 is what there is."""
        self._preview: JobPreview | None = None
        """None until there is a picture, and room to show a job beside the list."""

    def compose(self) -> ComposeResult:
        """Compose the panes; the style sheet says where they stand at which size."""
        yield StatusBar()
        with Container(id="pool"):
            yield CardGrid(id="nodes")
            yield QueueList(id="queues")
        with Container(id="work"):
            yield RowList[int](COLUMNS, can_mark=False, id="jobs")
            with Container(id="beside"):
                yield Container(id="preview")
                yield EventList(id="events")
        yield KeyBar()

    def on_mount(self) -> None:
        """Hand out the signs that bars are drawn with."""
        self._grid.glyphs = glyphs_of(self.app)

    def draw(self, picture: Picture) -> None:
        """Hand the picture to the panes, once they have the room that it gives them."""
        if self._give_nodes_their_height():
            self.call_after_refresh(self._draw_panes)
        else:
            self._draw_panes()

    def _draw_panes(self) -> None:
        picture, now = self.picture, clock_of(self.app)()
        self._grid.show(picture, empty=nodes_text(picture))
        self.query_one(QueueList).draw(picture, now)
        self.query_one(EventList).draw(picture)
        self._draw_jobs()

    def on_resize(self) -> None:
        """Share the height between the panes."""
        if self._give_nodes_their_height():
            self.call_after_refresh(self._draw_jobs)  # there is room for other jobs then

    # --- what the keys are about

    def chosen_jobs(self) -> list[JobView]:
        """Return the selected job, or those on the selected card while the nodes have the keys."""
        if self.focused is self._grid:
            claims = self._grid.card.claims if self._grid.card else ()
            ids = [claim.job for claim in claims]
        else:
            ids = [] if self._jobs.selected is None else [self._jobs.selected]
        return [self.picture.jobs[id] for id in ids if id in self.picture.jobs]

    def chosen_queue(self) -> QueueView | None:
        """Return the selected queue."""
        return self.picture.queues.get(self.query_one(QueueList).selected or "")

    def chosen_node(self) -> NodeView | None:
        """Return the node under the grid's cursor."""
        return self.picture.nodes.get(self._grid.node or "")

    def chosen_card(self) -> CardView | None:
        """Return the card under the grid's cursor."""
        return self._grid.card

    def facts(self) -> dict[str, Any]:
        """Return what is selected in each pane."""
        jobs = [job.id for job in self.chosen_jobs()]
        return {
            "job": jobs[0] if jobs else None,
            "jobs": jobs,
            "node": self._grid.node,
            "queue": self.query_one(QueueList).selected,
        }

    # --- keys and messages

    def on_card_grid_node_opened(self, message: CardGrid.NodeOpened) -> None:
        """Open the node."""
        message.stop()
        opening_of(self.app).open_node(message.node)

    def on_row_list_opened(self, message: RowList.Opened) -> None:
        """Open the job, the queue, or what the event is about."""
        message.stop()
        if message.row_list.id == "jobs":
            opening_of(self.app).open_job(message.key)
        elif message.row_list.id == "queues":
            opening_of(self.app).open_queue(message.key)
        elif message.row_list.id == "events":
            open_event(self.app, self.picture, message.key)

    def on_row_list_room_changed(self, message: RowList.RoomChanged) -> None:
        """Show as many jobs as there is room for now: panes give and take as others fill."""
        if message.row_list.id == "jobs":
            self._draw_jobs()

    def on_row_list_selected(self, message: RowList.Selected) -> None:
        """Show another job beside the list."""
        if message.row_list.id == "jobs":
            self._draw_preview()

    def action_toggle_mine(self) -> None:
        """Show my jobs only, or everybody's."""
        self._only_mine = not self._only_mine
        self._draw_jobs()

    # --- how

    @property
    def _grid(self) -> CardGrid:
        return self.query_one("#nodes", CardGrid)

    @property
    def _jobs(self) -> RowList[int]:
        return self.query_one("#jobs", RowList)

    def _draw_jobs(self) -> None:
        rows = jobs_now(
            self.picture,
            clock_of(self.app)(),
            room=self._jobs.rows_seen,
            mine=self._only_mine,
            ascii=glyphs_of(self.app).name == "ascii",
        )
        self._jobs.set_class(self.picture.is_stale, "-stale")
        self._jobs.show(rows, empty=jobs_text(self.picture))
        self._draw_preview()

    def _draw_preview(self) -> None:
        """Show the selected job beside the list, where there is room: it fetches a log's end."""
        job = self.picture.jobs.get(self._jobs.selected or 0)
        if self._preview is None and self.picture is not EMPTY and self.size.width >= WIDE:
            self._preview = self._made_preview()
            self.query_one("#preview").mount(self._preview)
        if self._preview is not None and self.size.width >= WIDE:
            self._preview.show(job, self.picture, clock_of(self.app)())

    def _made_preview(self) -> "JobPreview":
        from eaas_tui.widgets.job_preview import JobPreview  # only here: the first paint has none

        ascii = glyphs_of(self.app).name == "ascii"
        return JobPreview(lambda: client_of(self.app), ascii=ascii)

    def _give_nodes_their_height(self) -> bool:
        """Let few nodes take few lines, and many not all of them; tell whether that is new."""
        most = max(LEAST_LINES, int(self.size.height * NODES_SHARE))
        needed = self._grid.lines_needed(self.picture, most, empty=nodes_text(self.picture))
        nodes = min(most, max(LEAST_LINES, needed))
        queues = min(QUEUE_LINES, len(self.picture.queues) + 1) if self.size.width < MID else 0
        heights = (nodes + queues if self.size.height >= SHORT else 0, queues)
        if heights == self._heights:
            return False
        self._heights = heights
        self.query_one("#pool").styles.height = heights[0] or "1fr"
        self.query_one(QueueList).styles.height = heights[1] or "100%"
        return True
