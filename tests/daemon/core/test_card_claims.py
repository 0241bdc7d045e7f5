from eaas_daemon.core.card_claims import claimed_mib, is_shared, may_join, owners_of, share_of
from tests.daemon.core.sharers import a_house, read, share
from tests.rig.builders import BOB, a_card


def test_the_owners_of_a_card_are_told_by_number_with_what_each_declared() -> None:
    house = a_house(24, 24)
    first, second, whole = share(house, 6), share(house, 2, BOB), house.submit(gpus=1)
    house.running(first)  # its place among the node's jobs is the last one now

    owners = owners_of(house.state, first.attempts[-1].node, "GPU-n1-0")

    assert [(job.number, share_of(job, "GPU-n1-0")) for job in owners] == [
        (first.number, 6144),
        (second.number, 2048),
    ]
    assert share_of(house.job(whole.number), "GPU-n1-1") is None
    assert claimed_mib(a_card(0), owners) == 8192
    assert claimed_mib(a_card(1), [house.job(whole.number)]) == 24 * 1024


def test_a_card_is_shared_while_a_share_of_it_is_held() -> None:
    house = a_house(24, 24)
    node = share(house, 6).attempts[-1].node
    house.submit(gpus=1)

    assert is_shared(house.state, node, "GPU-n1-0")
    assert not is_shared(house.state, node, "GPU-n1-1")


def test_a_shared_card_may_be_joined_until_its_last_mib_is_declared() -> None:
    house = a_house(24)
    share(house, 20)
    node = house.state.nodes["n1"]  # type: ignore[index]
    assert may_join(house.state, node, node.cards[0])

    share(house, 3.5)

    assert not may_join(house.state, node, node.cards[0])


def test_a_job_that_uses_more_than_it_declared_is_told_of_once_each_time_it_begins() -> None:
    house = a_house(24)
    job = share(house, 6, BOB)
    text = "job 1 uses 9.1GiB of the 6GiB it declared"

    lines = []
    for overusers in ((), (1,), (1,), (), (1,)):
        read(house, state="held", text=text, overusers=overusers)
        lines += [line for line in house.changes.journal if line.kind == "card.overused"]

    assert [(line.text, line.job, line.user) for line in lines] == [
        (f"card 0 of n1: {text}", job.number, "bob")
    ] * 2
