"""What tells two pictures apart."""

import pytest
from msgspec.structs import replace

from eaas_tui.model.picture import Picture, only_numbers_differ
from tests.rig.recordings import a_store_of


@pytest.fixture(scope="module")
def before() -> Picture:
    return a_store_of("busy")[0].picture


def test_readings_are_numbers(before: Picture) -> None:
    nodes = {name: replace(node, cpus_used=0.5) for name, node in before.nodes.items()}

    assert only_numbers_differ(before, replace(before, nodes=nodes))


def test_a_node_that_goes_and_a_job_that_changes_are_more_than_numbers(before: Picture) -> None:
    fewer = dict(list(before.nodes.items())[1:])

    assert not only_numbers_differ(before, replace(before, nodes=fewer))
    assert not only_numbers_differ(before, replace(before, jobs=dict(before.jobs)))
