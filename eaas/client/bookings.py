"""The client's calls about bookings."""

from eaas.booking_views import BookingView
from eaas.client.calls import Calls, place
from eaas.views import Page
from eaas.wire.rest import CreateBooking


class BookingCalls(Calls):
    """Book cards of a pool, and give them back."""

    async def bookings(self, *, all: bool = False) -> list[BookingView]:
        """Return the bookings, the next one first; with ``all`` those of the last day too."""
        params = {"all": 1 if all else None}
        path = place("bookings")
        page = await self._connection.call(Page[BookingView], "GET", path, params=params)
        return page.items

    async def booking(self, id: int) -> BookingView:
        """Return one booking."""
        return await self._connection.call(BookingView, "GET", place("bookings", id))

    async def book(self, wanted: CreateBooking) -> BookingView:
        """Book cards; ``remarks`` of the answer says what may be a mistake."""
        return await self._connection.call(BookingView, "POST", place("bookings"), body=wanted)

    async def cancel_booking(self, id: int) -> BookingView:
        """Give back what is booked; return the booking as it was."""
        return await self._connection.call(BookingView, "DELETE", place("bookings", id))
