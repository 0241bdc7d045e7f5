"""One turn of the agent's engine without an engine: events in, facts and effects out."""

from eaas.lives import Obeyed
from eaas.wire.from_agent import Fact
from eaas_agent.model import Attempt, Event
from eaas_agent.step import step
from eaas_agent.turn import Effect, Node, Turn


class Desk:
    """A node whose turns are taken by hand."""

    def __init__(self, *attempts: Attempt, surveyed: bool = True) -> None:
        self.node = Node(boot_id="this-boot", booted_at=1000.0, obeyed=Obeyed(epoch=1), last_seq=0)
        self.node.surveyed = surveyed
        self.seen: dict[str, int] = {}
        self.now = 2000.0
        self.up_s: float | None = None
        for attempt in attempts:
            self.node.roster.put(attempt)

    def take(self, *events: Event) -> Turn:
        """Let the events happen in one turn."""
        turn = Turn(
            self.node,
            lambda uids: {u: self.seen[u] for u in uids if u in self.seen},
            self.now,
            self.up_s,
        )
        for event in events:
            step(turn, event)
        for touched in turn.changes.touched:
            self.seen[touched.uid] = max(self.seen.get(touched.uid, 0), touched.attempt)
        return turn

    def attempt(self, uid: str, attempt: int = 1) -> Attempt | None:
        """Return the attempt as the node has it."""
        return next((a for a in self.node.roster.of_job(uid) if a.order.attempt == attempt), None)


def facts(turn: Turn) -> list[Fact]:
    """Return what the turn tells."""
    return [spooled.fact for spooled in turn.changes.facts]


def effects(turn: Turn) -> list[type[Effect]]:
    """Return what kinds of things the turn does, in order."""
    return [type(effect) for effect in turn.effects]
