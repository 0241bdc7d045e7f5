import json
from pathlib import Path

import pytest

from eaas.errors import NeverFits
from eaas.packs import packed
from eaas.why_views import BlockerView, DryRunView, EtaView
from tests.eaas.cli.conftest import Type
from tests.rig.stand_in import StandIn, a_job, a_snapshot

QUOTE_IT = "put the command in quotes or after --"


def body(controller: StandIn) -> object:
    return controller.asked[-1].body


@pytest.fixture
def accepting(controller: StandIn) -> StandIn:
    controller.jobs[1] = a_job(1)
    return controller


def test_only_the_number_is_printed(typing: Type, accepting: StandIn) -> None:
    said = typing("job", "submit", "--cmd", "true")

    assert (said.code, said.out, said.err) == (0, "1\n", "")
    assert body(accepting) == {"command": "true"}


def test_with_json_the_job_is_printed(typing: Type, accepting: StandIn) -> None:
    said = typing("job", "submit", "--cmd", "true", "-o", "json")

    assert json.loads(said.out)["id"] == 1


def test_flags_are_the_job_files_fields(typing: Type, accepting: StandIn) -> None:
    said = typing(
        *("job", "submit", "--name", "x", "--queue", "p/q", "--image", "a:1", "--gpus", "2"),
        *("--gpu-memory", "20GiB", "--env", "A=1", "--env", "B=2=3", "--mount", "d:/data:ro"),
        *("--timeout", "90s", "--retries", "2", "--priority", "-5", "--label", "k=v"),
        *("--node", "n1", "--node", "n2", "--", "python", "train.py", "-o", "json"),
    )

    assert said.out == "1\n"
    assert body(accepting) == {
        "name": "x",
        "pool": "p",
        "queue": "q",
        "image": "a:1",
        "command": ["python", "train.py", "-o", "json"],
        "gpus": 2,
        "gpu_memory": "20GiB",
        "env": {"A": "1", "B": "2=3"},
        "mounts": ["d:/data:ro"],
        "timeout": "1m30s",
        "restart": {"policy": "on-failure", "retries": 2, "backoff": "30s"},
        "priority": -5,
        "nodes": ["n1", "n2"],
        "labels": {"k": "v"},
    }


@pytest.mark.parametrize(
    "words",
    [
        ("--cmd", "python", "train.py"),
        ("--cmd", "python", "train.py", "--epochs", "3"),
        ("--cmd", "python", "train.py", "more.py"),
        ("--gpus", "1", "--cmd", "python", "-u", "train.py"),
    ],
)
def test_a_command_without_quotes_gets_told_so(typing: Type, words: tuple[str, ...]) -> None:
    said = typing("job", "submit", *words)

    assert (said.code, said.out) == (2, "")
    assert QUOTE_IT in said.err


def test_a_command_without_quotes_is_told_so_even_if_its_script_is_a_file_here(
    typing: Type, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "train.py").write_text("print('a: b')\n")
    monkeypatch.chdir(tmp_path)
    said = typing("job", "submit", "--cmd", "python", "train.py")

    assert (said.code, said.out) == (2, "")
    assert QUOTE_IT in said.err


def test_a_wrong_flag_after_a_quoted_command_is_called_a_wrong_flag(typing: Type) -> None:
    said = typing("job", "submit", "--cmd", "true", "--gpus", "1", "--bogus")

    assert said.code == 2
    assert "--bogus" in said.err
    assert QUOTE_IT not in said.err


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ((), "name a job file, or say what to run"),
        (("nowhere.yaml",), "there is no job file nowhere.yaml; a command goes after --"),
        (("--gpus", "1", "--"), "there is no command after --"),
        (("--cmd", "a", "--", "b"), "the command is given twice"),
    ],
)
def test_what_can_not_be_meant_is_a_usage_error(
    typing: Type, words: tuple[str, ...], sentence: str
) -> None:
    said = typing("job", "submit", *words)

    assert (said.code, said.out) == (2, "")
    assert sentence in said.err


def test_every_mistake_in_flags_is_named_before_anything_is_sent(
    typing: Type, controller: StandIn
) -> None:
    said = typing(
        *("job", "submit", "--cmd", "x", "--gpus", "many", "--memory", "20", "-o", "json")
    )

    assert said.code == 1
    assert {error["field"] for error in json.loads(said.err)["errors"]} == {"gpus", "memory"}
    assert controller.asked == []


def test_flags_win_over_the_file_and_the_rest_of_it_stays(
    typing: Type, accepting: StandIn, tmp_path: Path
) -> None:
    file = tmp_path / "job.yaml"
    file.write_text("command: a\ngpus: 1\nrestart: {retries: 3, backoff: 5s}\nqueue: p/q\n")
    typing("job", "submit", str(file), "--gpus", "2", "--retries", "1", "--cmd", "b")

    assert body(accepting) == {
        "pool": "p",
        "queue": "q",
        "command": "b",
        "gpus": 2,
        "restart": {"policy": "on-failure", "retries": 1, "backoff": "5s"},
    }


def test_several_documents_are_one_batch_and_one_line_each(
    typing: Type, controller: StandIn, tmp_path: Path
) -> None:
    file = tmp_path / "jobs.yaml"
    file.write_text("command: a\n---\ncommand: b\n")
    controller.answers["POST /api/v1/jobs:batch"] = {"items": [a_job(1), a_job(2)]}

    assert typing("job", "submit", str(file)).out == "1\n2\n"
    assert body(controller) == {"jobs": [{"command": "a"}, {"command": "b"}]}
    assert typing("job", "submit", str(file), "--follow").code == 2


