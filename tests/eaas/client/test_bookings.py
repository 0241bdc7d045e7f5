from eaas.booking_views import BookedCardView, BookingView
from eaas.client import Client
from eaas.wire.rest import CreateBooking
from tests.rig.stand_in import StandIn

BOOKING = BookingView(
    id=3,
    pool="p",
    gpus=2,
    user="bob",
    queue=None,
    gpu_type=None,
    note="a demo",
    state="ahead",
    start="2026-03-01T13:00:00.000Z",
    end="2026-03-01T16:00:00.000Z",
    created_by="root",
    created_at="2026-03-01T08:00:00.000Z",
    cards=(
        BookedCardView(
            uuid="GPU-0", index=0, node="a", ready=True, job=None, free_at=None, text=None
        ),
        BookedCardView(
            uuid="GPU-1",
            index=1,
            node="a",
            ready=False,
            job=12,
            free_at=None,
            text="is held by job 12 of ann without a timeout",
        ),
    ),
    missing=1,
    text="2 cards of pool p are booked for bob from 2026-03-01 13:00 to 16:00 UTC",
)


async def test_bookings_are_made_shown_listed_and_cancelled(
    client: Client, controller: StandIn
) -> None:
    controller.answers["POST /api/v1/bookings"] = BOOKING
    controller.answers["GET /api/v1/bookings"] = {"items": [BOOKING], "next": None}
    controller.answers["GET /api/v1/bookings/3"] = BOOKING
    controller.answers["DELETE /api/v1/bookings/3"] = BOOKING

    assert await client.book(CreateBooking(gpus=2, for_s=60)) == BOOKING
    assert await client.bookings() == await client.bookings(all=True) == [BOOKING]
    assert await client.booking(3) == await client.cancel_booking(3) == BOOKING
    assert [asked.query for asked in controller.asked[1:3]] == [{}, {"all": "1"}]
    assert controller.asked[0].body["gpus"] == 2
