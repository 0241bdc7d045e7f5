"""One node: what it is, its cards with their curves, what runs on them, its jobs and images."""

from typing import Any, ClassVar, Final

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Container

from eaas.node_views import CardView, NodeView
from eaas.views import JobView
from eaas_tui.keys import bindings_for
from eaas_tui.model import job_table
from eaas_tui.model.card_curves import card_curves
from eaas_tui.model.node_rows import (
    CARDS,
    IMAGES,
    PROCESSES,
    card_rows,
    image_rows,
    neighbour,
    node_facts,
    process_rows,
)
from eaas_tui.model.picture import Picture
from eaas_tui.model.viewport import Rows
from eaas_tui.screens.opening import clock_of, glyphs_of, opening_of
from eaas_tui.screens.pool_acting import PoolActingScreen
from eaas_tui.widgets.curve import CurveGrid
from eaas_tui.widgets.key_bar import KeyBar
from eaas_tui.widgets.lines import Lines
from eaas_tui.widgets.row_list import RowList
from eaas_tui.widgets.status_bar import StatusBar

SHORT: Final = 12
PANES: Final = ("curves", "processes", "node-jobs", "images")
"""Below the cards: all at once on a tall screen, else one after the other."""


class NodeScreen(PoolActingScreen):
    """Everything about one node; ``<`` and ``>`` go to the one before and after."""

    view_name = "node"
    CSS_PATH = "node.tcss"
    AUTO_FOCUS = "#cards"
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (110, "-mid"), (160, "-wide")]  # noqa: RUF012
    VERTICAL_BREAKPOINTS = [(0, "-tiny"), (SHORT, "-short"), (30, "-tall")]  # noqa: RUF012
    BINDINGS: ClassVar[list[BindingType]] = [
        *bindings_for("node"),
        # The lists would take these two for sorting, which none here can.
        Binding("less_than_sign", "go(-1)", "The node before", show=False, priority=True),
        Binding("greater_than_sign", "go(1)", "The next node", show=False, priority=True),
    ]

    def __init__(self, node: str | None = None, card: str | None = None) -> None:
        """``node`` is its name, or None for the first one; ``card`` a UUID to begin with."""
        super().__init__()
        self.node: str | None = node
        self._card: str | None = card
        self._pane = 0
        self._cards_height = 0

    def compose(self) -> ComposeResult:
        """Compose the lists; the style sheet says which are seen at which size."""
        yield StatusBar()
        yield Lines(id="node-facts")
        yield RowList[str](CARDS, empty="no cards", can_mark=False, id="cards")
        with Container(id="below"):
            yield CurveGrid(id="curves")
            yield RowList[tuple[str, int]](
                PROCESSES, empty="no process on any card", can_mark=False, id="processes"
            )
            with Container(id="held"):
                yield RowList[int](
                    job_table.COLUMNS, empty="no job here", can_mark=False, id="node-jobs"
                )
                yield RowList[str](IMAGES, empty="no image known", can_mark=False, id="images")
        yield KeyBar()

    def on_mount(self) -> None:
        """Show one of the panes where there is not room for all."""
        self._show_pane()

    def draw(self, picture: Picture) -> None:
        """Hand the node's part of the picture to the lists."""
        if self.node is None:
            self.node = neighbour(picture, None, 0)
        node = picture.nodes.get(self.node or "")
        for shown in self.query(RowList):
            shown.set_class(picture.is_stale, "-stale")
        if node is None:
            self._facts.show([f"There is no node {self.node}" if self.node else "No node yet"])
            for shown in self.query(RowList):
                shown.show(Rows((), _nothing))
            return
        self._facts.show(node_facts(node, clock_of(self.app)()))
        self._draw_cards(node)
        self._list("images").show(image_rows(node))
        self._draw_jobs(node, picture)
        self._draw_card(picture)

    def on_resize(self) -> None:
        """Let the cards have their lines, and the rest what is left."""
        self._give_cards_their_height()

    # --- what the keys are about

    def chosen_node(self) -> NodeView | None:
        """Return the node that is shown."""
        return self.picture.nodes.get(self.node or "")

    def chosen_card(self) -> CardView | None:
        """Return the selected card."""
        node, uuid = self.chosen_node(), self._list("cards").selected
        cards = () if node is None else node.cards
        return next((card for card in cards if card.uuid == uuid), None)

    def chosen_jobs(self) -> list[JobView]:
        """Return the selected job."""
        job = self.picture.jobs.get(self._list("node-jobs").selected or 0)
        return [] if job is None else [job]

    def facts(self) -> dict[str, Any]:
        """Return the node, and its selected job."""
        jobs = [job.id for job in self.chosen_jobs()]
        return {"node": self.node, "job": jobs[0] if jobs else None, "jobs": jobs}

    # --- keys and messages

    def action_go(self, by: int) -> None:
        """Show the node so many places after this one."""
        self.node = neighbour(self.picture, self.node, by)
        self._card = None
        self.draw(self.picture)

    def action_pane(self, by: int) -> None:
        """Show the next of the lower panes, and give it the keys."""
        self._pane = (self._pane + by) % len(PANES)
        self._show_pane()
        self.query_one(f"#{PANES[self._pane]}").focus()

    def on_row_list_selected(self, message: RowList.Selected) -> None:
        """Show the curves of the selected card."""
        if message.row_list.id == "cards":
            self._draw_card(self.picture)

    def on_row_list_opened(self, message: RowList.Opened) -> None:
        """Open the job: the selected one, that of the process, or the card's."""
        message.stop()
        job = self._job_behind(message.row_list.id, message.key)
        if job is not None:
            opening_of(self.app).open_job(job)

    # --- how

    @property
    def _facts(self) -> Lines:
        return self.query_one("#node-facts", Lines)

    def _list(self, id: str) -> RowList[Any]:
        return self.query_one(f"#{id}", RowList)

    def _draw_cards(self, node: NodeView) -> None:
        cards = self._list("cards")
        cards.show(card_rows(node, glyphs_of(self.app)))
        if self._card is not None:
            cards.select(self._card)
            self._card = None
        self._give_cards_their_height()

    def _give_cards_their_height(self) -> None:
        cards = self._list("cards")
        most = max(3, self.size.height // 3)
        height = max(2, min(most, len(cards.rows) + 1))
        if self.size.height >= SHORT and height != self._cards_height:
            self._cards_height = height
            cards.styles.height = height

    def _draw_jobs(self, node: NodeView, picture: Picture) -> None:
        jobs = {id: picture.jobs[id] for id in sorted(node.jobs) if id in picture.jobs}
        now, is_ascii = clock_of(self.app)(), glyphs_of(self.app).name == "ascii"
        several = len(picture.pools) > 1
        self._list("node-jobs").show(
            Rows(
                list(jobs),
                lambda id: job_table.job_row(jobs[id], now, ascii=is_ascii, several_pools=several),
            )
        )

    def _draw_card(self, picture: Picture) -> None:
        """Show what happens on the selected card."""
        node, card = self.chosen_node(), self.chosen_card()
        if node is not None:
            self._list("processes").show(process_rows(node))
        samples = None if card is None else picture.samples.get(card.uuid)
        name = "" if card is None else f"GPU {card.index}"
        self.query_one(CurveGrid).show(
            card_curves(name, card, samples),
            glyphs=glyphs_of(self.app),
            empty="nothing measured on this card yet",
        )

    def _show_pane(self) -> None:
        for place, name in enumerate(PANES):
            self.query_one(f"#{name}").set_class(place == self._pane, "-chosen")
        self.query_one("#held").set_class(self._pane >= PANES.index("node-jobs"), "-chosen")

    def _job_behind(self, list_id: str | None, key: Any) -> int | None:
        node = self.chosen_node()
        if list_id == "node-jobs" or node is None:
            return key if list_id == "node-jobs" else None
        if list_id == "cards":
            claims = [claim.job for card in node.cards if card.uuid == key for claim in card.claims]
            return claims[0] if claims else None
        if list_id == "processes":
            found = [p.job for card in node.cards if card.uuid == key[0] for p in card.processes
                     if p.pid == key[1]]  # fmt: skip
            return found[0] if found else None
        return None


def _nothing(_: object) -> Any:
    raise KeyError
