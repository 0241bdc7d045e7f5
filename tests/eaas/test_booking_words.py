import pytest

from eaas import reasons as r
from eaas.booking_words import span_text
from eaas.sentences import sentence


@pytest.mark.parametrize(
    ("start", "end", "text"),
    [
        ("2026-12-01T14:00:00.000Z", "2026-12-01T17:00:00.000Z", "2026-12-01 14:00 to 17:00 UTC"),
        (
            "2026-12-01T22:00:00.000Z",
            "2026-12-02T03:30:00.000Z",
            "2026-12-01 22:00 to 2026-12-02 03:30 UTC",
        ),
    ],
)
def test_a_span_names_a_common_day_once(start: str, end: str, text: str) -> None:
    assert span_text(start, end) == text


def test_what_is_booked_is_said_with_the_timeout_that_would_do() -> None:
    reason = r.Booking(
        node="a",
        booking=3,
        whose="bob",
        cards=1,
        start="2026-12-01T14:00:00.000Z",
        end="2026-12-01T17:00:00.000Z",
        fits_s=4800.0,
        asked=1,
        available=0,
    )

    assert sentence(reason) == (
        "1 card of a is booked for bob from 2026-12-01 14:00 to 17:00 UTC; a timeout of 1h20m or "
        "less would let this job start before it"
    )
