"""The last quarter of an hour of every node and card, a sample each ten seconds, tightly packed."""

from array import array
from collections.abc import Sequence
from typing import Final

from eaas_daemon.core.run_samples import CardSample, Value

EVERY_S: Final = 10.0
KEPT: Final = 90

UNKNOWN: Final = -1


class _Ring:
    """One quantity: the means of the last slots, and the sum of the one that is being made."""

    __slots__ = ("count", "slot", "total", "values")

    def __init__(self, code: str) -> None:
        self.values = array(code, [UNKNOWN]) * KEPT
        self.slot = -1
        self.total = self.count = 0

    def put(self, slot: int, value: Value) -> None:
        """Note a reading of that slot; slots that were left out are unknown."""
        if slot != self.slot:
            for missed in range(max(self.slot + 1, slot - KEPT + 1), slot + 1):
                self.values[missed % KEPT] = UNKNOWN
            self.slot, self.total, self.count = slot, 0, 0
        if value is not None:
            self.total += value
            self.count += 1
            self.values[slot % KEPT] = round(self.total / self.count)

    def between(self, first: int, last: int) -> tuple[Value, ...]:
        """Return the means of these slots, both ends with them; None where nothing is known."""
        turn, oldest = (self.slot + 1) % KEPT, self.slot - KEPT + 1
        before = max(0, min(last + 1, oldest) - first)
        known = (self.values[turn:] + self.values[:turn]).tolist()
        told: Sequence[Value] = known[max(0, first - oldest) : max(0, last + 1 - oldest)]
        after = last + 1 - first - before - len(told)
        if UNKNOWN in told:
            told = [None if value == UNKNOWN else value for value in told]
        return (*[None] * before, *told, *[None] * after)


class CardRecent:
    """What is kept of one card."""

    __slots__ = ("memory", "utilization", "uuid")

    def __init__(self, uuid: str) -> None:
        self.uuid: Final = uuid
        self.utilization = _Ring("h")
        self.memory = _Ring("i")


class NodeRecent:
    """What is kept of one node. A clock that was set back begins anew."""

    def __init__(self) -> None:
        self._start(None)

    def _start(self, slot: int | None) -> None:
        self.first = self.slot = slot
        self.cpus_milli = _Ring("i")
        self.memory = _Ring("i")
        self.cards: dict[str, CardRecent] = {}

    def add(
        self, now: float, cpus_milli: int, memory_used_mib: Value, cards: Sequence[CardSample]
    ) -> None:
        """Take in what was read now (Unix seconds)."""
        slot = int(now // EVERY_S)
        if self.slot is None or slot < self.slot - 1:
            self._start(slot)
        elif slot > self.slot:
            self._forget_gone(slot)
        self.slot = slot = max(slot, self.slot or 0)
        self.cpus_milli.put(slot, cpus_milli)
        self.memory.put(slot, memory_used_mib)
        for card in cards:
            ring = self.cards.get(card.uuid)
            if ring is None:
                ring = self.cards[card.uuid] = CardRecent(card.uuid)
            ring.utilization.put(slot, card.utilization_pct)
            ring.memory.put(slot, card.memory_used_mib)

    def _forget_gone(self, slot: int) -> None:
        """Drop the cards of which nothing is left to show."""
        gone = [c.uuid for c in self.cards.values() if c.utilization.slot <= slot - KEPT]
        for uuid in gone:
            del self.cards[uuid]

    def window(self, now: float) -> tuple[int, int] | None:
        """Return the first and the last slot that there is something to say of by now.

        The last one is still being made; None before the first reading.
        """
        if self.first is None or self.slot is None:
            return None
        last = max(self.slot, int(now // EVERY_S) - 1)
        return max(self.first, last - KEPT + 1), last
