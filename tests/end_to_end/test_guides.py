"""The guide for a team, typed on hosts of their own."""

import os

import pytest

from tests.rig.guide import HOSTS, steps, typed_through
from tests.rig.hosts import hosts_on_a_network

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="only root makes network namespaces")


def test_a_team_comes_up_by_typing_the_guide() -> None:
    assert [hosts for hosts, _ in steps()] == [
        ["ctl"],
        ["ctl"],
        ["big", "small"],
        ["ctl"],
        ["ctl"],
        ["desk"],
    ]
    with hosts_on_a_network(*HOSTS) as hosts:
        said = typed_through(hosts)

    assert said.splitlines()[-1] in {"big", "small"}
