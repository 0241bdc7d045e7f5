"""Which of a node's free cards a job gets: those of one model where it can be, close to each other.

Cards that are joined by NVLink or by a PCIe switch talk many times faster than across sockets. So a
job on several cards gets those whose worst pair is closest, and of equally close ones those that
are farthest from what stays free: whole groups are left to others. A job on one card breaks up no
group while a single card is there.
"""

from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from itertools import combinations
from math import comb
from typing import Final, NamedTuple

from eaas.wire.from_agent import CardLink, CardReport

FAR: Final = 6
DISTANCES: Final = {"nvlink": 0, "board": 1, "bridge": 2, "host": 3, "node": 4, "system": FAR}
"""By the kinds that agents tell; whatever else counts as far."""

MOST_SETS: Final = 256
"""With more sets than this to choose from a good one is grown instead of the best one found."""

Table = tuple[tuple[int, ...], ...]
"""Distances from every card to every card, by their places."""


class Ways(NamedTuple):
    """How far a node's cards are from each other."""

    places: dict[str, int]
    """Of the cards in the table, by UUID."""
    table: Table


@lru_cache(1024)
def ways_of(links: tuple[CardLink, ...]) -> Ways | None:
    """Return how far the linked cards are from each other; None where all are equally far."""
    if len({DISTANCES.get(link.kind, FAR) for link in links}) < 2:
        return None
    uuids = list(dict.fromkeys(uuid for link in links for uuid in (link.a, link.b)))
    places = {uuid: place for place, uuid in enumerate(uuids)}
    rows = [[0 if a == b else FAR for b in uuids] for a in uuids]
    for link in links:
        a, b = places[link.a], places[link.b]
        rows[a][b] = rows[b][a] = DISTANCES.get(link.kind, FAR)
    return Ways(places, tuple(map(tuple, rows)))


def one_model(cards: list[CardReport], count: int) -> list[CardReport]:
    """Return those of the cards that are of one model, if any model has enough; else all of them.

    The cards come and go smallest first, so it is the model with the smallest ones.
    """
    if count < 2 or len(cards) <= count or len({card.model for card in cards}) == 1:
        return cards
    for model in dict.fromkeys(card.model for card in cards):
        alike = [card for card in cards if card.model == model]
        if len(alike) >= count:
            return alike
    return cards


def pick(
    cards: list[CardReport],
    count: int,
    *,
    free: Iterable[str],
    ways: Ways | None,
    rank: Callable[[CardReport], object] | None = None,
) -> list[CardReport]:
    """Return so many of the cards, which come in order of size, the smallest first.

    ``free`` is everything on the node that others could be given. Where ``rank`` tells cards apart
    that a job should rather have than others, the cards come in its order, and nearness decides
    only between cards of the best rank.
    """
    if count == 0 or len(cards) <= count:
        return cards[:count]
    if rank is not None:
        best = [card for card in cards if rank(card) == rank(cards[0])]
        if len(best) < count:
            return cards[:count]
        cards = best
    cards = one_model(cards, count)
    if ways is None:
        return cards[:count]
    if count == 1:
        cards = [card for card in cards if card.memory_total_mib == cards[0].memory_total_mib]
    if any(card.uuid not in ways.places for card in cards):
        return cards[:count]
    candidates = tuple(ways.places[card.uuid] for card in cards)
    others = tuple(sorted(ways.places[uuid] for uuid in free if uuid in ways.places))
    chosen = closest(ways.table, candidates, count, others)
    return [card for card in cards if ways.places[card.uuid] in chosen]


@lru_cache(8192)  # the machines of a pool are alike, and so are their states
def closest(
    table: Table, candidates: tuple[int, ...], count: int, free: tuple[int, ...]
) -> tuple[int, ...]:
    """Return the places of the set that is closest; the first one of those that are equally so."""
    if comb(len(candidates), count) <= MOST_SETS:
        sets: Iterable[tuple[int, ...]] = combinations(candidates, count)
    else:
        sets = (_grown(table, candidates, count, first) for first in candidates)
    return min(sets, key=lambda chosen: (*_cost(table, chosen, free), sorted(chosen)))


def _cost(table: Table, chosen: Sequence[int], free: Sequence[int]) -> tuple[int, int, int]:
    """Return the worst distance within the set, all of them, and what it has in common with the
    cards that stay free.
    """
    within = [table[a][b] for a, b in combinations(chosen, 2)]
    torn = sum(FAR - table[a][b] for b in free if b not in chosen for a in chosen)
    return max(within, default=0), sum(within), torn


def _grown(table: Table, candidates: Sequence[int], count: int, first: int) -> tuple[int, ...]:
    """Return a set that grows from one card by the nearest one each time."""
    chosen = [first]
    while len(chosen) < count:
        rest = [place for place in candidates if place not in chosen]
        chosen.append(min(rest, key=lambda place: (*_reach(table, chosen, place), place)))
    return tuple(chosen)


def _reach(table: Table, chosen: Sequence[int], place: int) -> tuple[int, int]:
    steps = [table[place][one] for one in chosen]
    return max(steps), sum(steps)
