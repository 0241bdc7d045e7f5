"""Whatever is broken of a job on several nodes is found."""

from typing import Any

import pytest
from msgspec.structs import replace

from eaas.lifecycle import JobState
from eaas_daemon.core.invariants import broken
from tests.rig.builders import House


@pytest.fixture
def house() -> House:
    house = House()
    house.nodes("n1", "n2")
    return house


@pytest.mark.parametrize(
    ("changes", "fact"),
    [
        ({"state": JobState.PENDING}, "one of the others could be placed"),
        ({"state": JobState.PENDING, "scattered": True}, "another one has to begin anew"),
        ({"state": JobState.FAILED}, "run on though another one has failed"),
        ({"scattered": True}, "runs and waits"),
    ],
)
def test_a_part_that_is_not_as_the_others_is_found(
    house: House, changes: dict[str, Any], fact: str
) -> None:
    job = house.submit(num_nodes=2)
    assert broken(house.state) == []

    house.state.put_job(replace(house.job(job.number), **changes))

    assert any(fact in each for each in broken(house.state))


def test_ranks_on_one_node_or_without_a_common_place_are_found(house: House) -> None:
    first, second = house.ranks(house.submit(num_nodes=2))
    assert first.attempts[-1].node != second.attempts[-1].node

    moved = replace(second.attempts[-1], node=first.attempts[-1].node, meeting=None)
    house.state.put_job(replace(second, attempts=(moved,)))

    found = " ".join(broken(house.state))
    assert "two ranks on one node" in found
    assert "would not find each other" in found


def test_ranks_that_wait_where_another_has_failed_are_found(house: House) -> None:
    house.queue("default", paused=True)
    first, second = house.ranks(house.submit(num_nodes=2))

    house.state.put_job(replace(second, state=JobState.FAILED))
    assert any("wait though another one has failed" in each for each in broken(house.state))
    house.state.put_job(replace(second, scattered=True))
    assert any("one of its ranks does not know" in each for each in broken(house.state))
    assert first.in_line
