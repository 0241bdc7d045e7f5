from typing import Any

import pytest
from msgspec.structs import replace

from eaas.booking_views import BookingView
from eaas.cli.draw_bookings import booking_card, booking_table, cards_of, missing_text, whose
from eaas.cli.output import Facts, Lines
from tests.eaas.client.test_bookings import BOOKING


def lines(one: BookingView) -> list[str]:
    return [line for block in booking_card(one) if isinstance(block, Lines) for line in block.lines]


def test_a_row_says_for_whom_when_and_which_cards() -> None:
    [row] = booking_table([BOOKING]).rows

    assert row[:4] == ("3", "bob", "p", "2")
    assert row[6:] == ("ahead, 1 missing", "a 0,1", "a demo")


def test_everything_about_a_booking_says_what_is_missing_and_why() -> None:
    facts = next(block for block in booking_card(BOOKING) if isinstance(block, Facts))

    assert dict(facts.pairs)["what"] == "2 cards of pool p"
    assert lines(BOOKING) == [
        "card 1 of a is held by job 12 of ann without a timeout",
        "1 card of it will not be there at its start, as things stand",
    ]


def test_a_booking_that_has_all_its_cards_says_no_more() -> None:
    ready = tuple(replace(card, ready=True, text=None) for card in BOOKING.cards)

    assert lines(replace(BOOKING, cards=ready, missing=0)) == []


@pytest.mark.parametrize(
    ("but", "text"),
    [
        ({"state": "running"}, "1 card of it is not there yet"),
        ({"state": "running", "missing": 2}, "2 cards of it are not there yet"),
    ],
)
def test_while_it_runs_what_lacks_is_not_there_yet(but: dict[str, Any], text: str) -> None:
    assert missing_text(replace(BOOKING, **but)) == text


def test_a_queues_booking_names_the_queue_and_cards_are_told_node_by_node() -> None:
    other = replace(BOOKING.cards[0], node="b", index=3)
    booking = replace(BOOKING, user=None, queue="class", cards=(*BOOKING.cards, other))

    assert (whose(booking), cards_of(booking)) == ("queue p/class", "a 0,1; b 3")
    assert cards_of(replace(BOOKING, cards=())) is None
