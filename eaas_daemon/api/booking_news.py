"""What the stream has said of bookings, so that only what is new of them is said again."""

from eaas.booking_views import BookingView
from eaas.ids import NodeName
from eaas_daemon.core.booking_picture import booking_view
from eaas_daemon.core.changes import Changes
from eaas_daemon.core.state import State


class BookingNews:
    """Costs nothing while nothing is booked."""

    def __init__(self, state: State, now: float) -> None:
        self._state = state
        self._told: dict[int, BookingView] = {}
        self._on: dict[int, frozenset[NodeName]] = {}
        """On which nodes each booking had its cards."""
        self.news(now)
        for id, booking in state.bookings.items():
            self._on[id] = frozenset(card.node for card in booking.cards)

    def nodes(self, changes: Changes) -> set[NodeName]:
        """Return the nodes whose cards are booked otherwise than before the step."""
        found: set[NodeName] = set()
        for booking in changes.bookings:
            on = frozenset(card.node for card in booking.cards)
            found |= on | self._on.get(booking.id, frozenset())
            self._on[booking.id] = on
        for id in changes.gone_bookings:
            found |= self._on.pop(id, frozenset())
            self._told.pop(id, None)
        return found

    def news(self, now: float) -> tuple[BookingView, ...]:
        """Return the bookings that are not as they were told."""
        found = []
        for id, booking in self._state.bookings.items():
            view = booking_view(self._state, booking, now)
            if self._told.get(id) != view:
                self._told[id] = view
                found.append(view)
        return tuple(found)
