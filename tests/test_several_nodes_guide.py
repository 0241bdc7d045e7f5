"""The guide to jobs on several nodes says what the programs do."""

import re
from pathlib import Path
from typing import Final

import pytest

from eaas.job_file import read_job_file
from eaas.settings.layers import settle
from eaas.wire.to_agent import Rank
from eaas_agent import settings as agent
from eaas_agent.environment import job_environment
from eaas_daemon.core.meeting import PORTS
from tests.rig.agents import an_order

GUIDE: Final = (Path(__file__).parents[1] / "docs" / "several-nodes.md").read_text()
JOB, *AGENTS = re.findall(r"```yaml\n(.*?)```", GUIDE, re.DOTALL)
RANK: Final = Rank(rank=1, ranks=2, address="10.0.0.7", port=29501, whole=42)


def test_its_job_file_is_one() -> None:
    (document,) = read_job_file(JOB.encode(), name="train.yaml")

    assert (document.spec.num_nodes, document.spec.gpus) == (2, 4)
    used = set(re.findall(r"\$(\w+)", JOB))
    assert used <= job_environment(an_order(rank=RANK), "/workspace").keys()


@pytest.mark.parametrize("text", AGENTS)
def test_what_it_sets_of_an_agent_can_be_set(text: str, tmp_path: Path) -> None:
    file = tmp_path / "agent.yaml"
    file.write_text(text)

    settle("agent", agent.KEYS, file=file, environ={}, typed={})


def test_its_table_has_every_variable_that_only_ranks_have() -> None:
    plain, rank = job_environment(an_order(), "/w"), job_environment(an_order(rank=RANK), "/w")

    assert set(re.findall(r"^\| `([A-Z_]+)` \|", GUIDE, re.MULTILINE)) == rank.keys() - plain.keys()


def test_its_ports_are_those_that_are_given_out() -> None:
    assert f"from {PORTS.start} to {PORTS.stop - 1}" in GUIDE
