"""One queue: its rules, who is first in its line, and how much each person has had of its pool."""

from typing import Any, ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType

from eaas.views import QueueView
from eaas_tui.keys import bindings_for
from eaas_tui.model.picture import Picture
from eaas_tui.model.queue_page import queue_page, queue_title
from eaas_tui.model.queue_rows import queue_order
from eaas_tui.model.text_lines import text
from eaas_tui.screens.opening import clock_of
from eaas_tui.screens.pool_acting import PoolActingScreen
from eaas_tui.widgets.key_bar import KeyBar
from eaas_tui.widgets.status_bar import StatusBar
from eaas_tui.widgets.text_pane import TextPane, TextRow


class QueueScreen(PoolActingScreen):
    """A page about one queue; ``<`` and ``>`` go to the one before and after."""

    view_name = "queue"
    CSS_PATH = "queue.tcss"
    AUTO_FOCUS = "#queue-page"
    BINDINGS: ClassVar[list[BindingType]] = [*bindings_for("queue")]

    def __init__(self, ref: str) -> None:
        """Show the queue of this ``pool/queue``."""
        super().__init__()
        self.ref = ref

    def compose(self) -> ComposeResult:
        """Compose the title and the page between the two bars."""
        yield StatusBar()
        yield TextRow(id="queue-title")
        yield TextPane(id="queue-page")
        yield KeyBar()

    def draw(self, picture: Picture) -> None:
        """Show what the picture says of the queue."""
        queue, page = picture.queues.get(self.ref), self.query_one("#queue-page", TextPane)
        page.set_class(picture.is_stale, "-stale")
        if queue is None:
            self.query_one(TextRow).say(f"there is no queue {self.ref} any more")
            page.show([text("q goes back")])
            return
        self.query_one(TextRow).say(*queue_title(queue).cells)
        page.show(queue_page(queue, picture, clock_of(self.app)()))

    def chosen_queue(self) -> QueueView | None:
        """Return the queue that is shown."""
        return self.picture.queues.get(self.ref)

    def facts(self) -> dict[str, Any]:
        """Return the queue."""
        return {"queue": self.ref}

    def action_go(self, by: int) -> None:
        """Show the queue so many places after this one."""
        refs = queue_order(self.picture)
        if refs:
            at = refs.index(self.ref) if self.ref in refs else 0
            self.ref = refs[(at + by) % len(refs)]
            self.draw(self.picture)
