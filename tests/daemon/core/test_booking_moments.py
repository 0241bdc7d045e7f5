from eaas.lifecycle import JobState
from eaas_daemon.core import events as e
from eaas_daemon.core.booking_moments import KEPT_S, next_moment
from eaas_daemon.core.model import Job
from tests.rig.bookings import HOUR, a_house, book, go_on
from tests.rig.builders import ALICE, BOB, House


def told(house: House) -> list[str]:
    return [row.kind for row in house.changes.journal]


def states(house: House, *jobs: Job) -> list[JobState]:
    return [house.job(job.number).state for job in jobs]


def test_its_people_start_the_moment_it_begins_and_others_the_moment_it_ends() -> None:
    house = a_house()
    book(house, in_s=HOUR, for_s=HOUR)
    ours, others = house.submit(BOB, gpus=1), house.submit(gpus=1)
    assert states(house, ours, others) == [JobState.PENDING] * 2

    go_on(house, HOUR)
    assert told(house) == ["booking.running", "job.placed"]
    assert states(house, ours, others) == [JobState.STARTING, JobState.PENDING]

    go_on(house, HOUR)
    assert told(house) == ["booking.over", "job.placed"]
    assert states(house, ours, others) == [JobState.STARTING] * 2


def test_a_booking_that_is_over_is_forgotten_a_day_later() -> None:
    house = a_house()
    book(house)
    go_on(house, 3 * HOUR)
    assert list(house.state.bookings) == [1]

    go_on(house, KEPT_S + 1)

    assert house.state.bookings == {}
    assert house.changes.gone_bookings == (1,)


def test_a_clock_that_ran_ahead_and_is_set_back_takes_no_booking_away() -> None:
    house = a_house()
    book(house, in_s=HOUR, for_s=HOUR)
    go_on(house, 5 * HOUR)
    assert told(house) == ["booking.over"]

    go_on(house, -4.5 * HOUR)
    assert told(house) == ["booking.ahead"]
    assert house.submit(gpus=2).state is JobState.PENDING

    go_on(house, HOUR)
    assert told(house) == ["booking.running"]
    assert house.submit(BOB, gpus=2).state is JobState.STARTING


def test_what_is_kept_for_a_job_that_is_too_late_for_it_goes_to_one_that_is_not() -> None:
    house = a_house(cards=2)
    house.running(house.submit(gpus=1))
    book(house, 2, in_s=2 * HOUR)
    first = house.submit(gpus=2, timeout="1h")
    go_on(house, 700)  # from then on what is free is kept for it
    short = house.submit(gpus=1, timeout="30m")
    assert states(house, first, short) == [JobState.PENDING] * 2

    go_on(house, HOUR)

    assert states(house, first, short) == [JobState.PENDING, JobState.STARTING]


def test_a_clock_that_is_set_back_gives_others_more_time_before_it() -> None:
    house = a_house()
    book(house, in_s=HOUR)
    job = house.submit(gpus=1, timeout="1h")

    go_on(house, -600)

    assert states(house, job) == [JobState.STARTING]


def test_a_job_that_is_stopped_in_time_leaves_its_room_before_the_booking_to_others() -> None:
    house = a_house(cpus=8)
    running = house.running(house.submit(gpus=0, cpus=5))
    book(house, 1)
    job = house.submit(gpus=0, cpus=3)
    assert states(house, job) == [JobState.PENDING]

    house.do(e.Cancel(caller=ALICE, number=running.number, grace_s=5))

    assert states(house, running, job) == [JobState.STOPPING, JobState.STARTING]


def test_nothing_is_told_twice() -> None:
    house = a_house()
    book(house, in_s=HOUR)
    go_on(house, HOUR)
    house.do(e.Tick())

    assert told(house) == []


def test_the_next_moment_is_the_first_start_or_end_to_come() -> None:
    house = a_house()
    start = house.now + HOUR
    book(house, in_s=HOUR, for_s=HOUR)
    bookings = list(house.state.bookings.values())

    moments = [next_moment(bookings, start + late) for late in (-1, 0, HOUR)]

    assert moments == [start, start + HOUR, None]
