"""Which committed facts are still to be said: in order, a window at a time, again after a cut."""

from collections import deque
from collections.abc import Callable, Iterable
from typing import Final

from eaas.wire.from_agent import Facts, Spooled

WINDOW: Final = 256
"""At most this many facts are under way without an acknowledgement."""

IN_MEMORY: Final = 1024

Lookup = Callable[[int, int], tuple[Spooled, ...]]
"""Facts of the ledger after this one, at most so many."""


class Spool:
    """The facts of one ledger on their way to the controller.

    The newest are kept in memory; what fell out of there, after a long cut, is read back.
    """

    def __init__(self, spool_id: str, *, last_seq: int, lookup: Lookup) -> None:
        self.spool_id: Final = spool_id
        self.last_seq = last_seq
        """The highest that is committed here."""
        self._lookup = lookup
        self._recent: deque[Spooled] = deque(maxlen=IN_MEMORY)
        self._sent = last_seq
        self._acked = last_seq
        self._connected = False

    def committed(self, facts: Iterable[Spooled]) -> None:
        """Take over facts that are on disk now."""
        for spooled in facts:
            self._recent.append(spooled)
            self.last_seq = spooled.seq

    def connected(self, acked_seq: int) -> None:
        """Begin again after what this controller has."""
        self._acked = self._sent = acked_seq
        self._recent.clear()
        self._connected = True

    def disconnected(self) -> None:
        """Say nothing until the next connection."""
        self._connected = False

    def acked(self, seq: int) -> None:
        """Move the window on."""
        self._acked = max(self._acked, min(seq, self._sent))

    def next_facts(self) -> Facts | None:
        """Return the next facts to send and count them as sent, or None when there are none now."""
        room = WINDOW - (self._sent - self._acked)
        if not self._connected or room <= 0 or self._sent >= self.last_seq:
            return None
        facts = self._from_memory(room) or self._lookup(self._sent, room)
        if not facts:
            return None
        self._sent = facts[-1].seq
        return Facts(spool_id=self.spool_id, facts=facts)

    def _from_memory(self, room: int) -> tuple[Spooled, ...]:
        recent = self._recent
        while recent and recent[0].seq <= self._sent:
            recent.popleft()
        if not recent or recent[0].seq != self._sent + 1:
            return ()
        return tuple(recent.popleft() for _ in range(min(room, len(recent))))
