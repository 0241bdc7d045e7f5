"""What is booked, to those who want it: who waits, why, and until when."""

import pytest

from eaas.job_spec import read_spec
from eaas.lifecycle import JobState
from eaas_daemon.core import events as e
from eaas_daemon.core.booking_bars import nobody, note_bookings, whose_now
from eaas_daemon.core.dry_run import dry_run
from eaas_daemon.core.explain import Explainer
from eaas_daemon.core.rooms import rooms_of
from tests.rig.bookings import HOUR, a_house, book, codes, go_on
from tests.rig.builders import ADMIN, ALICE, BOB, House, cards_of

PENDING, STARTING = JobState.PENDING, JobState.STARTING


def why_text(house: House, number: int) -> str:
    why = Explainer(house.state, house.now).why(house.job(number))
    return "; ".join(node.text for node in why.nodes)


def promised(house: House) -> float | None:
    [kept] = house.state.every_reservation()
    return kept.at


def test_others_start_on_booked_cards_only_if_they_are_gone_before_it_begins() -> None:
    house = a_house(cards=4)
    book(house, 2)
    placed = [house.submit(gpus=1), house.submit(gpus=1)]

    long, short = house.submit(gpus=1, timeout="2h"), house.submit(gpus=1, timeout="1h")

    assert [cards_of(job) for job in placed] == [["GPU-n1-2"], ["GPU-n1-3"]]
    assert (long.state, cards_of(short)) == (PENDING, ["GPU-n1-0"])


def test_why_says_for_whom_until_when_and_which_timeout_would_do() -> None:
    house = a_house()
    book(house, 2, in_s=1.5 * HOUR, for_s=3 * HOUR)

    job = house.submit(gpus=1)

    assert codes(house, job) == ["booking"]
    assert why_text(house, job.number) == (
        "2 cards of n1 are booked for bob from 1970-01-01 01:46 to 04:46 UTC; a timeout of 1h28m "
        "or less would let this job start before it"
    )
    told = Explainer(house.state, house.now).why(job)
    assert told.advice == (
        "submit it with --timeout 1h28m or less: it starts before what is booked",
    )
    assert house.submit(gpus=1, timeout="1h28m").state is STARTING


def test_no_timeout_is_advised_that_would_not_do() -> None:
    house = a_house()
    book(house, 2, in_s=100)
    soon = house.submit(gpus=1)
    go_on(house, 100)
    late = house.submit(gpus=1, timeout="1s")

    assert {codes(house, job)[0] for job in (soon, late)} == {"booking"}
    assert "timeout" not in why_text(house, soon.number) + why_text(house, late.number)


def test_a_timeout_is_not_advised_where_another_job_has_what_it_would_give() -> None:
    house = a_house(cards=4)
    house.running(house.submit(gpus=2, timeout="30m"))
    book(house, 1, in_s=2 * HOUR)
    wide = house.submit(BOB, gpus=3, timeout="1h")
    job = house.submit(gpus=2)

    assert (wide.state, codes(house, job)) == (PENDING, ["booking"])
    assert "timeout" not in why_text(house, job.number)


def test_while_it_runs_its_people_get_the_booked_cards_before_all_others() -> None:
    house = a_house(cards=2, nodes=2)
    booking = book(house, 2, in_s=60)
    go_on(house, 60)

    jobs = [house.submit(BOB, gpus=1) for _ in range(3)]

    booked = {card.uuid for card in booking.cards}
    assert {*cards_of(jobs[0]), *cards_of(jobs[1])} == booked
    assert jobs[2].state is STARTING
    assert not booked & {*cards_of(jobs[2])}


def test_a_queues_booking_lets_all_of_the_queue_in_and_no_job_of_them_elsewhere() -> None:
    house = a_house(cards=1)
    house.queue("class")
    book(house, 1, in_s=60, queue="class")
    go_on(house, 60)

    outside, inside = house.submit(BOB, gpus=1), house.submit(BOB, gpus=1, queue="class")

    assert (outside.state, inside.state) == (PENDING, STARTING)
    assert "booked for queue default/class" not in why_text(house, inside.number)


def test_others_who_were_refused_first_do_not_keep_its_people_out() -> None:
    house = a_house(cards=2)
    book(house, 2, in_s=60)
    others = [house.submit(gpus=1, timeout="1h") for _ in range(3)]
    ours = house.submit(BOB, gpus=1, timeout="1h")

    go_on(house, 60)

    assert [house.job(job.number).state for job in others] == [PENDING] * 3
    assert house.job(ours.number).state is STARTING


def test_jobs_without_cards_leave_each_booked_card_its_share_of_the_node() -> None:
    house = a_house(cards=4, cpus=8, memory_mib=8192)
    book(house, 2)

    first, second = house.submit(gpus=0, cpus=4), house.submit(gpus=0, cpus=1)
    short, large = house.submit(gpus=0, cpus=2, timeout="1h"), house.submit(gpus=0, memory="5GiB")

    assert (first.state, second.state, short.state) == (STARTING, PENDING, STARTING)
    assert (large.state, codes(house, large)) == (PENDING, ["booking"])


