"""Whom to stop so that another job has room: the fewest, the least important, the youngest."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Final, NamedTuple

from eaas.ids import CardUuid, JobUid

MOST_SETS: Final = 4096
"""So many sets of one node are compared. No node with a dozen jobs has more; beyond that a set of
which nobody can be spared is found without comparing all."""

Amounts = tuple[int, int, int]
"""Cards, thousandths of CPUs, MiB of memory."""


class Victim(NamedTuple):
    """A job that may be stopped; those that go first for it are smaller."""

    queue_priority: int
    priority: int
    ran_s: float
    number: int
    uid: JobUid
    cards: frozenset[CardUuid]
    cpus_milli: int
    memory_mib: int


class Loss(NamedTuple):
    """What it costs to stop a set of jobs; smaller is better."""

    jobs: int
    importance: tuple[tuple[int, int], ...]
    """Priorities of their queues and their own, the highest first."""
    ran_s: float
    numbers: tuple[int, ...]


def loss(victims: Sequence[Victim]) -> Loss:
    """Return what it costs to stop them all."""
    return Loss(
        len(victims),
        tuple(sorted(((one.queue_priority, one.priority) for one in victims), reverse=True)),
        sum(one.ran_s for one in victims),
        tuple(sorted(one.number for one in victims)),
    )


def least_loss(
    lacks: Amounts, gives: Mapping[Victim, Amounts], most_sets: int = MOST_SETS
) -> tuple[Victim, ...] | None:
    """Return the set that gives all that is lacking at the least loss, or None if there is none.

    ``gives`` is what each victim gives back that the job could use.
    """
    wanted = _clip(lacks, lacks)
    alike: dict[Amounts, list[Victim]] = {}
    for victim in sorted(gives):
        given = _clip(gives[victim], wanted)
        if any(given):
            alike.setdefault(given, []).append(victim)
    counts = {given: len(victims) for given, victims in alike.items()}
    if not _covers(counts, wanted):
        return None
    looked = 0
    for size in range(_fewest(counts, wanted), sum(counts.values()) + 1):
        found: list[tuple[Victim, ...]] = []
        for chosen in islice(_of_size(list(counts.items()), size), most_sets - looked):
            looked += 1
            if _covers(chosen, wanted):
                found.append(_first_of(alike, chosen))
        if found:
            return min(found, key=loss)
        if looked >= most_sets:
            break
    return _spared(alike, wanted)


def _clip(amounts: Amounts, most: Amounts) -> Amounts:
    """Return the amounts, none of them over the most nor below 0: more is of no use."""
    cards, cpus_milli, memory_mib = (
        max(0, min(amount, limit)) for amount, limit in zip(amounts, most, strict=True)
    )
    return cards, cpus_milli, memory_mib


def _covers(counts: Mapping[Amounts, int], wanted: Amounts) -> bool:
    return all(
        sum(given[i] * count for given, count in counts.items()) >= wanted[i] for i in range(3)
    )


def _fewest(counts: Mapping[Amounts, int], wanted: Amounts) -> int:
    """Return a number of jobs below which nothing can suffice."""
    return max(_enough_of(counts, wanted, i) for i in range(3))


def _enough_of(counts: Mapping[Amounts, int], wanted: Amounts, i: int) -> int:
    left, taken = wanted[i], 0
    for given in sorted(counts, key=lambda given: -given[i]):
        if left <= 0 or given[i] == 0:
            break
        some = min(counts[given], -(-left // given[i]))
        left -= some * given[i]
        taken += some
    return taken


def _of_size(kinds: Sequence[tuple[Amounts, int]], size: int) -> Iterator[dict[Amounts, int]]:
    """Yield every way to take so many, by how many of each kind."""
    if size == 0:
        yield {}
    elif sum(count for _, count in kinds) >= size:
        (given, count), rest = kinds[0], kinds[1:]
        for some in range(min(size, count), -1, -1):
            for others in _of_size(rest, size - some):
                yield {given: some, **others} if some else others


def _first_of(
    alike: Mapping[Amounts, Sequence[Victim]], counts: Mapping[Amounts, int]
) -> tuple[Victim, ...]:
    chosen = (victim for given, count in counts.items() for victim in alike[given][:count])
    return tuple(sorted(chosen))


def _spared(alike: Mapping[Amounts, Sequence[Victim]], wanted: Amounts) -> tuple[Victim, ...]:
    """Return a set that suffices and of which nobody can be spared, the smallest that is quick."""
    gives = {victim: given for given, victims in alike.items() for victim in victims}
    by_size = sorted(gives, key=lambda victim: (tuple(-x for x in gives[victim]), victim))
    chosen: list[Victim] = []
    for victim in by_size:
        if not _covers(Counter(gives[one] for one in chosen), wanted):
            chosen.append(victim)
    for victim in sorted(chosen, reverse=True):
        without = [one for one in chosen if one != victim]
        if _covers(Counter(gives[one] for one in without), wanted):
            chosen = without
    return tuple(sorted(chosen))
