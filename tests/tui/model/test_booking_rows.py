from datetime import UTC

import pytest
from msgspec.structs import replace

from eaas_tui.model.booking_rows import booking_lines, booking_rows, day_and_time
from eaas_tui.model.columns import Cell, text_of
from eaas_tui.model.format import unix
from tests.eaas.client.test_bookings import BOOKING
from tests.rig.pictures import a_picture

EARLY = "2026-03-01T08:00:00Z"
RUNNING = replace(BOOKING, id=9, user=None, queue="class", state="running", missing=0, start=EARLY)
OVER = replace(BOOKING, id=2, state="over")
NOW = unix("2026-03-01T12:30:00Z") or 0.0


def test_bookings_stand_by_their_start_without_those_that_are_over() -> None:
    picture = a_picture(bookings={one.id: one for one in (BOOKING, OVER, RUNNING)})

    rows = booking_rows(picture, NOW, UTC)

    assert rows.keys == [9, 3]
    assert [text_of(cell) for cell in rows.row_of(3).cells] == [
        *("3", "1 missing", "bob", "2", "03-01 13:00", "03-01 16:00", "30m"),
        *("p", "a 0,1", "a demo"),
    ]


def test_a_booking_that_runs_says_how_long_it_lasts_and_one_that_lacks_cards_warns() -> None:
    picture = a_picture(bookings={one.id: one for one in (BOOKING, RUNNING)})
    rows = booking_rows(picture, NOW, UTC)

    running = rows.row_of(9).cells
    assert (running[1], text_of(running[2]), text_of(running[6])) == (
        Cell("running", "good"),
        "p/class",
        "3h30m",
    )
    assert rows.row_of(3).cells[1] == Cell("1 missing", "warn")


def test_all_of_a_booking_is_who_made_it_what_for_and_what_is_not_there() -> None:
    assert booking_lines(BOOKING) == [
        "Made by root: a demo",
        "1 card of it will not be there at its start, as things stand",
        "card 1 of a is held by job 12 of ann without a timeout",
    ]
    assert booking_lines(replace(BOOKING, note=None, missing=0, cards=())) == ["Made by root"]
    assert booking_lines(None) == []


@pytest.mark.parametrize(
    ("at", "shown"), [("2026-03-01T08:00:00.000Z", "03-01 08:00"), ("soon", "-")]
)
def test_a_moment_is_a_day_and_a_time(at: str, shown: str) -> None:
    assert day_and_time(at, UTC) == shown
