from typing import Any

import pytest

from eaas.ids import PoolName, QueueName, UserName
from eaas_daemon.core.booking import Booking


def a_booking(start: float, end: float, **but: Any) -> Booking:
    values = {"user": UserName("bob")} | but
    return Booking(
        id=1,
        pool=PoolName("default"),
        gpus=1,
        start=start,
        end=end,
        created_by=UserName("root"),
        created_at=0.0,
        **values,
    )


@pytest.mark.parametrize(
    ("now", "phase"), [(9.9, "ahead"), (10.0, "running"), (19.9, "running"), (20.0, "over")]
)
def test_a_booking_runs_from_its_start_until_just_before_its_end(now: float, phase: str) -> None:
    assert a_booking(10, 20).phase(now) == phase


@pytest.mark.parametrize(
    ("start", "end", "is_beside"), [(0, 10, False), (0, 11, True), (19, 30, True), (20, 30, False)]
)
def test_bookings_that_follow_each_other_do_not_overlap(
    start: float, end: float, is_beside: bool
) -> None:
    one, other = a_booking(10, 20), a_booking(start, end)

    assert (one.overlaps(other), other.overlaps(one)) == (is_beside, is_beside)


def test_a_users_booking_is_for_all_their_jobs_in_its_pool_and_for_no_others() -> None:
    booking = a_booking(0, 10)

    assert booking.is_for("default/train", "bob")
    assert not booking.is_for("default/train", "ann")
    assert not booking.is_for("other/train", "bob")
    assert booking.whose == "bob"


def test_a_queues_booking_is_for_whoever_submits_into_it() -> None:
    booking = a_booking(0, 10, user=None, queue=QueueName("class"))

    assert booking.is_for("default/class", "ann")
    assert not booking.is_for("default/default", "ann")
    assert not booking.is_for("other/class", "ann")
    assert booking.whose == "queue default/class"
