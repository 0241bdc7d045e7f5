import pytest
from msgspec.structs import replace

from eaas.ids import NodeName
from eaas.lifecycle import JobState
from eaas_daemon.core.model import nominal_mib
from tests.rig.builders import House, a_card


@pytest.mark.parametrize(
    ("total_mib", "nominal"),
    [
        (None, None),
        (24576, 24576),
        (24564, 24576),
        (24126, 24576),
        (81559, 81920),
        (10000, 10240),
        (9900, 9900),  # 10240 would be 3.4 % more
        (1024, 1024),
    ],
)
def test_a_card_is_as_large_as_people_say(total_mib: int | None, nominal: int | None) -> None:
    assert nominal_mib(total_mib) == nominal


def test_only_a_placed_job_has_a_live_attempt() -> None:
    house = House()
    house.node("n1", a_card(0))
    house.pool("default", "n1")
    job = house.submit()
    assert job.live_attempt == job.attempt is not None

    job = house.ended(house.running(job))

    assert (job.live_attempt, job.ended, job.attempt is None) == (None, True, False)


def test_readings_are_no_part_of_what_a_node_offers_but_states_are() -> None:
    house = House()
    house.node("n1", a_card(0))
    node = house.state.nodes[NodeName("n1")]

    busy = replace(node, cards=(a_card(0, utilization_pct=99, power_w=300.0),), sampled_at=5.0)
    foreign = replace(node, cards=(a_card(0, state="foreign"),))

    assert busy.offer == node.offer
    assert foreign.offer != node.offer


def test_a_new_job_is_pending_or_placed_at_once() -> None:
    house = House()
    house.pool("default")

    assert house.submit().state is JobState.PENDING
