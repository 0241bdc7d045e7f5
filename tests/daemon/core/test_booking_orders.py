from typing import Any

import pytest

from eaas.errors import Conflict, EaasError, Forbidden, Invalid, NotFound, NotYours
from eaas_daemon.core import events as e
from eaas_daemon.core.booking_orders import YEAR_S, is_known
from tests.rig.bookings import HOUR, a_house, book, go_on, picked
from tests.rig.builders import ADMIN, ALICE, BOB, House, a_card


def refused(house: House, kind: type[EaasError], **fields: Any) -> str:
    wanted: dict[str, Any] = {"caller": ADMIN, "gpus": 1, "for_s": HOUR, **fields}
    with pytest.raises(kind) as refusal:
        house.do(e.Book(**wanted))
    assert house.state.bookings == {}
    return refusal.value.sentence


def test_a_booking_is_for_who_makes_it_from_now_on_unless_it_says_otherwise() -> None:
    house = a_house()

    booking = house.do(e.Book(caller=ADMIN, gpus=1, for_s=HOUR))

    assert (booking.user, booking.queue, booking.pool) == ("root", None, "default")
    assert (booking.start, booking.end) == (house.now, house.now + HOUR)
    assert [row.kind for row in house.changes.journal] == ["booking.created"]


def test_only_an_admin_books() -> None:
    assert "only an admin books cards" in refused(a_house(), Forbidden, caller=BOB)


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"gpus": 0}, "gpus: must be 1 or more, not 0"),
        ({"gpus": 3}, "gpus: must be 2 at most: pool default has 2 cards"),
        ({"gpus": 1, "gpu_type": "H200"}, "gpus: must be 0 at most: pool default has 0 cards of"),
        ({"for_s": None}, "say until when"),
        ({"end": 5000.0}, "say until when"),
        ({"for_s": None, "end": 900.0}, "end: 1970-01-01 00:15:00 UTC is over already"),
        ({"for_s": None, "start": 9000.0, "end": 8000.0}, "is not after the start"),
        ({"for_s": -5.0}, "for_s: a booking lasts a minute at least"),
        ({"for_s": YEAR_S + 1}, "for_s: a booking lasts a year at most"),
        ({"start": 1001.0 + YEAR_S}, "is more than a year ahead"),
        ({"user": "bob", "queue": "default"}, "a user or a queue, not both"),
        ({"user": "b b"}, "user: that names no user"),
        ({"note": "two\nlines"}, "note: must be one line"),
    ],
)
def test_what_makes_no_sense_is_refused_with_what_would(fields: dict[str, Any], said: str) -> None:
    assert said in refused(a_house(), Invalid, **fields)


def test_an_unknown_pool_or_queue_is_refused_with_the_nearest_name() -> None:
    house = a_house()
    house.queue("class")

    assert "did you mean default" in refused(house, NotFound, pool="defualt")
    assert "did you mean class" in refused(house, NotFound, queue="clas")


def test_a_queue_may_name_its_pool_and_no_other() -> None:
    house = a_house()
    house.queue("class")
    house.pool("other")

    assert "is none of pool other" in refused(house, Invalid, pool="other", queue="default/class")
    booking = house.do(e.Book(caller=ADMIN, gpus=1, for_s=HOUR, queue="default/class"))
    assert (booking.pool, booking.queue, booking.user) == ("default", "class", None)


def test_bookings_that_together_want_more_than_the_pool_has_are_refused_with_the_others() -> None:
    house = a_house(cards=2)
    first = book(house, 1, in_s=HOUR, for_s=HOUR)

    with pytest.raises(Conflict) as refusal:
        book(house, 2, in_s=1.5 * HOUR, user="ann")

    assert "pool default has 2 cards, and 2 cards more would be too many" in str(refusal.value)
    assert f"booking {first.id} of bob has 1 card" in str(refusal.value)
    book(house, 1, in_s=1.5 * HOUR, user="ann")
    book(house, 1, in_s=2 * HOUR, user="carl")


def test_what_fits_by_its_number_fits_whatever_was_picked_before() -> None:
    house = a_house(cards=2)
    early = book(house, 1, in_s=HOUR, for_s=HOUR)
    late = book(house, 1, in_s=3 * HOUR, for_s=HOUR)

    whole = book(house, 1, in_s=HOUR, for_s=3 * HOUR, user="ann")

    assert len({*picked(house, early), *picked(house, whole)}) == 2
    assert len({*picked(house, late), *picked(house, whole)}) == 2


def test_pools_that_share_a_node_do_not_book_its_cards_twice() -> None:
    house = a_house(cards=2)
    house.pool("other", "n1")
    book(house, 2, pool="default")

    with pytest.raises(Conflict, match="booking 1 of bob has 2 cards"):
        book(house, 1, pool="other")


def test_broken_cards_count_too() -> None:
    house = House()
    house.node("n1", a_card(0), a_card(1, state="sick"))
    house.pool("default", "n1")

    assert picked(house, book(house, 2)) == ["n1/0", "n1/1"]


def test_an_admin_cancels_any_booking_and_a_user_their_own() -> None:
    house = a_house()
    own, others = book(house, 1), book(house, 1, user="ann")
    with pytest.raises(NotYours, match="only ann or an admin cancels it"):
        house.do(e.CancelBooking(caller=BOB, id=others.id))

    house.do(e.CancelBooking(caller=BOB, id=own.id))
    house.do(e.CancelBooking(caller=ADMIN, id=others.id))

    assert house.state.bookings == {}
    assert [row.kind for row in house.changes.journal] == ["booking.cancelled"]
    with pytest.raises(NotFound, match="there is no booking 1"):
        house.do(e.CancelBooking(caller=ADMIN, id=1))


def test_the_booking_of_a_queue_is_cancelled_by_admins_only() -> None:
    house = a_house()
    house.queue("class")
    booking = book(house, 1, queue="class")

    with pytest.raises(NotYours, match="is for queue default/class: only an admin cancels it"):
        house.do(e.CancelBooking(caller=ALICE, id=booking.id))


def test_cancelling_what_is_over_changes_nothing() -> None:
    house = a_house()
    booking = book(house)
    go_on(house, 3 * HOUR)

    house.do(e.CancelBooking(caller=ADMIN, id=booking.id))

    assert house.changes.journal == ()
    assert list(house.state.bookings) == [booking.id]


def test_a_cancelled_booking_lets_others_in_at_once() -> None:
    house = a_house()
    booking = book(house)
    job = house.submit(gpus=1)
    assert job.attempts == ()

    house.do(e.CancelBooking(caller=ADMIN, id=booking.id))

    assert house.job(job.number).attempts != ()


def test_a_user_is_known_by_jobs_they_have_or_lists_they_are_in() -> None:
    house = a_house()
    house.submit(ALICE)
    house.queue("train", allow=["carl"])

    known = {name: is_known(house.state, name) for name in ("alice", "carl", "bob")}

    assert known == {"alice": True, "carl": True, "bob": False}
