from typing import Any

from msgspec.structs import replace

from eaas import reasons as r
from eaas.ids import CardUuid, NodeName
from eaas.job_spec import read_spec
from eaas_daemon.core.model import HeldCard, Node
from eaas_daemon.core.parts import (
    Part,
    claim_on,
    give,
    holds_share,
    joinable,
    never_shared,
    none_left,
    parts_of,
)
from tests.rig.builders import a_card, an_inventory

GIB = 1024
UUID = CardUuid("GPU-n1-0")


def a_node(*cards: Any, **but: Any) -> Node:
    inventory = an_inventory(*cards)
    node = Node(
        name=NodeName("n1"), uid="u", inventory=inventory, version="1", boot_id="b", cards=cards
    )
    return replace(node, **but)


def a_claim(gib: int, card: str = UUID) -> HeldCard:
    return HeldCard(uuid=CardUuid(card), index=0, memory_mib=gib * GIB, of_mib=24064)


def a_part(index: int = 0, **but: Any) -> Part:
    part = Part(a_card(index), 4 * GIB, 2, 8, is_fit=True, is_read=True)
    return part._replace(**but)


def test_a_card_has_left_what_its_jobs_have_not_declared_less_what_is_used_beyond_that() -> None:
    node = a_node(a_card(0, state="held", over_mib=100), a_card(1))

    parts = parts_of(node, [a_claim(6), a_claim(7)], {})

    assert parts == {
        UUID: Part(node.cards[0], 24064 - 13 * GIB - 100, 2, 8, is_fit=True, is_read=True)
    }


def test_a_node_without_shares_has_no_parts() -> None:
    whole = HeldCard(uuid=UUID, index=0)

    assert parts_of(a_node(a_card(0)), [whole], {}) == {}


def test_nobody_joins_an_excluded_card_nor_one_that_was_not_read_since_somebody_left() -> None:
    held = a_card(0, state="held")
    excluded = parts_of(a_node(held, excluded=frozenset({UUID})), [a_claim(1)], {})
    unread = parts_of(a_node(held), [a_claim(1)], {UUID: 5.0})

    assert (excluded[UUID].is_fit, unread[UUID].is_read) == (False, False)
    assert not excluded[UUID].takes(1)
    assert not unread[UUID].takes(1)


def test_a_part_takes_what_it_has_left_and_no_more_jobs_than_may_share_it() -> None:
    assert a_part().takes(4 * GIB)
    assert not a_part().takes(4 * GIB + 1)
    assert not a_part(sharers=8).takes(1)
    assert a_part().after(GIB, 1) == a_part(left_mib=3 * GIB, sharers=3)


def test_the_fullest_card_that_takes_it_is_joined_first() -> None:
    cards = [a_card(i) for i in range(4)]
    left = [9, 3, 5, 5]
    parts = {
        CardUuid(card.uuid): a_part(card.index, left_mib=gib * GIB)
        for card, gib in zip(cards, left, strict=True)
    }

    assert [card.index for card in joinable(parts, cards, 4 * GIB)] == [2, 3, 0]


def test_a_free_card_that_is_given_in_part_is_a_shared_one_from_then_on() -> None:
    card = a_card(0)
    free = {UUID: card}
    parts: dict[CardUuid, Part] = {}

    give(parts, free, card, 6 * GIB, at_most=4)
    give(parts, free, card, 2 * GIB, at_most=4)

    assert free == {}
    assert parts == {UUID: Part(card, 24064 - 8 * GIB, 2, 4, is_fit=True, is_read=True)}


def test_the_claim_of_a_share_says_how_much_of_what() -> None:
    shared = read_spec({"command": "a", "gpus": 1, "share": True, "gpu_memory": "6GiB"})
    whole = read_spec({"command": "a", "gpus": 1, "gpu_memory": "6GiB"})

    assert claim_on(a_card(0), shared) == a_claim(6)
    assert claim_on(a_card(0), whole) == HeldCard(uuid=UUID, index=0)


def test_a_card_whose_memory_nobody_may_share_holds_no_share() -> None:
    assert holds_share(a_card(0), 24064)
    assert not holds_share(a_card(0), 24065)
    assert not holds_share(a_card(0, share_mib=None), 1)


def test_what_can_never_be_shared_is_told_apart_from_what_is_too_much() -> None:
    node = a_node(a_card(0))

    assert never_shared(node, [a_card(0, share_mib=None)], 1) == r.CardsNotShared(node="n1")
    assert never_shared(node, [a_card(0), a_card(1, gib=48)], 48 * GIB) == r.ShareTooLarge(
        node="n1", asked=48 * GIB, available=48 * GIB - 512
    )
    assert never_shared(node, [a_card(0)], 24064) is None


def test_the_reason_is_that_of_the_shared_card_with_the_most_left() -> None:
    cards = [a_card(0), a_card(1)]
    parts = {
        CardUuid(cards[0].uuid): a_part(0, left_mib=-5),
        CardUuid(cards[1].uuid): a_part(1, left_mib=3 * GIB),
    }

    assert none_left(a_node(), parts, cards, 6 * GIB) == r.TooLittleCardMemory(
        node="n1", card=1, asked=6 * GIB, available=3 * GIB, of=24 * GIB, jobs=2
    )
    assert none_left(a_node(), parts, cards[:1], 6 * GIB) == r.TooLittleCardMemory(
        node="n1", card=0, asked=6 * GIB, available=0, of=24 * GIB, jobs=2
    )
    assert none_left(a_node(), parts, [a_card(7)], 6 * GIB) is None
