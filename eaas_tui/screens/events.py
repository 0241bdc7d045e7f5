"""What happened in the pool, all of it that the console has seen."""

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType

from eaas_tui.keys import bindings_for
from eaas_tui.model.picture import Picture
from eaas_tui.screens.base import PictureScreen
from eaas_tui.screens.opening import opening_of
from eaas_tui.widgets.event_list import EventList
from eaas_tui.widgets.key_bar import KeyBar
from eaas_tui.widgets.row_list import RowList
from eaas_tui.widgets.status_bar import StatusBar


class EventsScreen(PictureScreen):
    """The journal's newest lines; ``enter`` opens what one is about."""

    view_name = "events"
    AUTO_FOCUS = "#events"
    BINDINGS: ClassVar[list[BindingType]] = [*bindings_for("events")]

    def compose(self) -> ComposeResult:
        """Compose the list between the two bars."""
        yield StatusBar()
        yield EventList(id="events")
        yield KeyBar()

    def draw(self, picture: Picture) -> None:
        """Show the events of the picture."""
        self.query_one(EventList).draw(picture)

    def on_row_list_opened(self, message: RowList.Opened) -> None:
        """Open the event's job, or its node."""
        message.stop()
        event = next((event for event in self.picture.events if event.seq == message.key), None)
        if event is None:
            return
        if event.job is not None:
            opening_of(self.app).open_job(event.job)
        elif event.node in self.picture.nodes:
            opening_of(self.app).open_node(event.node)
