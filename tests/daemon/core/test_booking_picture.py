from typing import Any

import pytest

from eaas.booking_views import BookingView
from eaas.ids import NodeName, PoolName
from eaas.node_views import CardView
from eaas_daemon.core import events as e
from eaas_daemon.core.booking import Booking
from eaas_daemon.core.booking_picture import booking_view
from eaas_daemon.core.inventory_picture import card_view, pool_view
from tests.rig.bookings import HOUR, a_house, book, go_on
from tests.rig.builders import ADMIN, ALICE, BOB, House, a_card


def view(house: House, booking: Booking) -> BookingView:
    return booking_view(house.state, house.state.bookings[booking.id], house.now)


def texts(house: House, booking: Booking) -> list[str | None]:
    return [card.text for card in view(house, booking).cards]


def card(house: House, index: int) -> CardView:
    node = house.state.nodes[NodeName("n1")]
    return card_view(house.state, node, node.cards[index])


def test_a_booking_whose_cards_are_free_lacks_nothing() -> None:
    house = a_house()
    shown = view(house, book(house, 2))

    assert (shown.state, shown.missing) == ("ahead", 0)
    assert [(one.ready, one.job, one.free_at) for one in shown.cards] == [(True, None, None)] * 2
    assert shown.text == (
        "2 cards of pool default are booked for bob from 1970-01-01 02:16 to 03:16 UTC"
    )


def test_a_booking_says_which_cards_it_lacks_and_until_when() -> None:
    house = a_house(cards=3)
    house.running(house.submit(gpus=1))
    house.running(house.submit(gpus=1, timeout="5h"))
    house.running(house.submit(BOB, gpus=1))

    shown = view(house, book(house, 3))

    assert [one.text for one in shown.cards] == [
        "is held by job 1 of alice without a timeout",
        "is held by job 2 of alice until 1970-01-01 05:16 UTC at the latest",
        "has job 3 of bob, which is one of its own",
    ]
    assert [one.free_at is None for one in shown.cards] == [True, False, True]
    assert shown.missing == 2
    assert "2 of them will not be there in time: card 0 of n1 is held by job 1" in shown.text


def test_while_it_runs_it_says_what_is_not_there_yet() -> None:
    house = a_house(cards=1)
    house.running(house.submit(gpus=1))
    booking = book(house, 1, in_s=60)
    go_on(house, 60)

    assert view(house, booking).text.endswith(
        "it is not there yet: card 0 of n1 is held by job 1 of alice without a timeout"
    )
    go_on(house, HOUR)
    assert view(house, booking).text.endswith("; it is over")


def test_a_job_that_is_stopped_has_no_end_that_moves_with_the_clock() -> None:
    house = a_house(cards=1)
    house.running(house.submit(gpus=1))
    booking = book(house, 1)
    house.do(e.Cancel(caller=ALICE, number=house.job(1).number, grace_s=30))

    [shown] = view(house, booking).cards

    assert (shown.text, shown.free_at) == (
        "is held by job 1 of alice, which is being stopped",
        None,
    )


@pytest.mark.parametrize(
    ("reading", "said"),
    [
        ({"state": "sick", "text": "Xid 79"}, "is sick: Xid 79"),
        ({"state": "foreign", "text": "python of eve"}, "is foreign: python of eve"),
        ({"state": "unknown"}, "is unknown"),
    ],
)
def test_a_card_that_can_not_be_had_says_why(reading: dict[str, Any], said: str) -> None:
    house = a_house(cards=1)
    booking = book(house, 1)
    house.beat("n1", a_card(0, **reading))

    assert texts(house, booking) == [said]


def test_so_does_one_that_is_excluded_or_whose_node_takes_nothing_or_is_gone() -> None:
    house = a_house(cards=1)
    booking = book(house, 1)
    exclude = e.SetExcluded(caller=ADMIN, node="n1", card="0", excluded=True)
    house.do(exclude)
    seen = texts(house, booking)
    house.do(e.SetExcluded(caller=ADMIN, node="n1", card="0", excluded=False))
    house.do(e.SetDraining(caller=ADMIN, node="n1", draining=True))
    seen += texts(house, booking)

    assert seen == [
        "is excluded by root",
        "can't be had: n1 is draining: it finishes its jobs and takes no new ones",
    ]
    house.do(e.RemoveFromPool(caller=ADMIN, pool="default", node="n1"))
    assert "the pool has no other card for it" in view(house, booking).text


def test_a_card_says_for_whom_it_is_booked_and_is_not_offered_while_that_runs() -> None:
    house = a_house(cards=2)
    book(house, 1, in_s=60)
    before = card(house, 0)
    go_on(house, 60)
    running, other = card(house, 0), card(house, 1)

    assert [(one.id, one.whose) for one in before.bookings] == [(1, "bob")]
    assert before.reason is not None
    assert before.reason.text == (
        "booked for bob 1970-01-01 00:17 to 01:17 UTC; jobs that are gone by then may have it"
    )
    assert (before.offered, running.offered, other.offered) == (True, False, True)
    assert (other.reason, other.bookings) == (None, ())
    pool = pool_view(house.state, house.state.pools[PoolName("default")])
    assert (pool.cards_free, pool.cards_unavailable) == (1, 1)


def test_a_held_card_says_for_whom_it_is_booked_too_and_nothing_once_that_is_over() -> None:
    house = a_house(cards=1)
    house.running(house.submit(gpus=1))
    book(house, 1, in_s=60)

    held = card(house, 0)

    assert held.reason is not None
    assert held.reason.text == "booked for bob 1970-01-01 00:17 to 01:17 UTC"
    go_on(house, 2 * HOUR)
    assert (card(house, 0).bookings, card(house, 0).reason) == ((), None)
