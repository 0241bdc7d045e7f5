"""Cards that are shared by declared memory, in one controller's core: who joins whom, who waits."""

import pytest

from eaas.errors import NeverFits
from eaas.lifecycle import DEFAULT_GRACE_S
from eaas_daemon.core import events as e
from eaas_daemon.core.explain import Explainer
from eaas_daemon.core.inventory_picture import node_view, pool_view
from eaas_daemon.core.reserve import COOLING_S
from tests.daemon.core.sharers import a_house, end, read, share, where
from tests.rig.builders import ADMIN, BOB, House, a_card


def test_jobs_share_a_card_while_what_they_declare_is_there_beside_the_reserve() -> None:
    house = a_house(24)

    jobs = [share(house, 6) for _ in range(4)]

    assert where(house, *jobs) == ["n1-0", "n1-0", "n1-0", None]
    held = house.job(1).attempts[-1].cards[0]
    assert (held.memory_mib, held.of_mib) == (6 * 1024, 24 * 1024 - 512)


def test_the_fullest_card_that_takes_a_share_gets_it_and_the_smallest_one_opens() -> None:
    house = a_house(80, 24, 24)

    jobs = [share(house, gib) for gib in (10, 40, 14, 10, 3)]

    assert where(house, *jobs) == ["n1-1", "n1-0", "n1-0", "n1-1", "n1-1"]


def test_the_fullest_card_of_all_nodes_is_taken_before_a_fresh_one_is_opened() -> None:
    house = a_house(24, nodes=2)

    jobs = [share(house, gib) for gib in (4, 20, 3)]

    assert where(house, *jobs) == ["n1-0", "n2-0", "n2-0"]


def test_no_more_jobs_share_a_card_than_its_node_lets() -> None:
    house = House()
    house.node("n1", a_card(0))
    node = house.state.nodes["n1"]  # type: ignore[index]
    assert node.inventory.max_sharers == 8
    house.pool("default", "n1")

    jobs = [share(house, 1) for _ in range(9)]

    assert where(house, *jobs) == ["n1-0"] * 8 + [None]
    (why,) = Explainer(house.state).why(jobs[8]).nodes
    assert why.text == "card 0 of n1 has memory left, but 8 jobs share it, and no more may"


def test_a_whole_card_is_never_given_beside_a_share_nor_a_share_beside_a_whole_card() -> None:
    house = a_house(24, 24)
    first, second = share(house, 1), house.submit(gpus=1)

    third, fourth = house.submit(gpus=1), share(house, 23.5)

    assert where(house, first, second, third, fourth) == ["n1-0", "n1-1", None, None]


def test_a_share_comes_back_with_its_memory_once_the_card_was_read_again() -> None:
    house = a_house(24)
    first, second, third = share(house, 12), share(house, 11), share(house, 12)

    house.ended(house.running(first))
    assert where(house, third) == [None]
    (why,) = Explainer(house.state).why(third).nodes
    assert why.text == (
        "card 0 of n1 is not clean: a job has left it, and it has not been read since"
    )

    read(house)
    assert where(house, second, third) == ["n1-0", "n1-0"]


def test_a_card_that_others_still_share_need_not_be_read_clean() -> None:
    house = a_house(24)
    first, _ = share(house, 12), share(house, 11)
    house.ended(house.running(first))

    read(house, state="held")

    assert house.state.cooling == {}


def test_a_whole_card_comes_back_when_its_last_sharer_has_ended_and_it_is_clean() -> None:
    house = a_house(24)
    first, second, whole = share(house, 2), share(house, 3), house.submit(gpus=1)

    end(house, first)
    assert where(house, whole) == [None]
    house.ended(house.running(house.job(second.number)))
    assert where(house, whole) == [None]
    read(house)

    assert where(house, whole) == ["n1-0"]


def test_what_is_used_beyond_what_was_declared_is_given_to_nobody() -> None:
    house = a_house(24)
    share(house, 6)
    read(house, over_mib=8 * 1024)

    jobs = [share(house, 10), share(house, 9)]

    assert where(house, *jobs) == [None, "n1-0"]


@pytest.mark.parametrize("state", ["foreign", "sick", "unknown"])
def test_nobody_joins_on_a_card_that_is_not_well(state: str) -> None:
    house = a_house(24)
    share(house, 6)
    read(house, state=state, text="something")

    assert where(house, share(house, 1)) == [None]


def test_nobody_joins_on_a_card_that_a_person_excluded() -> None:
    house = a_house(24)
    share(house, 6)
    house.do(e.SetExcluded(caller=ADMIN, node="n1", card="0", excluded=True))

    late = share(house, 1)

    assert where(house, late) == [None]
    (why,) = Explainer(house.state).why(late).nodes
    assert why.code == "card_excluded"


def test_why_tells_what_the_shared_card_with_the_most_left_has() -> None:
    house = a_house(24, 24)
    share(house, 20.5)
    share(house, 22)

    late = share(house, 6)

    why = Explainer(house.state).why(late)
    assert [node.text for node in why.nodes] == [
        "the shared card of n1 with the most left, card 0, has 3GiB of its 24GiB left, 6GiB asked "
        "for"
    ]
    assert [blocker.job for blocker in why.blockers] == [1, 2]
    assert (why.nodes[0].code, why.nodes[0].asked, why.nodes[0].available) == (
        "too_little_card_memory",
        6144,
        3072,
    )


