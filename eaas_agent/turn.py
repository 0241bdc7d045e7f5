"""A batch of events on its way to the disk: the picture it changes, and what follows from it."""

import math
from collections.abc import Callable, Mapping
from typing import Final

import msgspec

from eaas.ids import JobUid
from eaas.lives import Obeyed
from eaas.wire.from_agent import Fact, Spooled, Unlisted
from eaas.wire.to_agent import Order
from eaas_agent.changes import Changes, Touched
from eaas_agent.model import Attempt, Roster, Seen, WantedCame
from eaas_agent.runtimes.port import AttemptKey


class Effect(msgspec.Struct, frozen=True):
    """Something to do in the world."""


class Start(Effect, frozen=True):
    """Start the attempt, or adopt it if the runtime has it already."""

    attempt: Attempt


class Watch(Effect, frozen=True):
    """Wait for the end of an attempt that was started by an earlier agent process."""

    attempt: Attempt


class CallOff(Effect, frozen=True):
    """Give up starting it, if that is still possible."""

    key: AttemptKey


class StopIt(Effect, frozen=True):
    attempt: Attempt
    grace_s: float


class Arm(Effect, frozen=True):
    """Say ``TimeUp`` after this long, instead of what was armed before; None disarms."""

    key: AttemptKey
    in_s: float | None


class SendLog(Effect, frozen=True):
    """Take up sending the log of an attempt that ended in an earlier life of the agent."""

    attempt: Attempt


class Remove(Effect, frozen=True):
    """Let the runtime forget the attempt."""

    key: AttemptKey
    handle: str


class Tell(Effect, frozen=True):
    """Say something passing to the controller."""

    message: Unlisted


class Node:
    """Everything the engine decides from. Only ``step`` changes it."""

    def __init__(
        self,
        *,
        boot_id: str,
        booted_at: float,
        obeyed: Obeyed,
        last_seq: int,
        keep_at_most_s: float = math.inf,
    ) -> None:
        """``booted_at`` is when this boot began, in Unix seconds; ``keep_at_most_s`` caps how
        long workspaces stay.
        """
        self.boot_id: Final = boot_id
        self.booted_at: Final = booted_at
        self.keep_at_most_s = keep_at_most_s
        self.roster: Final = Roster()
        self.dropped: Final[set[AttemptKey]] = set()
        """Attempts whose end the controller has, and that wait for their log."""
        self.deferred: Final[list[WantedCame]] = []
        """Wishes that came before the survey."""
        self.obeyed = obeyed
        self.last_seq = last_seq
        self.acked_seq = 0
        self.pruned_to = 0
        self.surveyed = False


class Turn:
    """One batch of events on its way to the disk."""

    def __init__(
        self,
        node: Node,
        seen: Callable[[set[str]], Mapping[str, int]],
        now: float,
        up_s: float | None = None,
    ) -> None:
        """``now`` is in Unix seconds, and may be set; ``up_s`` counts from the machine's boot."""
        self.node: Final = node
        self.now: Final = now
        self.up_s: Final = up_s
        self.changes: Final = Changes()
        self.effects: Final[list[Effect]] = []
        self._seen = seen

    def seen(self, orders: tuple[Order, ...]) -> Seen:
        """Return the highest attempts of these jobs, with what this very turn added."""
        here = self.node.roster
        strange = {order.uid for order in orders if not _holds(here, order)}
        highest = dict(self._seen(strange)) if strange else {}
        for touched in self.changes.touched:
            highest[touched.uid] = max(highest.get(touched.uid, 0), touched.attempt)
        return highest

    def save(self, attempt: Attempt) -> None:
        """Put the attempt into the picture and among the rows to write."""
        self.node.roster.put(attempt)
        self.changes.attempts[attempt.key] = attempt

    def forget(self, key: AttemptKey) -> None:
        """Take the attempt out of the picture and out of the ledger."""
        self.node.roster.drop(key)
        self.node.dropped.discard(key)
        self.changes.attempts[key] = None

    def touch(self, order: Order) -> None:
        """Note that this attempt of the job was here."""
        keep_s = min(order.keep_s, self.node.keep_at_most_s)
        self.changes.touched.append(Touched(order.uid, order.attempt, keep_s, self.now))

    def tell(self, fact: Fact) -> int:
        """Put the fact into the spool and return its place."""
        self.node.last_seq += 1
        self.changes.facts.append(Spooled(self.node.last_seq, fact))
        return self.node.last_seq

    def do(self, effect: Effect) -> None:
        """Do this once the turn is on disk."""
        self.effects.append(effect)


def _holds(roster: Roster, order: Order) -> bool:
    return roster.get(AttemptKey(JobUid(order.uid), order.attempt)) is not None
