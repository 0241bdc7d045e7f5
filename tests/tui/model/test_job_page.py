import yaml

from eaas.units import utc_text
from eaas.views import PhaseView, ReasonView
from eaas_tui.model.job_page import (
    bytes_words,
    event_lines,
    facts,
    overview,
    run_words,
    spec_lines,
    state_words,
    title,
)
from eaas_tui.model.text_lines import TextLine
from tests.rig.pictures import an_event
from tests.rig.views import AT, a_job, an_attempt


def words(lines: list[TextLine]) -> list[str]:
    return ["".join(cell.text for cell in line.cells) for line in lines]


def test_the_title_says_which_job_it_is_and_how_it_stands() -> None:
    job = a_job(42, "Running", name="训练", priority=5)

    (line,) = words([title(job, AT)])

    assert line == "#42 训练  Running  50s  alice  default/default  on n1 card 0  prio 5  attempt 1"


def test_what_is_not_known_has_no_line() -> None:
    lines = words(facts(a_job(42, "Pending", reason=None), AT))

    assert "user          alice" in lines
    assert not any(line.startswith(("node", "exit code", "ended", "reason")) for line in lines)


def test_a_failed_job_says_its_reason_its_code_and_every_attempt_newest_first() -> None:
    attempts = (an_attempt(number=1), an_attempt(number=2))
    reason = ReasonView(code="exited", text="it exited with 137")
    job = a_job(42, "Failed", exit_code=137, oom_killed=True, reason=reason, attempts=attempts)

    lines = words(overview(job, None, AT))

    assert "state         Failed (exit 137)" in lines
    assert "reason        it exited with 137" in lines
    assert "out of memory yes" in lines
    begin = lines.index("ATTEMPTS")
    assert [line[0] for line in lines[begin + 2 :]] == ["2", "1"]


def test_the_size_of_a_log_is_told_once_it_is_known() -> None:
    attempts = (an_attempt(number=1, finished_at=utc_text(AT)), an_attempt(number=2))

    lines = words(overview(a_job(42, "Running", attempts=attempts), None, AT))

    runs, ended = lines[lines.index("ATTEMPTS") + 2 :]
    assert runs.split()[-4:] == ["50s", "-", "grows", "-"]
    assert "50s  -     100 B  -" in ended


def test_a_pull_tells_how_far_it_is() -> None:
    phase = PhaseView(name="pulling", done_bytes=1 << 29, total_bytes=1 << 30, eta_s=60)

    assert state_words(a_job(1, "Starting", phase=phase)) == (
        "Starting (pulling 50% of 1GiB, 1m left)"
    )


def test_the_time_of_a_running_job_runs_on_and_that_of_an_ended_one_stands() -> None:
    assert run_words(a_job(1, "Running"), AT + 10) == "1m"
    assert run_words(a_job(1, "Failed"), AT + 10) == "40s"


def test_the_spec_is_a_job_file_without_defaults_whose_scripts_can_be_read() -> None:
    spec = {"command": "a\nb\n", "gpus": 1, "memory": None, "mounts": [], "env": {"A": "1"}}

    lines = words(spec_lines(a_job(1, spec=spec)))

    assert yaml.safe_load("\n".join(lines)) == {"command": "a\nb\n", "gpus": 1, "env": {"A": "1"}}
    assert "  b" in lines


def test_a_spec_that_one_may_not_read_says_so() -> None:
    assert "owner" in words(spec_lines(a_job(1, spec=None)))[0]


def test_the_journal_is_told_line_by_line() -> None:
    (line,) = words(event_lines([an_event(1, text="job 1 started")]))

    assert line == "2025-06-01 10:00:00 UTC  job 1 started"
    assert len(event_lines([])) == 1


def test_bytes_are_told_in_the_unit_people_read() -> None:
    assert bytes_words(812) == "812 B"
    assert bytes_words(10 << 20) == "10.0 MiB"
    assert bytes_words(5 << 40) == "5120.0 GiB"


def test_how_often_a_job_was_interrupted_is_told() -> None:
    assert "preempted     2 times" in words(facts(a_job(42, preemptions=2), AT))
    assert not [line for line in words(facts(a_job(42), AT)) if "preempted" in line]
