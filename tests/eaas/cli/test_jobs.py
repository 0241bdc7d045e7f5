import json

import pytest

from eaas.lifecycle import JobState
from eaas.views import AttemptView, HeldCardView, LogView, ReasonView, ScopedReasonView
from eaas.why_views import EtaView, WhyNodeView, WhyView
from tests.eaas.cli.conftest import Type
from tests.rig.stand_in import AT, StandIn, a_job, a_snapshot

CARD = HeldCardView(uuid="GPU-1234", index=0, memory_mib=None)
ATTEMPT = AttemptView(
    number=1,
    state="Failed",
    node="n1",
    cards=(CARD,),
    container_id=None,
    created_at=AT,
    started_at=AT,
    finished_at=AT,
    exit_code=3,
    oom_killed=False,
    reason=ReasonView(code="exited", text="exited with code 3"),
    log=LogView(stdout_bytes=1, stderr_bytes=0, gap_bytes=0, complete=True),
)


def test_a_list_is_one_line_a_job(typing: Type, controller: StandIn) -> None:
    controller.jobs[1] = a_job(1, "Running", name="train", node="n1", cards=(CARD,), run_s=3700)
    controller.jobs[2] = a_job(
        2, position=1, reason=ReasonView(code="x", text="n1 has 0 of the 1 cards free")
    )
    lines = typing("job", "list").out.splitlines()

    assert lines[0].split()[:3] == ["ID", "NAME", "STATE"]
    assert "train" in lines[1]
    assert "1h1m" in lines[1]
    assert "#1 in line: n1 has 0 of the 1 cards free" in lines[2]


def test_filters_go_to_the_controller(typing: Type, controller: StandIn) -> None:
    typing("job", "list", "--state", "timedout", "--pool", "p", "--user", "ada", "--all")

    assert controller.asked[0].query == {
        "state": "TimedOut",
        "pool": "p",
        "user": "ada",
        "all": "1",
        "limit": "500",
    }


def test_a_wrong_state_is_a_usage_error_with_a_suggestion(typing: Type) -> None:
    said = typing("job", "list", "--state", "Runing")

    assert said.code == 2
    assert "did you mean Running?" in said.err


def test_a_state_that_is_like_none_is_told_which_there_are(typing: Type) -> None:
    said = typing("job", "list", "--state", "Fial")

    words = " ".join(said.err.split())
    assert f"'Fial' is no state of a job; there are {', '.join(JobState)}" in words


def test_a_failed_job_is_shown_with_its_last_words_and_a_hint(
    typing: Type, controller: StandIn
) -> None:
    controller.jobs[1] = a_job(
        1,
        "Failed",
        exit_code=3,
        attempts=(ATTEMPT,),
        workspace="on n1, kept until 2026-03-08",
        reason=ATTEMPT.reason,
    )
    controller.logs[1, 1, "both"] = b"".join(b"line %d\n" % number for number in range(80))
    out = typing("job", "show", "1").out

    assert "on n1, kept until 2026-03-08" in out
    assert "exited with code 3" in out
    assert "line 30\n" in out
    assert "line 79\n" in out
    assert "line 29\n" not in out
    assert "mini-eaas job retry 1 runs it once more" in out


@pytest.mark.parametrize(
    ("changes", "advice"),
    [
        ({"oom_killed": True, "exit_code": 137}, "larger --memory"),
        ({"exit_code": 127}, "a command that was not found"),
        ({"exit_code": 126}, "may not be executed"),
        ({"attempt": 0}, "job retry 1"),
    ],
)
def test_the_hint_fits_the_failure(
    typing: Type, controller: StandIn, changes: dict[str, object], advice: str
) -> None:
    controller.jobs[1] = a_job(1, "Failed", **changes)
    controller.logs[1, 1, "both"] = b""

    assert advice in typing("job", "show", "1").out


def test_why_names_every_node_and_what_would_help(typing: Type, controller: StandIn) -> None:
    controller.answers["GET /api/v1/jobs/1/why"] = WhyView(
        job=1,
        state="Pending",
        verdict="waiting",
        text="waits for a free card",
        position=1,
        reasons=(ScopedReasonView(code="queue_full", text="queue p/q is full", scope="queue"),),
        nodes=(
            WhyNodeView(
                node="n1",
                code="too_few_free_cards",
                text="n1 has 0 of the 1 cards free",
                asked=1,
                available=0,
                never=False,
            ),
        ),
        blockers=(),
        eta=EtaView(at=AT, in_s=600, kind="estimate"),
        advice=("ask for a smaller card",),
        as_of_seq=5,
    )
    out = typing("job", "why", "1").out

    for words in (
        "waits for a free card",
        "queue: queue p/q is full",
        "n1 has 0 of the 1 cards free",
        "starts in 10m, at 2026-03-01 08:00:00 UTC (an estimate)",
        "- ask for a smaller card",
    ):
        assert words in out


@pytest.mark.parametrize(("state", "code"), [("Succeeded", 0), ("Failed", 1), ("Cancelled", 1)])
def test_a_wait_is_0_only_if_the_job_succeeded(
    typing: Type, controller: StandIn, state: str, code: int
) -> None:
    controller.jobs[1] = a_job(1, state)
    controller.frames[:] = [[a_snapshot()], []]

    assert typing("job", "wait", "1") == type(typing("--help"))(code, f"1 {state}\n", "")


def test_a_wait_that_takes_too_long_is_124(typing: Type, controller: StandIn) -> None:
    controller.jobs[1] = a_job(1, "Running")
    said = typing("job", "wait", "1", "--timeout", "200ms")
    as_json = typing("job", "wait", "1", "--timeout", "200ms", "-o", "json")

    assert (said.code, said.out, said.err) == (124, "", "still not ended: 1 Running\n")
    assert (as_json.code, json.loads(as_json.err)["code"]) == (124, "wait_timed_out")


def test_a_wait_for_several_is_0_only_if_all_succeeded(typing: Type, controller: StandIn) -> None:
    controller.jobs.update({1: a_job(1, "Succeeded"), 2: a_job(2, "Failed", exit_code=1)})
    controller.frames[:] = [[a_snapshot()], []]
    said = typing("job", "wait", "1", "2", "-o", "json")

    assert said.code == 1
    assert [job["id"] for job in json.loads(said.out)["items"]] == [1, 2]
