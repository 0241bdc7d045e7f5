"""What an attempt's cards did over its whole run, in a bounded number of equal buckets.

When the buckets become too many, every two neighbours become one: the resolution halves, and of
each bucket the mean and the most stay exact.
"""

from array import array
from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

MAX_POINTS: Final = 360
FIRST_EVERY_S: Final = 5.0
"""How long a bucket is while the run is younger than half an hour."""

Value = int | None


class CardSample(NamedTuple):
    """What was read of one card; None is unknown."""

    uuid: str
    utilization_pct: Value
    memory_used_mib: Value
    memory_total_mib: Value = None


class Series:
    """One quantity in buckets: how often it was read, and the sum and the most of that."""

    __slots__ = ("counts", "most", "totals")

    def __init__(self) -> None:
        self.totals = array("d")
        self.counts = array("I")
        self.most = array("i")

    def __len__(self) -> int:
        return len(self.counts)

    def put(self, bucket: int, value: Value) -> None:
        """Note a reading; buckets in between that nobody filled are unknown."""
        missing = bucket + 1 - len(self.counts)
        if missing > 0:
            self.totals.extend([0.0] * missing)
            self.counts.extend([0] * missing)
            self.most.extend([0] * missing)
        if value is not None:
            self.most[bucket] = max(value, self.most[bucket]) if self.counts[bucket] else value
            self.totals[bucket] += value
            self.counts[bucket] += 1

    def halve(self) -> None:
        """Let every two neighbours become one."""
        totals, counts, most = self.totals, self.counts, self.most
        pairs = [(at, min(at + 1, len(counts) - 1)) for at in range(0, len(counts), 2)]
        self.totals = array("d", [totals[a] + (totals[b] if a != b else 0) for a, b in pairs])
        self.counts = array("I", [counts[a] + (counts[b] if a != b else 0) for a, b in pairs])
        self.most = array("i", [_most(counts, most, a, b) for a, b in pairs])

    def means(self) -> tuple[Value, ...]:
        """Return each bucket's mean, rounded; None where nothing was read."""
        pairs = zip(self.totals, self.counts, strict=True)
        return tuple(round(total / count) if count else None for total, count in pairs)

    def tops(self) -> tuple[Value, ...]:
        """Return the most of each bucket; None where nothing was read."""
        pairs = zip(self.most, self.counts, strict=True)
        return tuple(most if count else None for most, count in pairs)


class CardRun:
    """One card of a run."""

    __slots__ = ("memory", "memory_total_mib", "utilization", "uuid")

    def __init__(self, uuid: str) -> None:
        self.uuid: Final = uuid
        self.memory_total_mib: Value = None
        self.utilization = Series()
        self.memory = Series()


class RunSamples:
    """All cards of one attempt on one axis of time. Times are Unix seconds."""

    def __init__(
        self,
        begin: float,
        cards: Iterable[str],
        *,
        every_s: float = FIRST_EVERY_S,
        max_points: int = MAX_POINTS,
    ) -> None:
        self.begin: Final = begin
        self.every_s = every_s
        self.cards: dict[str, CardRun] = {uuid: CardRun(uuid) for uuid in cards}
        self._max_points: Final = max_points

    @property
    def points(self) -> int:
        """Return how many buckets there are so far."""
        return max((len(card.utilization) for card in self.cards.values()), default=0)

    def add(self, now: float, readings: Sequence[CardSample]) -> None:
        """Take in what was read now; time that runs backwards stays in the newest bucket."""
        bucket = max(self._bucket(now), self.points - 1)
        for reading in readings:
            card = self.cards.get(reading.uuid)
            if card is not None:
                card.utilization.put(bucket, reading.utilization_pct)
                card.memory.put(bucket, reading.memory_used_mib)
                card.memory_total_mib = reading.memory_total_mib or card.memory_total_mib

    def _bucket(self, now: float) -> int:
        """Return the moment's bucket, after halving until there is one."""
        while (bucket := max(0, int((now - self.begin) / self.every_s))) >= self._max_points:
            self.every_s *= 2
            for card in self.cards.values():
                card.utilization.halve()
                card.memory.halve()
        return bucket


def _most(counts: Sequence[int], most: Sequence[int], a: int, b: int) -> int:
    return max((most[at] for at in (a, b) if counts[at]), default=0)
