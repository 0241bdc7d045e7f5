from msgspec.structs import replace

from eaas.views import PoolUserView
from eaas_tui.model.picture import EMPTY, Picture
from eaas_tui.model.queue_page import queue_page, queue_title
from tests.rig.views import AT, a_booking, a_job, a_pool, a_queue

RULES = a_queue(
    "train",
    priority=5,
    max_gpus=8,
    gpus_held=6,
    running=3,
    waiting=2,
    max_per_user=1,
    max_gpus_per_user=6,
    max_priority=10,
    timeout_s=7200.0,
    max_timeout_s=86400.0,
    hold_after_s=300.0,
    preemptible=True,
    idle_after_s=3600.0,
    allow=("alice", "bob"),
)


def a_picture() -> Picture:
    users = (
        PoolUserView(user="bob", running=1, gpus_held=2, card_hours=0.5),
        PoolUserView(user="alice", running=2, gpus_held=4, card_hours=31.2),
    )
    pool = a_pool(
        "default", "n1", cards_total=8, cards_free=2, cards_held=6, users=users, max_gpus_per_user=6
    )
    jobs = (
        a_job(7, queue="train", position=2, ref="7[3]"),
        a_job(8, queue="train", position=1, user="bob"),
        a_job(9, position=3),
        a_job(10, "Running", queue="train"),
    )
    return replace(
        EMPTY,
        pools={"default": pool},
        queues={RULES.ref: RULES},
        jobs={job.id: job for job in jobs},
        bookings={1: a_booking(1), 2: a_booking(2, pool="other")},
    )


def said(picture: Picture) -> list[str]:
    lines = queue_page(picture.queues["default/train"], picture, AT)
    return ["".join(cell.text for cell in line.cells).rstrip() for line in lines]


def test_the_title_says_whether_anything_may_start() -> None:
    open_one = "".join(cell.text for cell in queue_title(RULES).cells)
    paused = "".join(cell.text for cell in queue_title(replace(RULES, paused=True)).cells)

    assert open_one == "queue default/train  open  3 running, 2 waiting"
    assert paused == "queue default/train  paused: nothing starts  3 running, 2 waiting"


def test_every_rule_that_is_set_stands_there_in_words() -> None:
    lines = said(a_picture())

    assert lines[:11] == [
        "priority       5: queues with more go first, those with less later",
        "running        3",
        "cards held     6 of 8 at most",
        "waiting        2",
        "a person       1 job at once and 6 cards at most",
        "job priority   10 at most",
        "timeout        2h if none is asked, 1d at most",
        "reservation    freed cards are kept for its first job after 5m, where nobody knows their "
        "ends",
        "preemptible    yes: its jobs may be interrupted for queues with a higher priority, and go "
        "on later",
        "idle jobs      stopped after 1h",
        "open to        alice, bob",
    ]


def test_a_queue_without_rules_says_only_what_holds_anyway() -> None:
    plain = a_queue(hold_after_s=None)
    lines = queue_page(plain, EMPTY, AT)

    assert ["".join(cell.text for cell in line.cells) for line in lines] == [
        "priority       0: queues with more go first, those with less later",
        "running        0",
        "cards held     0",
        "waiting        0",
        "reservation    none where nobody knows when others end",
        "preemptible    no",
        "open to        everybody",
    ]


def test_those_who_wait_in_it_stand_in_their_order() -> None:
    lines = said(a_picture())
    at = lines.index("FIRST IN LINE")

    assert [line.split()[:4] for line in lines[at + 2 : at + 4]] == [
        ["#1", "8", "job-8", "bob"],
        ["#2", "7[3]", "job-7", "alice"],
    ]
    assert lines[at - 2].startswith("alice")


def test_of_a_long_line_the_first_are_named_and_the_others_counted() -> None:
    jobs = {id: a_job(id, queue="train", position=id) for id in range(1, 15)}
    lines = said(replace(a_picture(), jobs=jobs))

    assert "and 4 more" in lines


def test_how_the_pool_is_shared_is_told_by_what_each_has_had() -> None:
    lines = said(a_picture())
    at = lines.index("POOL default: 6 of 8 cards held, 2 free")

    assert lines[at + 1] == (
        "who has used least of late goes first; use counts half as much after 1d; nobody holds "
        "more than 6 cards at once"
    )
    assert [line.split() for line in lines[at + 3 : at + 5]] == [
        ["bob", "1", "2", "0.5"],
        ["alice", "2", "4", "31.2"],
    ]


def test_bookings_of_its_own_pool_are_listed() -> None:
    lines = said(a_picture())
    at = lines.index("BOOKED")

    assert len(lines) == at + 3
    assert lines[at + 2].startswith("1   bob  3/4    ")
