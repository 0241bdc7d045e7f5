"""Which cards are booked, for whom, and what of them is not there."""

from typing import ClassVar, Final

from textual.app import ComposeResult
from textual.binding import BindingType

from eaas.booking_views import BookingView
from eaas_tui.keys import bindings_for
from eaas_tui.model.booking_rows import COLUMNS, NO_BOOKINGS, booking_lines, booking_rows
from eaas_tui.model.picture import Picture
from eaas_tui.screens.opening import clock_of
from eaas_tui.screens.pool_acting import PoolActingScreen
from eaas_tui.widgets.key_bar import KeyBar
from eaas_tui.widgets.lines import Lines
from eaas_tui.widgets.row_list import RowList
from eaas_tui.widgets.status_bar import StatusBar

MOST_LINES: Final = 8


class BookingsScreen(PoolActingScreen):
    """The bookings, and below them all of the selected one."""

    view_name = "bookings"
    AUTO_FOCUS = "#bookings"
    BINDINGS: ClassVar[list[BindingType]] = [*bindings_for("bookings")]
    VERTICAL_BREAKPOINTS = [(0, "-tiny"), (12, "-short")]  # noqa: RUF012
    DEFAULT_CSS = """
    BookingsScreen #booking { margin: 1 0 0 0; }
    BookingsScreen.-tiny #booking { display: none; }
    """

    def compose(self) -> ComposeResult:
        """Compose the list and the lines between the two bars."""
        yield StatusBar()
        yield RowList[int](COLUMNS, empty=NO_BOOKINGS, can_mark=False, id="bookings")
        yield Lines(id="booking")
        yield KeyBar()

    def draw(self, picture: Picture) -> None:
        """Show the bookings of the picture."""
        self._list.set_class(picture.is_stale, "-stale")
        self._list.show(booking_rows(picture, clock_of(self.app)()), empty=NO_BOOKINGS)
        self._draw_lines()

    def on_row_list_selected(self, message: RowList.Selected) -> None:
        """Show another booking below the list."""
        message.stop()
        self._draw_lines()

    def chosen_booking(self) -> BookingView | None:
        """Return the selected booking."""
        return self.picture.bookings.get(self._list.selected or 0)

    def action_cancel_booking(self) -> None:
        """Give the booking's cards back; asks first."""
        booking = self.chosen_booking()
        if booking is None:
            self._say("No booking is selected")
        elif self._may_act():
            self._ask(
                f"Cancel booking {booking.id}?",
                [booking.text, "What runs there goes on; its cards are anybody's again"],
                yes=f"Cancel booking {booking.id}",
                then=lambda: self.actions.cancel_booking(booking.id),
            )

    @property
    def _list(self) -> RowList[int]:
        return self.query_one("#bookings", RowList)

    def _draw_lines(self) -> None:
        self.query_one(Lines).show(booking_lines(self.chosen_booking())[:MOST_LINES])
