"""Routes of bookings."""

import re
from typing import Final

from aiohttp import web

from eaas.booking_views import BookingView
from eaas.errors import FieldError, Invalid, NotFound
from eaas.spelling import shown
from eaas.units import UnitError, parse_utc
from eaas.views import Page
from eaas.wire.rest import CreateBooking
from eaas_daemon.api.bodies import query_flag, read_body
from eaas_daemon.api.parts import Parts, answer, caller_of
from eaas_daemon.core import events as e
from eaas_daemon.core.booking import Booking
from eaas_daemon.core.booking_orders import is_known
from eaas_daemon.core.booking_picture import booking_view

_NUMBER: Final = re.compile(r"[0-9]{1,18}")


class BookingRoutes:
    """``/api/v1/bookings``."""

    def __init__(self, parts: Parts) -> None:
        self._engine = parts.engine
        self._clock = parts.clock

    def routes(self) -> list[web.RouteDef]:
        """Return the routes."""
        booking = "/api/v1/bookings/{booking}"
        return [
            web.get("/api/v1/bookings", self.every, allow_head=False),
            web.post("/api/v1/bookings", self.create),
            web.get(booking, self.show, allow_head=False),
            web.delete(booking, self.cancel),
        ]

    async def every(self, request: web.Request) -> web.Response:
        """Show the bookings, the next one first; ``all`` shows those of the last day too."""
        all, now = query_flag(request, "all"), self._clock.now()
        bookings = self._engine.state.bookings.values()
        shown = [one for one in bookings if all or one.end > now]
        ordered = sorted(shown, key=lambda one: (one.start, one.id))
        return answer(Page([self._view(one) for one in ordered]))

    async def show(self, request: web.Request) -> web.Response:
        """Show one booking."""
        number = _number(request)
        booking = self._engine.state.bookings.get(number)
        if booking is None:
            raise NotFound(f"there is no booking {number}; mini-eaas book list shows them")
        return answer(self._view(booking))

    async def create(self, request: web.Request) -> web.Response:
        """Book cards of a pool."""
        body = await read_body(request, CreateBooking)
        event = e.Book(
            caller=caller_of(request),
            gpus=body.gpus,
            pool=body.pool,
            user=body.user,
            queue=body.queue,
            start=_moment("start", body.start),
            end=_moment("end", body.end),
            for_s=body.for_s,
            gpu_type=body.gpu_type,
            note=body.note,
        )
        made = await self._engine.ask(event)
        booking = self._engine.state.bookings.get(made.id, made)
        return answer(self._view(booking, self._remarks(booking)), 201)

    async def cancel(self, request: web.Request) -> web.Response:
        """Give back what is booked."""
        event = e.CancelBooking(caller=caller_of(request), id=_number(request))
        return answer(self._view(await self._engine.ask(event)))

    def _remarks(self, booking: Booking) -> tuple[str, ...]:
        user = booking.user
        if user in (None, booking.created_by) or is_known(self._engine.state, user or ""):
            return ()
        return (
            f"nobody called {user} has used this controller so far, nor has a token or an account "
            "on a node: if that is a slip, cancel the booking and make it anew",
        )

    def _view(self, booking: Booking, remarks: tuple[str, ...] = ()) -> BookingView:
        return booking_view(self._engine.state, booking, self._clock.now(), remarks)


def _number(request: web.Request) -> int:
    text = request.match_info["booking"]
    if not _NUMBER.fullmatch(text):
        raise NotFound(f"there is no booking {shown(text)}; mini-eaas book list shows them")
    return int(text)


def _moment(field: str, text: str | None) -> float | None:
    try:
        return None if text is None else parse_utc(text)
    except UnitError as error:
        message = f"{field}: {error.sentence}"
        mistake = FieldError(field=field, message=message, suggestion=error.suggestion)
        raise Invalid((mistake,)) from None
