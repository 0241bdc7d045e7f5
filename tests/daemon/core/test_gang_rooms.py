from eaas.wire.from_agent import Image
from eaas_daemon.core import events as e
from eaas_daemon.core.model import Job
from tests.rig.builders import ADMIN, House, a_card


def nodes_of(house: House, job: Job) -> list[str]:
    return [rank.attempts[-1].node for rank in house.ranks(job)]


def test_the_nodes_with_the_fewest_cards_left_over_are_taken() -> None:
    house = House()
    for name, cards in (("n1", 3), ("n2", 1), ("n3", 2)):
        house.node(name, *(a_card(index, node=name) for index in range(cards)))
    house.pool("default", "n1", "n2", "n3")

    assert nodes_of(house, house.submit(gpus=1, num_nodes=2)) == ["n2", "n3"]


def test_nodes_that_have_the_image_go_first() -> None:
    house = House()
    house.node("n1")
    for name in ("n2", "n3"):
        house.node(name, images=(Image(name="busybox", digest=None, size_mib=1),))
    house.pool("default", "n1", "n2", "n3")

    assert nodes_of(house, house.submit(num_nodes=2)) == ["n2", "n3"]


def test_ranks_go_back_to_where_their_workspaces_are() -> None:
    house = House()
    house.nodes("n1", "n2", "n3")
    house.do(e.SetDraining(caller=ADMIN, node="n1", draining=True))
    job = house.submit(num_nodes=2, restart={"retries": 1, "backoff": "0s"})
    house.do(e.SetDraining(caller=ADMIN, node="n1", draining=False))
    assert nodes_of(house, job) == ["n2", "n3"]
    first, second = (house.running(rank) for rank in house.ranks(job))

    house.ended(first, 1)
    house.ended(second, None, cause="stopped")

    assert [len(rank.attempts) for rank in house.ranks(job)] == [2, 2]
    assert nodes_of(house, job) == ["n2", "n3"]


def test_the_first_rank_changes_its_place_with_one_that_all_can_reach() -> None:
    house = House()
    house.node("n1")
    house.node("n2")
    house.pool("default", "n1", "n2")
    job = house.submit(num_nodes=2, restart={"retries": 1, "backoff": "0s"})
    first, second = (house.running(rank) for rank in house.ranks(job))
    assert nodes_of(house, job) == ["n1", "n2"]
    house.node("n2", address="10.0.0.7")

    house.ended(first, 1)
    house.ended(second, None, cause="stopped")

    assert nodes_of(house, job) == ["n2", "n1"]