def test_a_share_larger_than_any_card_lets_jobs_share_is_refused_with_what_there_is() -> None:
    house = a_house(24)

    with pytest.raises(NeverFits, match=r"jobs may share 23\.5GiB of a card of n1 at most, 24GiB"):
        share(house, 24)

    forced = share(house, 24, force=True)
    why = Explainer(house.state).why(forced)
    assert why.verdict == "never"
    assert why.advice == ("ask for 23GiB or less with gpu_memory, or for a whole card",)


def test_a_node_whose_cards_nobody_may_share_says_so() -> None:
    house = House()
    house.node("n1", a_card(0, share_mib=None))
    house.pool("default", "n1")

    with pytest.raises(NeverFits, match="n1 has no card of that kind that jobs may share"):
        share(house, 4)

    assert where(house, house.submit(gpus=1)) == ["n1-0"]


def test_only_cards_of_the_named_model_are_shared() -> None:
    house = House()
    house.node("n1", a_card(0), a_card(1, model="NVIDIA A100", gib=80))
    house.pool("default", "n1")

    jobs = [share(house, 4), share(house, 4, gpu_type="a100"), share(house, 4, gpu_type="a100")]

    assert where(house, *jobs) == ["n1-0", "n1-1", "n1-1"]


def test_a_pool_counts_a_shared_card_once_and_a_cap_counts_every_share() -> None:
    house = a_house(24, 24)
    house.queue("default", max_gpus_per_user=3)
    jobs = [share(house, 2) for _ in range(4)]

    pool = pool_view(house.state, house.state.pools[jobs[0].pool])

    assert where(house, *jobs) == ["n1-0", "n1-0", "n1-0", None]
    assert (pool.cards_total, pool.cards_free, pool.cards_held, pool.cards_unavailable) == (
        2,
        1,
        1,
        0,
    )
    assert [(user.user, user.gpus_held) for user in pool.users] == [("alice", 3)]
    (above,) = Explainer(house.state).why(jobs[3]).reasons
    assert above.code == "user_cap"


def test_in_fair_share_a_share_counts_for_its_part_of_the_card() -> None:
    house = a_house(24)
    half, quarter = share(house, 11.75), share(house, 5.875, BOB)
    house.now += 3600

    used = {user: used.at(house.now, 86400.0) for (_, user), used in house.state.usage.items()}

    assert used["alice"] == pytest.approx(1800, rel=0.02)  # type: ignore[index]
    assert used["bob"] == pytest.approx(900, rel=0.02)  # type: ignore[index]
    end(house, half)
    end(house, quarter)
    assert {used.thousandths for used in house.state.usage.values()} == {0}


# --- the first in line


def test_shares_do_not_keep_a_whole_card_from_the_first_in_line_for_ever() -> None:
    house = a_house(24)
    house.queue("default", hold_after_s=600.0)
    old = share(house, 10)
    whole = house.submit(BOB, gpus=1)
    joined = share(house, 2)
    house.now += 601
    house.do(e.Tick())

    late = share(house, 2)

    assert where(house, joined, late) == ["n1-0", None]
    (kept,) = Explainer(house.state).why(late).nodes
    assert kept.text == "what is free on n1 is kept for job 2 of bob, which goes first"
    end(house, joined)
    end(house, old)
    assert where(house, whole, late) == ["n1-0", None]


def test_who_is_gone_before_the_last_sharer_may_join_beside_a_waiting_whole_card() -> None:
    house = a_house(24)
    house.running(share(house, 10, timeout="2h"))
    whole = house.submit(BOB, gpus=1)

    quick, slow = share(house, 2, timeout="1h"), share(house, 2, timeout="3h")

    assert where(house, quick, slow) == ["n1-0", None]
    house.running(quick)
    why = Explainer(house.state, house.now).why(whole)
    in_s = 2 * 3600 + DEFAULT_GRACE_S + COOLING_S
    assert (why.eta.kind, why.eta.in_s) == ("certain", in_s)


def test_a_large_share_is_kept_a_place_and_others_may_have_what_it_leaves() -> None:
    house = a_house(24)
    house.running(share(house, 20, timeout="2h"))
    large = share(house, 20, BOB)

    beside, too_much = share(house, 3), share(house, 0.75)

    assert where(house, large, beside, too_much) == [None, "n1-0", None]
    assert where(house, share(house, 0.5, timeout="1h")) == ["n1-0"]


def test_a_card_that_is_drained_for_somebody_says_so() -> None:
    house = a_house(24)
    house.running(share(house, 10, timeout="2h"))
    house.submit(BOB, gpus=1)

    (card,) = node_view(house.state, house.state.nodes["n1"]).cards  # type: ignore[index]

    assert (card.state, card.offered) == ("shared", True)
    assert card.reason is not None
    assert card.reason.text.startswith("kept for job 2 of bob, which starts by ")
