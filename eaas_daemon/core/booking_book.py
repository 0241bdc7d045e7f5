"""The bookings of a state, and how they change."""

from collections.abc import Mapping, Sequence

from eaas.errors import Conflict
from eaas.ids import CardUuid, NodeName, PoolName
from eaas_daemon.core.booking import Booking
from eaas_daemon.core.draft import Draft
from eaas_daemon.core.undo import Undo


class BookingBook(Undo):
    """The part of the state that knows what is booked."""

    draft: Draft
    restless: set[PoolName]

    def __init__(self) -> None:
        super().__init__()
        self.bookings: dict[int, Booking] = {}
        """Those that are not over, and for a while those that are, by number."""
        self.next_booking = 1
        self._by_card: dict[CardUuid, list[Booking]] | None = None

    @property
    def booked_cards(self) -> Mapping[CardUuid, Sequence[Booking]]:
        """Return the bookings of every card that has any, those that begin first first."""
        if self._by_card is None:
            self._by_card = {}
            for booking in sorted(self.bookings.values(), key=lambda one: (one.start, one.id)):
                for card in booking.cards:
                    self._by_card.setdefault(card.uuid, []).append(booking)
        return self._by_card

    def note_load(self, node: NodeName) -> None:
        """Let a booked node be planned for again: what runs there may be gone by another moment."""
        if self.bookings and any(
            card.node == node for booking in self.bookings.values() for card in booking.cards
        ):
            self.rouse_pools_of(node)

    def _set_booking(self, id: int, booking: Booking | None) -> None:
        self._set(self.bookings, id, booking)
        self._by_card = None

    def put_booking(self, booking: Booking) -> None:
        """Let the booking stand as given."""
        old = self.bookings.get(booking.id)
        self._undo.append(lambda: self._set_booking(booking.id, old))
        self._set_booking(booking.id, booking)
        self.draft.bookings[booking.id] = None
        self.rouse_booked(booking)

    def drop_booking(self, id: int) -> None:
        """Forget the booking."""
        old = self.bookings[id]
        self._undo.append(lambda: self._set_booking(id, old))
        self._set_booking(id, None)
        self.draft.gone_bookings[id] = None
        self.rouse_booked(old)

    def take_booking_id(self) -> int:
        """Take the next number of a booking; none is given twice."""
        id = self.next_booking
        self._put("next_booking", id + 1)
        return id

    def rouse_booked(self, booking: Booking) -> None:
        """Let the booking's pool be planned again, and those that share its cards' nodes."""
        self.restless.add(booking.pool)
        for name in {card.node for card in booking.cards}:
            self.rouse_pools_of(name)

    def rouse_pools_of(self, node: NodeName) -> None:
        """Let the pools of this node be planned again."""
        raise NotImplementedError


def refuse_booked(book: BookingBook, what: str, pool: str, queue: str | None, now: float) -> None:
    """Refuse to delete a pool or a queue for which bookings are not over."""
    booked = [
        one.id
        for one in book.bookings.values()
        if one.pool == pool and queue in (None, one.queue) and one.end > now
    ]
    if booked:
        listed = " ".join(map(str, sorted(booked)))
        raise Conflict(f"{what} has bookings; cancel them first: mini-eaas book cancel {listed}")
