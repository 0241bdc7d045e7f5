"""The bookings, at every size, and giving one back."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from eaas.client import Address, Client
from eaas_tui.screens.bookings import BookingsScreen
from tests.eaas.client.test_bookings import BOOKING
from tests.rig.pictures import a_picture
from tests.rig.pilots import on_screen, screen_lines, until, widths
from tests.rig.stand_in import StandIn, serving

LATER = "2026-03-02T08:00:00Z"
OTHER = replace(BOOKING, id=8, user=None, queue="class", note="期末考试", start=LATER)
PICTURE = a_picture(bookings={one.id: one for one in (BOOKING, OTHER)})


@pytest.mark.parametrize("size", [(20, 5), (80, 24), (120, 40), (200, 60)])
async def test_bookings_have_a_screen_of_their_own(size: tuple[int, int]) -> None:
    async with on_screen(BookingsScreen(), PICTURE, size=size) as (app, _):
        lines = screen_lines(app)

        assert widths(lines) == {size[0]}
        assert any("1 missing"[: size[0] - 12] in line for line in lines)


async def test_below_the_list_stands_all_of_the_selected_one() -> None:
    async with on_screen(BookingsScreen(), PICTURE) as (app, pilot):
        assert any("held by job 12 of ann" in line for line in screen_lines(app))

        await pilot.press("j")

        await until(lambda: any("by root: 期末考试" in line for line in screen_lines(app)), pilot)


async def test_where_nothing_is_booked_it_says_how() -> None:
    async with on_screen(BookingsScreen(), a_picture()) as (app, pilot):
        assert any("mini-eaas book --gpus 2" in line for line in screen_lines(app))

        await pilot.press("x")

        await until(lambda: app.told == ["No booking is selected"], pilot)


async def test_a_booking_is_cancelled_after_a_question(tmp_path: Path) -> None:
    controller, socket = StandIn(), tmp_path / "controller.sock"
    controller.answers["DELETE /api/v1/bookings/3"] = BOOKING
    async with (
        serving(controller, socket),
        Client(Address(socket=socket)) as client,
        on_screen(BookingsScreen(), PICTURE, client=client) as (app, pilot),
    ):
        await pilot.press("x")
        await until(lambda: any("Cancel booking 3?" in it for it in screen_lines(app)), pilot)
        assert controller.asked == []

        await pilot.press("y")

        await until(lambda: "booking 3 is cancelled" in app.told, pilot)
    assert [asked.method for asked in controller.asked] == ["DELETE"]
