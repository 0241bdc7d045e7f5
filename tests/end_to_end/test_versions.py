"""An agent of another version: the controller says which of the two has to be upgraded."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from eaas.lifecycle import NodeState
from tests.rig.pool import Installation, node_when
from tests.rig.program import ROOT, Program

NODE = "node-a"


def sources_that_speak(protocol: int, folder: Path) -> Path:
    """Return the agent's sources with another protocol in them, as another release has it."""
    for package in ("eaas", "eaas_agent"):
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(ROOT / package, folder / package, ignore=ignored)
    codec = folder / "eaas" / "wire" / "codec.py"
    text = codec.read_text()
    codec.write_text(text.replace("Final = 1\n", f"Final = {protocol}\n"))
    assert f"PROTOCOL_MAX: Final = {protocol}\n" in codec.read_text()
    return folder


@pytest.fixture
def agents(empty: Installation) -> Iterator[list[Program]]:
    """Agents that a test has started; the last one is killed after it."""
    agents: list[Program] = []
    yield agents
    if agents:
        agents[-1].kill()


@pytest.mark.parametrize(
    ("protocol", "sentence"),
    [
        (0, "its agent is older than this controller and speaks another protocol; upgrade it"),
        (99, "its agent is newer than this controller and speaks another protocol; upgrade the c"),
    ],
)
async def test_whoever_is_behind_is_named_by_the_agent_and_at_its_node(
    empty: Installation, agents: list[Program], tmp_path: Path, protocol: int, sentence: str
) -> None:
    empty.start_controller()
    await empty.add_agent(NODE, pool=None)
    empty.agents[NODE].terminate()
    sources = sources_that_speak(protocol, tmp_path)
    state_dir = str(empty.paths.agent_state(NODE))
    line = ("eaas_agent", "run", "--name", NODE, "--state-dir", state_dir, "--runtime", "process")
    agents.append(Program(*line, environ=empty.environ, sources=sources))

    agents[-1].await_words(sentence)
    async with empty.client() as client:
        await node_when(client, NODE, lambda node: node.state == NodeState.NEEDS_UPGRADE)
    shown = empty.said("node", "show", NODE)
    assert sentence in " ".join(shown.split())
