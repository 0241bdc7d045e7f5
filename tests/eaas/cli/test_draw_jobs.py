import pytest

from eaas.cli.draw_jobs import job_card, job_table, phase, rank_lines, state
from eaas.cli.output import Facts, Lines
from eaas.lifecycle import JobState
from eaas.views import PhaseView
from tests.rig.stand_in import a_job


@pytest.mark.parametrize(
    ("view", "words"),
    [
        (PhaseView(name="creating"), "creating"),
        (PhaseView(name="pulling", done_bytes=5, total_bytes=None), "pulling"),
        (PhaseView(name="pulling", done_bytes=1 << 30, total_bytes=4 << 30), "pulling 25% of 4GiB"),
        (PhaseView(name="pulling", done_bytes=0, total_bytes=100), "pulling 0% of 1MiB"),
    ],
)
def test_a_phase_shows_its_progress_as_far_as_it_is_known(view: PhaseView, words: str) -> None:
    assert phase(view) == words
    assert state(a_job(1, "Starting", phase=view)) == f"Starting ({words})"


def test_a_failed_job_shows_its_exit_code_in_the_state() -> None:
    assert state(a_job(1, "Failed", exit_code=3)) == "Failed (3)"
    assert state(a_job(1, "Failed")) == "Failed"
    assert state(a_job(1, "Succeeded", exit_code=0)) == "Succeeded"


def test_the_card_shows_what_was_asked_and_leaves_out_what_nobody_asked() -> None:
    job = a_job(1, spec={"command": ["a", "b"], "env": {"X": "1"}, "share": False, "gpus": 0})
    first, spec = job_card(job)

    assert isinstance(first, Facts)
    assert isinstance(spec, Facts)
    assert ("command", "a b") in spec.pairs
    assert ("env", "X=1") in spec.pairs
    assert "share" not in dict(spec.pairs)
    assert dict(first.pairs)["exit code"] is None


def test_the_card_of_a_job_that_was_preempted_says_how_often() -> None:
    never, once = (next(iter(job_card(a_job(1, preemptions=count)))) for count in (0, 1))

    assert isinstance(never, Facts)
    assert isinstance(once, Facts)
    assert (dict(never.pairs)["preempted"], dict(once.pairs)["preempted"]) == (None, "1 time")


def test_cards_asked_for_are_counted_before_the_job_has_any() -> None:
    assert job_table([a_job(1, spec={"gpus": 4})]).rows[0][5] == "4"


def test_a_command_of_several_lines_stands_as_it_was_written() -> None:
    blocks = list(job_card(a_job(1, spec={"command": "echo a\nif b; then\n  c\nfi\n"})))

    assert Lines(["command:", "  echo a", "  if b; then", "    c", "  fi"]) in blocks


def test_a_job_on_several_nodes_shows_where_each_rank_stands() -> None:
    ranks = [
        a_job(1, JobState.RUNNING, array=1, array_index=0, node="node-a", reason=None),
        a_job(2, JobState.PENDING, array=1, array_index=1, node=None, reason=None),
    ]

    assert rank_lines(ranks) == Lines(
        [
            "its ranks, each with a log of its own:",
            "  rank 0 on node-a: Running",
            "  rank 1: Pending",
        ]
    )
