"""Turns of pools that share nodes: none of them can keep the others from a node for ever.

Pools have no order among each other; that one is next whose next job has waited longest. Within a
pool an urgent job may take what is kept for another, and while such jobs come without end the other
would keep the node for its pool though it never gets it. So who lets others of its pool go first
counts, between pools, as waiting only since they have.
"""

from collections.abc import Collection, Iterator

from eaas.ids import JobUid, NodeName
from eaas_daemon.core.model import Job, Pool
from eaas_daemon.core.state import State


class Turns:
    """Since when jobs wait, as it counts between pools."""

    def __init__(self, state: State) -> None:
        self._state = state
        self.passed = dict(state.passed)
        """Since when those wait who let others go before them (Unix seconds)."""

    def since(self, job: Job) -> float:
        """Return since when it waits."""
        return max(job.since, self.passed.get(job.uid, job.since))

    def pass_by(self, job: Job, uid: JobUid) -> None:
        """Note that the job was let go first by the one of that uid, which is of the same pool."""
        self.passed[uid] = max(self.since(self._state.jobs[uid]), self.since(job))

    def others(self, pool: Pool, nodes: Collection[NodeName]) -> Iterator[Pool]:
        """Yield the other pools in which somebody waits who might want one of the nodes."""
        for name in sorted(self._state.pools.keys() - {pool.name}):
            other = self._state.pools[name]
            if self._state.line.groups(name) and not other.members.keys().isdisjoint(nodes):
                yield other

    def still(self, placed: Collection[JobUid]) -> dict[JobUid, float]:
        """Return what is to be remembered: of those who wait on once these are placed."""
        jobs = self._state.jobs
        return {
            uid: at
            for uid, at in self.passed.items()
            if uid in jobs and jobs[uid].in_line and uid not in placed
        }
