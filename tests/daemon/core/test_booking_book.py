import pytest

from eaas.errors import Conflict
from eaas_daemon.core import events as e
from tests.rig.bookings import HOUR, a_house, book, go_on
from tests.rig.builders import ADMIN


def test_a_step_that_is_taken_back_books_nothing_and_gives_no_number_away() -> None:
    house = a_house()
    before = house.state.next_booking
    mark = house.state.mark()
    house.state.take_booking_id()
    house.state.undo_to(mark)

    assert house.state.next_booking == before
    assert house.state.bookings == {}


def test_a_cancelled_booking_comes_back_when_its_step_is_taken_back() -> None:
    house = a_house()
    booking = book(house)
    mark = house.state.mark()
    house.state.drop_booking(booking.id)
    assert house.state.changes().gone_bookings == (booking.id,)

    house.state.undo_to(mark)

    assert house.state.bookings == {booking.id: booking}
    assert house.state.changes().gone_bookings == ()


def test_a_pool_that_is_booked_is_not_deleted() -> None:
    house = a_house()
    booking = book(house)

    with pytest.raises(Conflict, match=f"mini-eaas book cancel {booking.id}"):
        house.do(e.DeletePool(caller=ADMIN, name="default"))

    go_on(house, 4 * HOUR)
    house.do(e.DeletePool(caller=ADMIN, name="default"))
    assert house.state.pools == {}


def test_a_queue_that_is_booked_is_not_deleted_and_another_one_is() -> None:
    house = a_house()
    house.queue("class")
    house.queue("other")
    book(house, queue="class")

    with pytest.raises(Conflict, match="queue default/class has bookings"):
        house.do(e.DeleteQueue(caller=ADMIN, pool="default", name="class"))
    house.do(e.DeleteQueue(caller=ADMIN, pool="default", name="other"))

    assert sorted(house.state.queues) == ["default/class", "default/default"]
