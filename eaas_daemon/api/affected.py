"""What else looks different after a step: counts of pools and queues, cards, places in line."""

from collections.abc import Iterable
from itertools import islice

from eaas.ids import CardUuid, JobUid, NodeName, PoolName
from eaas_daemon.api.booking_news import BookingNews
from eaas_daemon.core.changes import Changes
from eaas_daemon.core.explain import Explainer
from eaas_daemon.core.inventory_picture import card_standing
from eaas_daemon.core.model import Job, Node, Reservation
from eaas_daemon.core.state import State

SHOWN_IN_LINE = 200
"""How many waiting jobs of a pool are followed from step to step. Those further back keep the
place they were last shown with until they come nearer."""

CardMarks = tuple[tuple[str, str, bool], ...]


class Affected:
    """Gathers, from step to step, which pools, queues and nodes have to be drawn again."""

    def __init__(self, state: State) -> None:
        self._state = state
        self.pools: set[PoolName] = set()
        self.queues: set[str] = set()
        self.nodes: set[NodeName] = set()
        self._refs: dict[JobUid, str] = {uid: job.ref for uid, job in state.jobs.items()}
        self._marks = {name: card_marks(state, node) for name, node in state.nodes.items()}
        self._was_kept: set[tuple[NodeName, tuple[CardUuid, ...], JobUid, bool]] = set()
        self._line: dict[JobUid, tuple[int, str]] = {}
        self.booked = BookingNews(state, state.last_tick_at or 0.0)

    def note(self, changes: Changes) -> None:
        """Take in one step."""
        self._note_kept()
        self.nodes |= self.booked.nodes(changes)
        for job in changes.jobs:
            self._note_job(job)
        self.nodes.update(node.name for node in changes.nodes)
        self.nodes.update(NodeName(row.node) for row in changes.journal if row.node is not None)
        self.pools.update(pool.name for pool in changes.pools)
        self.queues.update(queue.ref for queue in changes.queues)
        if changes.pools or changes.gone_pools:
            self.nodes.update(self._state.nodes)

    def _note_kept(self) -> None:
        """Look whether cards are kept for others than before."""
        kept = {
            (node, one.cards, one.uid, one.is_firm) for one in self._kept() for node in one.nodes
        }
        self.nodes.update(node for node, *_ in kept ^ self._was_kept)
        self._was_kept = kept

    def _kept(self) -> Iterable[Reservation]:
        return self._state.every_reservation()

    def _note_job(self, job: Job) -> None:
        before = self._refs.pop(job.uid, job.ref)
        self._line.pop(job.uid, None)  # it is shown with another place than it was
        if not job.ended:
            self._refs[job.uid] = job.ref
        for ref in {before, job.ref}:
            self.queues.add(ref)
            self.pools.add(PoolName(ref.partition("/")[0]))
        if job.attempts:
            self.nodes.add(job.attempts[-1].node)

    def note_readings(self, names: Iterable[NodeName]) -> None:
        """Look whether readings have changed what a card is to the pool."""
        for name in names:
            node = self._state.nodes.get(name)
            if node is not None and card_marks(self._state, node) != self._marks.get(name):
                self.nodes.add(name)

    def take(self) -> tuple[list[Node], list[PoolName], list[str]]:
        """Return the nodes, pools and queues that are there, and begin anew."""
        state = self._state
        nodes = [state.nodes[name] for name in sorted(self.nodes) if name in state.nodes]
        for node in nodes:
            self._marks[node.name] = card_marks(state, node)
        around = {
            name
            for name, pool in state.pools.items()
            if any(member in self.nodes for member in pool.members)
        }
        pools = sorted(name for name in self.pools | around if name in state.pools)
        queues = sorted(ref for ref in self.queues if ref in state.queues)
        self.nodes, self.pools, self.queues = set(), set(), set()
        return nodes, pools, queues

    def moved_in_line(self, explainer: Explainer) -> list[Job]:
        """Return the waiting jobs whose place or reason is not what it was the last time."""
        state, line = self._state, {}
        moved: list[Job] = []
        for pool in state.pools:
            order = islice(state.line.in_order(pool, state.order), SHOWN_IN_LINE)
            for position, uid in enumerate(order, 1):
                job = state.jobs[uid]
                line[uid] = position, repr(explainer.reason(job))
                if self._line.get(uid) != line[uid]:
                    moved.append(job)
        self._line = line
        return moved


def card_marks(state: State, node: Node) -> CardMarks:
    """Return what of the node's cards counts in the pools."""
    return tuple((card.uuid, *card_standing(state, node, card)) for card in node.cards)
