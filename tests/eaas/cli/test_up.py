import json
import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from eaas.cli import up as module
from eaas.cli.processes import running
from eaas.cli.up import host_name
from eaas.ids import is_name
from eaas.paths import Paths, paths_from
from tests.eaas.cli.conftest import Said, Type
from tests.rig.stand_in import StandIn


@pytest.fixture
def paths(home: Path, typing: Type) -> Iterator[Paths]:
    """The installation's paths; whatever a test brought up there is taken down."""
    yield paths_from(os.environ)
    typing("down", "--stop-jobs")
    assert typing("down").out == "nothing of this pool ran here\n"


def bring_up(typing: Type, *more: str) -> Said:
    return typing("up", "--name", "n1", "--runtime", "process", "--port", "0", *more)


@pytest.mark.filterwarnings("ignore:subprocess .* is still running:ResourceWarning")
def test_one_command_brings_up_a_pool_that_runs_a_job_and_one_takes_it_down(
    typing: Type, paths: Paths
) -> None:
    (paths.home / "agent.yaml").write_text("labels: {rack: 3}\n")
    first = bring_up(typing, "--simulate", "2x24GiB")
    again = json.loads(bring_up(typing, "-o", "json").out)
    hello = typing("job", "submit", "--follow", "--gpus", "1", "--cmd", "echo hello")
    pids = [running(paths, name) for name in ("controller", "agent-n1")]

    assert first.code == 0
    for words in ("started now:  controller, agent-n1", "default", "plain processes", "simulated"):
        assert words in first.out
    assert again["started"] == []
    assert [(node["name"], node["labels"]) for node in again["nodes"]] == [("n1", {"rack": "3"})]
    assert (hello.code, hello.out) == (0, "hello\n")
    assert None not in pids
    assert typing("down").out == "stopped agent-n1, controller\n"
    assert [running(paths, name) for name in ("controller", "agent-n1")] == [None, None]


@pytest.mark.filterwarnings("ignore:subprocess .* is still running:ResourceWarning")
def test_jobs_run_on_without_the_programs_and_the_next_up_finds_them(
    typing: Type, paths: Paths, tmp_path: Path
) -> None:
    bring_up(typing)
    begun, go = tmp_path / "begun", tmp_path / "go"
    os.mkfifo(begun)
    os.mkfifo(go)
    typing("job", "submit", "--cmd", f"echo > {begun}; cat {go}; exit 7")
    begun.read_text()
    down = typing("down")
    go.write_text("went on without you\n")
    bring_up(typing)
    ended = typing("job", "wait", "1", "--timeout", "30s", "-o", "json")

    assert down.out == (
        "stopped agent-n1, controller; 1 job still running, and the next mini-eaas up finds them\n"
    )
    assert (json.loads(ended.out)["exit_code"], json.loads(ended.out)["attempt"]) == (7, 1)
    assert typing("job", "logs", "1").out == "went on without you\n"


@pytest.mark.filterwarnings("ignore:subprocess .* is still running:ResourceWarning")
def test_after_a_killed_controller_it_waits_for_the_agents_of_this_host(
    typing: Type, paths: Paths
) -> None:
    bring_up(typing)
    typing("up", "--name", "n2", "--runtime", "process")
    pid = running(paths, "controller")
    assert pid is not None
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)

    nodes = json.loads(bring_up(typing, "-o", "json").out)["nodes"]

    assert [(node["name"], node["state"]) for node in nodes] == [
        ("n1", "Ready"),
        ("n2", "Unassigned"),
    ]


def test_a_program_that_ends_at_once_is_named_with_its_last_words(
    typing: Type, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (home / "controller.db").mkdir()
    said = typing("up")

    assert (said.code, said.out) == (1, "")
    assert "the controller ended at once with exit code 1" in said.err
    assert str(home / "logs" / "controller.log") in said.err


def test_a_controller_that_was_started_by_other_means_is_used(
    typing: Type, controller: StandIn, home: Path
) -> None:
    said = typing("up", "--name", "n1")

    assert said.code == 1  # a stand-in has no status to give
    assert not (home / "run" / "controller.pid").exists()


@pytest.mark.parametrize(
    ("host", "name"),
    [
        ("gpu1.lab.example", "gpu1"),
        ("GPU_Box", "gpu_box"),
        ("-odd-", "odd"),
        ("...", "node"),
        ("名", "node"),
        ("x" * 80, "x" * 63),
    ],
)
def test_a_node_is_called_like_its_machine(host: str, name: str) -> None:
    assert host_name(host) == name
    assert is_name(name)


def test_a_name_that_is_none_is_a_usage_error(typing: Type) -> None:
    assert typing("up", "--name", "Not A Name").code == 2


def test_the_demo_has_cards_and_says_that_they_are_simulated() -> None:
    assert set(module.DEMO_AGENTS) == {"demo-a", "demo-b"}


def test_options_that_came_too_late_are_named() -> None:
    wanted = module.Wanted(name="n1", port=7000, runtime="auto", simulate="1x8GiB", demo=False)

    assert module.too_late(wanted, ["controller", "agent-n1"]) == []
    late = module.too_late(wanted, [])
    assert [words.split()[0] for words in late] == ["--simulate", "--port"]
    assert "mini-eaas down, then up again" in late[0]
