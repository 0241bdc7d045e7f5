import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from eaas.cli.by_hand import ByHand, by_hand, what_runs
from eaas.paths import Paths, paths_from
from tests.eaas.cli.conftest import Type
from tests.rig.program import Program


@pytest.fixture
def paths(home: Path) -> Paths:
    return paths_from(os.environ)


@pytest.fixture
def controller_by_hand(paths: Paths) -> Iterator[Program]:
    """A controller as ``mini-eaas controller run`` makes one."""
    program = Program("eaas_daemon", "run", "--port", "0", environ=os.environ)
    program.await_words("listening on")
    yield program
    program.kill()


def test_what_was_started_by_hand_is_named_with_how_to_stop_it(
    typing: Type, paths: Paths, controller_by_hand: Program
) -> None:
    pid = controller_by_hand.pid

    said = typing("down")
    as_json = typing("down", "-o", "json")

    assert (said.code, said.out) == (1, "")
    assert said.err == (
        f"controller (process {pid}) runs here and was not started by mini-eaas up, so down leaves "
        f"it alone. To end it: Ctrl-C in its terminal, or kill {pid}; jobs run on\n"
    )
    assert (as_json.code, as_json.out) == (1, "")
    assert '"code":"still_runs"' in as_json.err.replace(" ", "")
    assert controller_by_hand.terminate() == 0
    assert typing("down").out == "nothing of this pool ran here\n"


def test_agents_are_found_by_their_state_folders_and_other_processes_are_not_ours(
    paths: Paths,
) -> None:
    for name, words in (("a", str(os.getpid())), ("b", "no number"), ("c", str(2**22 + 1))):
        folder = paths.agent_state(name)
        folder.mkdir(parents=True)
        (folder / "lock").write_text(words)
    program = Program(
        "eaas_agent", "run", "--name", "d", "--runtime", "process", environ=os.environ
    )
    try:
        program.await_words("controller")
        found = by_hand(paths)
    finally:
        program.kill()

    assert [(each.program, each.pid) for each in found] == [("agent-d", program.pid)]
    assert by_hand(paths) == []


def test_several_are_told_of_at_once_and_a_service_by_its_name() -> None:
    found = [
        ByHand(program="controller", pid=7, stop="systemctl stop mini-eaas-controller"),
        ByHand(program="agent-a", pid=8, stop=None),
        ByHand(program="agent-b", pid=9, stop=None),
    ]

    assert what_runs(found) == (
        "controller (process 7), agent-a (process 8), agent-b (process 9) run here and were not "
        "started by mini-eaas up, so down leaves them alone. To end them: systemctl stop "
        "mini-eaas-controller, Ctrl-C in their terminal, or kill 8 9; jobs run on"
    )
