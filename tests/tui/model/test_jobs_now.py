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


def test_the_longest_runs_then_the_head_of_the_line_then_what_failed_lately() -> None:
    assert jobs_now(a_picture(jobs=JOBS), NOW, room=20).keys == [2, 1, 3, 8, 7, 5, 4]


def test_little_room_goes_to_what_runs_and_waits_and_a_quarter_to_what_failed() -> None:
    assert jobs_now(a_picture(jobs=JOBS), NOW, room=3).keys == [2, 1, 8]
    assert jobs_now(a_picture(jobs=JOBS), NOW, room=5).keys == [2, 1, 8, 7, 5]


def test_failures_never_push_out_what_waits_and_leave_after_half_an_hour() -> None:
    failed = {id: a_job(id, state="Failed", finished_at="2025-06-01T10:11:00Z") for id in (11, 12)}
    picture = a_picture(jobs={**failed, 7: a_job(7, position=1), 1: a_job(1, state="Running")})

    assert jobs_now(picture, NOW, room=2).keys == [1, 7]
    assert jobs_now(picture, NOW + 1800, room=20).keys == [1, 7]


def test_what_nobody_knows_the_state_of_comes_first() -> None:
    lost = a_job(20, state="Unknown", started_at="2025-06-01T10:11:00Z")

    assert jobs_now(a_picture(jobs={**JOBS, 20: lost}), NOW, room=20).keys[:2] == [20, 2]


def test_only_mine_on_demand() -> None:
    assert jobs_now(a_picture(jobs=JOBS), NOW, room=20, mine=True).keys == [2, 1, 3, 7, 4]


def test_shares_add_up_and_nobody_gets_more_than_wanted() -> None:
    assert fair_shares([10, 1, 10], 7) == [3, 1, 3]
    assert fair_shares([0, 0, 2], 7) == [0, 0, 2]
    assert fair_shares([5, 5, 5], 0) == [0, 0, 0]
