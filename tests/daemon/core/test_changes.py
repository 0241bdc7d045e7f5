import msgspec
import pytest

from eaas.ids import NodeName
from eaas_daemon.core.changes import Changes
from tests.rig.builders import House, a_card


def test_counters_alone_are_nothing_to_write() -> None:
    assert Changes(seq=9, next_number=9).empty


@pytest.mark.parametrize(
    "field",
    [
        "nodes",
        "credentials",
        "journal",
        "gone_nodes",
        "gone_credentials",
        "gone_pools",
        "gone_queues",
        "keys",
        "spools",
    ],
)
def test_anything_else_is(field: str) -> None:
    changes = msgspec.structs.replace(Changes(seq=1, next_number=1), **{field: ("something",)})

    assert not changes.empty


def test_a_step_tells_who_claimed_and_who_released_which_card() -> None:
    house = House()
    house.node("n1", a_card(0))
    house.pool("default", "n1")
    job = house.submit(gpus=1)
    (claimed,) = house.changes.claimed

    house.ended(house.running(job))

    assert house.changes.released == (claimed,)
    assert (claimed.job, claimed.attempt, claimed.node) == (job.uid, 1, NodeName("n1"))