def test_a_lesson_is_not_in_the_way_of_the_one_before_but_the_next_class_is() -> None:
    house = a_house(cards=2)
    first = book(house, 2, in_s=60, for_s=HOUR)
    book(house, 1, in_s=5 * HOUR)
    book(house, 1, in_s=5 * HOUR, user="ann")
    go_on(house, 60)

    jobs = [house.submit(BOB, gpus=1) for _ in range(2)]

    assert [card.index for card in first.cards] == [0, 1]
    assert [cards_of(jobs[0]), codes(house, jobs[1])] == [["GPU-n1-0"], ["booking"]]
    assert "booked for ann" in why_text(house, jobs[1].number)
    assert house.submit(BOB, gpus=1, timeout="4h").state is STARTING


def test_when_it_ends_what_runs_there_runs_on_and_nothing_new_starts_by_right() -> None:
    house = a_house(cards=2)
    book(house, 2, in_s=60, for_s=HOUR)
    go_on(house, 60)
    running = house.running(house.submit(BOB, gpus=1))
    other = house.submit(ALICE, gpus=1)

    go_on(house, HOUR)

    assert house.job(running.number).state is JobState.RUNNING
    assert house.job(other.number).state is STARTING
    assert house.submit(BOB, gpus=1).state is PENDING


def test_what_is_promised_to_the_first_job_counts_with_bookings() -> None:
    house = a_house(cards=2)
    house.running(house.submit(gpus=1, timeout="1h"))
    booked = book(house, 1, in_s=2 * HOUR, for_s=HOUR)
    short = house.submit(gpus=2, timeout="30m")
    assert promised(house) == pytest.approx(house.now + HOUR + 10)
    house.do(e.Cancel(caller=ALICE, number=short.number))

    wide = house.submit(gpus=2, timeout="2h")

    assert promised(house) is None
    eta = Explainer(house.state, house.now).why(wide).eta
    assert (eta.kind, eta.in_s) == ("estimate", booked.end - house.now)


def test_a_booking_that_is_made_later_goes_before_what_was_promised() -> None:
    house = a_house(cards=2)
    house.running(house.submit(gpus=1, timeout="1h"))
    wide = house.submit(gpus=2, timeout="5h")
    assert promised(house) is not None

    book(house, 2, in_s=2 * HOUR, for_s=HOUR)

    eta = Explainer(house.state, house.now).why(wide).eta
    assert (eta.kind, eta.in_s) == ("estimate", 3 * HOUR)


def test_its_people_are_not_held_up_by_what_is_kept_for_others() -> None:
    house = a_house(cards=3)
    house.running(house.submit(gpus=1, timeout="9h"))
    book(house, 1, in_s=60, for_s=HOUR)
    wide = house.submit(gpus=3)
    go_on(house, 700)  # from then on what becomes free is kept for it

    ours, others = house.submit(BOB, gpus=1), house.submit(gpus=1)

    assert (house.job(wide.number).state, ours.state, others.state) == (PENDING, STARTING, PENDING)


def test_a_dry_run_says_what_is_booked() -> None:
    house = a_house()
    book(house, 2)
    spec = read_spec({"image": "busybox", "gpus": 1})
    shorter = read_spec({"image": "busybox", "gpus": 1, "timeout": "1h"})

    would = [dry_run(house.state, each, ALICE, house.now) for each in (spec, shorter)]

    assert [each.would for each in would] == ["wait", "start"]
    assert would[0].nodes[0].code == "booking"


def test_a_job_that_waits_for_the_end_of_a_booking_is_told_when_that_is() -> None:
    house = a_house(cards=1)
    booking = book(house, 1, in_s=HOUR, for_s=HOUR)

    eta = Explainer(house.state, house.now).why(house.submit(gpus=1)).eta

    assert (eta.kind, eta.in_s) == ("estimate", booking.end - house.now)


def test_its_people_are_told_that_they_start_with_it() -> None:
    house = a_house(cards=1)
    booking = book(house, 1, in_s=HOUR, for_s=HOUR)

    eta = Explainer(house.state, house.now).why(house.submit(BOB, gpus=1)).eta

    assert (eta.kind, eta.in_s) == ("estimate", booking.start - house.now)


def test_a_pool_without_bookings_notes_nothing() -> None:
    house = a_house()
    rooms = rooms_of(house.state)
    note_bookings(house.state, rooms, house.now)

    assert [room.booked for room in rooms.values()] == [None]
    assert whose_now(house.state, house.now) is nobody


def test_pools_that_share_a_node_hold_to_each_others_bookings() -> None:
    house = a_house(cards=1)
    house.pool("other", "n1")
    book(house, 1, pool="default")

    job = house.submit(BOB, gpus=1, pool="other")

    assert codes(house, job) == ["booking"]
    house.do(e.CancelBooking(caller=ADMIN, id=1))
    assert house.job(job.number).state is STARTING
