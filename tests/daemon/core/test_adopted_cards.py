import pytest

from eaas.ids import CardUuid, NodeName
from eaas.wire.to_agent import Order
from eaas_daemon.core.adopted_cards import claims_of_order, taken_card
from eaas_daemon.core.invariants import broken
from eaas_daemon.core.model import HeldCard
from tests.daemon.core.sharers import a_house, share
from tests.daemon.core.test_adoption import holds
from tests.rig.agents import an_order
from tests.rig.builders import House

N1 = NodeName("n1")


def an_alien(mib: int | None, card: str = "GPU-n1-0", number: int = 57) -> Order:
    return an_order(
        f"alien-{number}",
        number=number,
        epoch=1,
        user="alice",
        queue="default/default",
        image="busybox",
        cards=(card,),
        share_mib=mib,
    )


@pytest.fixture
def house() -> House:
    house = a_house(24, 24)
    house.state.next_number = 10_001
    house.state.epoch = 9
    return house


def test_shares_of_one_card_are_taken_up_beside_each_other_as_they_were(house: House) -> None:
    holds(house, an_alien(12 * 1024))
    holds(house, an_alien(11 * 1024, number=58))

    for number, mib in ((57, 12 * 1024), (58, 11 * 1024)):
        job = house.job(number)
        assert (job.spec.share, job.spec.gpu_memory_mib) == (True, mib)
        assert job.attempts[-1].cards == (
            HeldCard(uuid=CardUuid("GPU-n1-0"), index=0, memory_mib=mib, of_mib=24064),
        )
    assert broken(house.state) == []


@pytest.mark.parametrize("mib", [None, 20 * 1024])
def test_what_does_not_fit_beside_the_shares_that_are_there_stays_an_orphan(
    house: House, mib: int | None
) -> None:
    share(house, 6)

    said = taken_card(house.state, house.state.nodes[N1], an_alien(mib))

    assert said == (
        "card 0 belongs to job 10001 here; cancel one of both"
        if mib is None
        else "26624 MiB of card 0 would be declared with it, of 24064 that jobs may share"
    )


def test_a_share_of_a_card_that_somebody_has_as_a_whole_stays_an_orphan(house: House) -> None:
    house.submit(gpus=2)

    said = taken_card(house.state, house.state.nodes[N1], an_alien(1024))

    assert said == "card 0 belongs to job 10001 here; cancel one of both"


def test_a_card_that_the_node_does_not_show_can_be_nobodys(house: House) -> None:
    said = taken_card(house.state, house.state.nodes[N1], an_alien(None, card="GPU-gone"))

    assert said == "it holds the card GPU-gone, which n1 does not show now"


def test_the_claims_of_an_order_for_whole_cards_are_whole(house: House) -> None:
    claims = claims_of_order(house.state.nodes[N1], an_alien(None, card="GPU-n1-1"))

    assert claims == (HeldCard(uuid=CardUuid("GPU-n1-1"), index=1),)
