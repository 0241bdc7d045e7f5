"""The last quarter of an hour of every card, a sample each five seconds."""

from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from types import MappingProxyType
from typing import Final

import msgspec

from eaas.node_views import CardView
from eaas_tui.model.picture import Samples

EVERY_S: Final = 5.0
KEPT: Final = 180

Value = int | None


class History:
    """Readings of cards, averaged into samples. A sample becomes visible when it is complete, the
    first one at once; time without a reading is unknown, not zero.
    """

    def __init__(self) -> None:
        self._rings: dict[str, _Ring] = {}
        self._shown: dict[str, Samples] = {}
        self._changed: set[str] = set()
        self._mapping: Mapping[str, Samples] = MappingProxyType({})

    def add(self, cards: Iterable[CardView], now: float) -> None:
        """Take in what was read of the cards just now."""
        slot = int(now // EVERY_S)
        for card in cards:
            ring = self._rings.get(card.uuid)
            if ring is None:
                ring = self._rings[card.uuid] = _Ring(slot)
                self._changed.add(card.uuid)
            elif slot != ring.slot:
                self._changed.add(card.uuid)
            ring.add(
                slot, card.utilization_pct, _share(card.memory_used_mib, card.memory_total_mib)
            )

    def fill(self, uuid: str, past: "Past", now: float) -> None:
        """Fill the samples that nobody heard here with what somebody else saw."""
        ring = self._rings.get(uuid)
        if ring is None:
            ring = self._rings[uuid] = _Ring(int(now // EVERY_S))
        ring.fill(past)
        self._changed.add(uuid)

    def keep_only(self, uuids: Iterable[str]) -> None:
        """Forget the cards that are gone."""
        gone = self._rings.keys() - set(uuids)
        for uuid in gone:
            del self._rings[uuid]
            self._shown.pop(uuid, None)
        if gone:
            self._changed -= gone
            self._mapping = MappingProxyType(dict(self._shown))

    def clear(self) -> None:
        """Forget everything."""
        self.keep_only(())

    @property
    def samples(self) -> Mapping[str, Samples]:
        """Return the samples by card; the same mapping as before when none is new."""
        if self._changed:
            self._shown |= {uuid: self._rings[uuid].samples() for uuid in self._changed}
            self._changed.clear()
            self._mapping = MappingProxyType(dict(self._shown))
        return self._mapping


class Past(msgspec.Struct, frozen=True, kw_only=True):
    """What somebody else saw of a card, the oldest first."""

    begin: float
    """Unix seconds by this machine's clock."""
    every_s: float
    utilization_pct: Sequence[Value]
    memory_pct: Sequence[Value]


def shares(used_mib: Sequence[Value], total_mib: Value) -> list[Value]:
    """Return what share of a card's memory is used, in percent."""
    return [_share(used, total_mib) for used in used_mib]


class _Ring:
    """One card: complete samples, and sums and counts of the one that is being made.

    Every card is read each second: the sums are plain fields, not objects of their own.
    """

    __slots__ = (
        *("memory", "memory_count", "memory_sum"),
        *("slot", "utilization", "utilization_count", "utilization_sum"),
    )

    def __init__(self, slot: int) -> None:
        self.utilization: deque[Value] = deque(maxlen=KEPT)
        self.memory: deque[Value] = deque(maxlen=KEPT)
        self._begin(slot)

    def _begin(self, slot: int) -> None:
        self.slot = slot
        self.utilization_sum = self.utilization_count = 0
        self.memory_sum = self.memory_count = 0

    def add(self, slot: int, utilization_pct: Value, memory_pct: Value) -> None:
        if slot != self.slot:
            self._close(slot)
        if utilization_pct is not None:
            self.utilization_sum += utilization_pct
            self.utilization_count += 1
        if memory_pct is not None:
            self.memory_sum += memory_pct
            self.memory_count += 1

    def _means(self) -> tuple[Value, Value]:
        """Return the means of what is known of the sample that is being made."""
        return (
            _mean(self.utilization_sum, self.utilization_count),
            _mean(self.memory_sum, self.memory_count),
        )

    def _close(self, slot: int) -> None:
        """Complete the sample; a clock that was set back leaves no gap."""
        utilization, memory = self._means()
        self.utilization.append(utilization)
        self.memory.append(memory)
        if (missed := min(KEPT, slot - self.slot - 1)) > 0:
            self.utilization.extend([None] * missed)
            self.memory.extend([None] * missed)
        self._begin(slot)

    def fill(self, past: Past) -> None:
        """Fill what is unknown of the complete samples, and what lies before the first."""
        own_first = self.slot - len(self.utilization)
        first = max(self.slot - KEPT, min(own_first, int(past.begin // EVERY_S)))
        count = len(past.utilization_pct)
        places = _places(past.begin, past.every_s, count, first, self.slot)
        self.utilization = _filled(self.utilization, past.utilization_pct, places)
        self.memory = _filled(self.memory, past.memory_pct, places)

    def samples(self) -> Samples:
        """Return the complete samples, or the first reading as long as there is none."""
        if self.utilization:
            return Samples(
                every_s=EVERY_S,
                utilization_pct=tuple(self.utilization),
                memory_pct=tuple(self.memory),
            )
        utilization, memory = self._means()
        return Samples(every_s=EVERY_S, utilization_pct=(utilization,), memory_pct=(memory,))


@lru_cache(maxsize=8)
def _places(begin: float, every_s: float, count: int, first: int, end: int) -> list[int | None]:
    """Return for each of our samples which of theirs is of its time: the same for all cards."""
    indexes = (int(((slot + 0.5) * EVERY_S - begin) // every_s) for slot in range(first, end))
    return [index if 0 <= index < count else None for index in indexes]


def _filled(
    own: Sequence[Value], others: Sequence[Value], places: Sequence[int | None]
) -> deque[Value]:
    """Return one value for each place: our own, else what stands there of the others'."""
    padded = [*[None] * (len(places) - len(own)), *own]
    return deque(
        (
            others[place] if value is None and place is not None else value
            for value, place in zip(padded, places, strict=True)
        ),
        maxlen=KEPT,
    )


def _share(used_mib: Value, total_mib: Value) -> Value:
    if used_mib is None or not total_mib:
        return None
    return min(100, round(100 * used_mib / total_mib))


def _mean(total: int, count: int) -> Value:
    return round(total / count) if count else None
