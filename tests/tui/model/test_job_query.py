"""Which jobs a query finds, and that it looks only at what has changed."""

from typing import Any

from eaas.views import JobView
from eaas_tui.model.job_query import JobFinder, JobQuery, counts_line, next_state
from tests.rig.stand_in import a_job


def by_id(*jobs: JobView) -> dict[int, JobView]:
    return {job.id: job for job in jobs}


LIVE = by_id(
    a_job(1, "Running", name="train"),
    a_job(2, name="eval", user="bob", position=1),
    a_job(3, "Failed", name="train-old"),
)


def found(query: JobQuery, finder: JobFinder | None = None, **given: Any) -> list[int]:
    finder = finder or JobFinder()
    return list(finder.find(query, LIVE, user="ada", now=0.0, **given))


def test_what_has_ended_is_left_out_unless_it_is_asked_for() -> None:
    assert found(JobQuery()) == [1, 2]
    assert found(JobQuery(ended=True)) == [1, 2, 3]
    assert found(JobQuery(state="Failed")) == [3]


def test_filter_owner_and_state_narrow_together() -> None:
    assert found(JobQuery(text="train", ended=True)) == [1, 3]
    assert found(JobQuery(mine=True)) == [1]
    assert found(JobQuery(text="eval", state="Running")) == []


def test_the_past_is_older_than_what_is_live() -> None:
    past = by_id(a_job(3, "Running"), a_job(-5, "Succeeded"))

    assert found(JobQuery(ended=True), past=past) == [1, 2, 3, -5]
    assert found(JobQuery(), past=past) == [1, 2]


def test_the_selected_job_stays_although_the_query_leaves_it_out() -> None:
    assert found(JobQuery(), kept=(3,)) == [1, 2, 3]


def test_a_wrong_filter_is_told_and_the_last_right_one_holds() -> None:
    finder = JobFinder()
    found(JobQuery(text="eval"), finder)

    assert found(JobQuery(text="eval ~("), finder) == [2]
    assert finder.mistake is not None
    assert found(JobQuery(text="train"), finder) == [1]
    assert finder.mistake is None


def test_the_same_question_gets_the_very_same_answer() -> None:
    finder = JobFinder()

    one = finder.find(JobQuery(), LIVE, user="ada", now=0.0)

    assert finder.find(JobQuery(), LIVE, user="ada", now=9.0) is one
    assert finder.find(JobQuery(), dict(LIVE), user="ada", now=9.0) is not one


def test_states_are_gone_through_as_far_as_there_are_any() -> None:
    query, seen = JobQuery(), []
    for _ in range(4):
        query = next_state(query, LIVE.values())
        seen.append(query.state)

    assert seen == ["Pending", "Running", "Failed", None]
    assert next_state(JobQuery(state="Stopping"), LIVE.values()).state is None


def test_the_line_says_how_many_by_what_and_how_many_are_marked() -> None:
    finder = JobFinder()
    query = JobQuery(text="gpu:>=4", mine=True, state="Running", sort="id", reverse=True)
    found(query, finder)

    line = counts_line(finder, marked=3, doing="")

    assert "".join(cell.text for cell in line) == (
        "JOBS 0 of 3  filter: gpu:>=4 state:Running mine  sort: id v  3 marked"
    )


def test_whichever_state_is_asked_for_the_total_stays_and_the_past_is_counted_apart() -> None:
    past = by_id(*(a_job(-id, "Failed") for id in range(1, 5)), a_job(-9, "Succeeded"))
    finder, said = JobFinder(), []
    for state in ("Pending", "Failed", "Succeeded", None):
        found(JobQuery(state=state), finder, past=past)
        line = counts_line(finder, marked=0, doing="more below" if state == "Failed" else "")
        said.append("".join(cell.text for cell in line).replace("filter: ", ""))

    assert said == [
        "JOBS 1 of 3  state:Pending",
        "JOBS 1 of 3  state:Failed  4 of 5 of the past, more below",
        "JOBS 0 of 3  state:Succeeded  1 of 5 of the past",
        "JOBS 2 of 3  (none)  ended hidden: f shows them",
    ]


def test_that_ended_jobs_are_hidden_is_said_only_where_some_job_is() -> None:
    hidden = "  ended hidden: f shows them"
    finder = JobFinder()
    for query, ending in ((JobQuery(), hidden), (JobQuery(ended=True), "filter: with ended")):
        found(query, finder)
        line = counts_line(finder, marked=0, doing="")
        assert "".join(cell.text for cell in line).endswith(ending)

    finder.find(JobQuery(), by_id(a_job(1)), user="", now=0.0)
    assert "hidden" not in counts_line(finder, marked=0, doing="")[-1].text


def test_verdicts_about_jobs_that_are_gone_are_not_kept_for_ever() -> None:
    finder = JobFinder()
    for begin in range(0, 20_000, 100):
        jobs = by_id(*(a_job(id) for id in range(begin, begin + 100)))
        finder.find(JobQuery(), jobs, user=None, now=0.0)

    assert len(finder._fit) + len(finder._unfit) < 2_000


def test_a_job_of_the_past_that_runs_again_or_is_selected_stands_where_it_belongs() -> None:
    past = by_id(
        a_job(1, "Failed", finished_at="2026-01-01T00:00:01.000Z"),
        a_job(-5, "Succeeded", finished_at="2026-01-01T00:00:09.000Z"),
        a_job(-6, "Failed", user="bob"),
    )
    finder = JobFinder()

    assert found(JobQuery(ended=True), finder, past=past) == [1, 2, -5, 3, -6]
    assert finder.count == 5
    assert found(JobQuery(ended=True, mine=True), finder, past=past, kept=(-6,)) == [1, -5, 3, -6]
    assert found(JobQuery(ended=True, sort="id"), finder, past=past) == [-6, -5, 1, 2, 3]
    assert found(JobQuery(ended=True, sort="id", reverse=True), finder, past=past) == [
        *(3, 2, 1, -5, -6)
    ]