def test_a_bad_file_is_refused_with_lines(
    typing: Type, controller: StandIn, tmp_path: Path
) -> None:
    file = tmp_path / "job.yaml"
    file.write_text("command: a\ngpuz: 1\ncpus: lots\n")
    said = typing("job", "submit", str(file), "-o", "json")

    errors = json.loads(said.err)["errors"]
    assert said.code == 1
    assert [(one["field"], one["line"], one["suggestion"]) for one in errors] == [
        ("gpuz", 2, "gpus"),
        ("cpus", 3, None),
    ]


def test_a_job_file_comes_from_stdin(
    typing: Type, accepting: StandIn, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "in").write_text("command: a\nkey: k1\n")
    with (tmp_path / "in").open() as stdin:
        monkeypatch.setattr("sys.stdin", stdin)
        assert typing("job", "submit", "-").out == "1\n"

    assert accepting.asked[-1].key == "k1"


def test_a_folder_is_packed_relative_to_the_file_and_submitted_by_its_hash(
    typing: Type, accepting: StandIn, tmp_path: Path
) -> None:
    code = tmp_path / "project" / "code"
    code.mkdir(parents=True)
    (code / "a.py").write_text("print(1)")
    (code / "out").symlink_to("/etc")
    (tmp_path / "project" / "job.yaml").write_text("command: python a.py\nwith: code\n")
    with packed(code) as pack:
        accepting.answers[f"PUT /api/v1/packs/{pack.hash}"] = {}
    said = typing("job", "submit", str(tmp_path / "project" / "job.yaml"))

    assert said.out == "1\n"
    assert "left out of" in said.err
    assert body(accepting) == {"command": "python a.py", "with": pack.hash}
    assert [one.method for one in accepting.asked] == ["HEAD", "PUT", "POST"]


def test_a_refusal_leaves_stdout_empty(typing: Type, controller: StandIn) -> None:
    controller.answers["POST /api/v1/jobs"] = NeverFits("no card holds 80GiB")
    said = typing("job", "submit", "--cmd", "true", "--gpus", "1")

    assert said == type(said)(1, "", "no card holds 80GiB\n")


def test_force_and_the_key_go_along(typing: Type, accepting: StandIn) -> None:
    typing("job", "submit", "--cmd", "true", "--force", "--idempotency-key", "k")

    assert (accepting.asked[-1].query, accepting.asked[-1].key) == ({"force": "1"}, "k")


def following(controller: StandIn, state: str, **how: object) -> None:
    ended = a_job(1, state, attempt=1, **how)
    controller.jobs[1] = ended
    controller.logs[1, 1, "both"] = "hello wörld\x1b[31m!\n".encode()
    controller.frames[:] = [[a_snapshot()], [a_snapshot()], []]


def test_follow_prints_the_number_beside_the_log_and_is_0_when_it_succeeded(
    typing: Type, controller: StandIn
) -> None:
    following(controller, "Succeeded", exit_code=0)
    said = typing("job", "submit", "--cmd", "true", "--follow")

    assert (said.code, said.out, said.err) == (0, "hello wörld!\n", "1\n")


def test_follow_of_a_job_that_fails_is_1_with_the_reason_and_a_hint(
    typing: Type, controller: StandIn
) -> None:
    following(controller, "Failed", exit_code=3)
    said = typing("job", "submit", "--cmd", "true", "--follow")

    assert (said.code, said.out) == (1, "hello wörld!\n")
    assert said.err.splitlines()[:2] == ["1", "job 1 Failed (3)"]
    assert "mini-eaas job retry 1" in said.err


def test_follow_as_json_is_json_lines(typing: Type, controller: StandIn) -> None:
    following(controller, "Succeeded", exit_code=0)
    said = typing("job", "submit", "--cmd", "true", "--follow", "-o", "json")

    first, piece, last = map(json.loads, said.out.splitlines())
    assert (first["id"], last["state"]) == (1, "Succeeded")
    assert piece == {
        "job": 1,
        "attempt": 1,
        "stream": "both",
        "offset": 0,
        "at": None,
        "text": "hello wörld\x1b[31m!\n",
    }


def a_dry_run(**changes: object) -> DryRunView:
    quiet: dict[str, object] = {
        "job": None,
        "state": None,
        "verdict": "waiting",
        "text": "it would wait for a card",
        "position": 2,
        "reasons": (),
        "nodes": (),
        "blockers": (
            BlockerView(
                job=4, user="bob", node="n1", cards=("GPU-1",), ends_at=None, ends_kind="unknown"
            ),
        ),
        "eta": EtaView(at=None, in_s=None, kind="unknown"),
        "advice": ("ask for fewer cards",),
        "as_of_seq": 1,
        "valid": True,
        "errors": (),
        "would": "wait",
        "node": None,
        "cards": (),
    }
    return DryRunView(**{**quiet, **changes})  # type: ignore[arg-type]


@pytest.mark.parametrize(("would", "code"), [("start", 0), ("wait", 0), ("never", 1)])
def test_a_dry_run_submits_nothing_and_its_code_says_whether_it_could(
    typing: Type, controller: StandIn, would: str, code: int
) -> None:
    controller.answers["POST /api/v1/jobs:dry-run"] = a_dry_run(would=would)
    said = typing("job", "submit", "--cmd", "true", "--dry-run")

    assert said.code == code
    assert "it would wait for a card" in said.out
    assert "ask for fewer cards" in said.out
    assert [one.path for one in controller.asked] == ["/api/v1/jobs:dry-run"]
