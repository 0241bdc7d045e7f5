from eaas.units import parse_utc
from eaas_tui.model.jobs_now import fair_shares, jobs_now
from tests.rig.pictures import a_job, a_picture

NOW = parse_utc("2025-06-01T10:12:00Z")

JOBS = {
    job.id: job
    for job in (
        a_job(1, state="Running", started_at="2025-06-01T10:05:00Z"),
        a_job(2, state="Running", started_at="2025-06-01T09:00:00Z"),
        a_job(3, state="Starting"),
        a_job(4, state="Failed", finished_at="2025-06-01T10:00:00Z"),
        a_job(5, state="TimedOut", finished_at="2025-06-01T10:10:00Z", user="bob"),
        a_job(6, state="Failed", finished_at="2025-05-01T10:00:00Z"),
        a_job(7, position=2),
        a_job(8, position=1, user="bob"),
        a_job(9, state="Succeeded", finished_at="2025-06-01T10:11:00Z"),
    )
}


def test_the_longest_runs_then_what_failed_lately_then_the_head_of_the_line() -> None:
    assert jobs_now(a_picture(jobs=JOBS), NOW, room=20).keys == [2, 1, 3, 5, 4, 8, 7]


def test_little_room_is_shared_among_the_three() -> None:
    assert jobs_now(a_picture(jobs=JOBS), NOW, room=3).keys == [2, 5, 8]
    assert jobs_now(a_picture(jobs=JOBS), NOW, room=5).keys == [2, 1, 5, 4, 8]


def test_only_mine_on_demand() -> None:
    assert jobs_now(a_picture(jobs=JOBS), NOW, room=20, mine=True).keys == [2, 1, 3, 4, 7]


def test_shares_add_up_and_nobody_gets_more_than_wanted() -> None:
    assert fair_shares([10, 1, 10], 7) == [3, 1, 3]
    assert fair_shares([0, 0, 2], 7) == [0, 0, 2]
    assert fair_shares([5, 5, 5], 0) == [0, 0, 0]
