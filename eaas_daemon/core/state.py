"""Everything the controller knows now, with an undo log for a step that can not be stored."""

from collections.abc import Collection, Iterator, Mapping
from typing import Any, Final

from eaas.ids import CardUuid, JobNumber, JobUid, NodeName, PoolName, UserName
from eaas.lifecycle import PLACED, JobState
from eaas.wire.from_agent import Unlisted
from eaas_daemon.core.archive import Archive
from eaas_daemon.core.aside import Aside
from eaas_daemon.core.ask import Shape
from eaas_daemon.core.booking_book import BookingBook
from eaas_daemon.core.changes import Changes, JournalRow, KeyRow, claims_of
from eaas_daemon.core.credential import Credential
from eaas_daemon.core.draft import Draft
from eaas_daemon.core.effects import Effect
from eaas_daemon.core.fit import Room
from eaas_daemon.core.groups import Groups
from eaas_daemon.core.line import Line, Order
from eaas_daemon.core.model import Job, MassLoss, Node, Phase, Pool, Queue, Reservation
from eaas_daemon.core.tally import CapPlace, Tally
from eaas_daemon.core.usage import Standing, Usage, UsageKey
from eaas_daemon.core.usual import Runs, with_run

Orphans = Mapping[tuple[str, int], tuple[Unlisted, str]]
"""Attempts by uid and number that run on a node and can't be adopted yet, and why not; agents tell
of them in every greeting."""

CLOCK_SET_S: Final = 10.0
"""An end so far ahead of its node's newest reading is from before its clock was set back."""


class State(BookingBook):
    """Jobs that have not ended, nodes, pools, queues, and the orders among them.

    Values are frozen; only the ``put_`` and ``drop_`` methods change what is in the
    dictionaries, and each of them can be undone.
    """

    def __init__(
        self,
        archive: Archive,
        *,
        epoch: int,
        next_number: int,
        seq: int,
        life: str = "",
        lives: Mapping[str, int] | None = None,
    ) -> None:
        super().__init__()
        self.archive = archive
        self.epoch = epoch
        self.life = life
        self.lives: Mapping[str, int] = {} if lives is None else lives
        """How far each earlier life of this controller came."""
        self.next_number = next_number
        self.seq = seq
        self.jobs: dict[JobUid, Job] = {}
        self.numbers: dict[JobNumber, JobUid] = {}
        self.nodes: dict[NodeName, Node] = {}
        self.pools: dict[PoolName, Pool] = {}
        self.queues: dict[str, Queue] = {}
        self.spools: dict[str, int] = {}
        self.keys: dict[tuple[UserName, str], KeyRow] = {}
        """Idempotency keys of the last while; older ones are in the store."""
        self.credentials: dict[str, Credential] = {}
        self.phases: dict[JobUid, Phase] = {}
        self.cooling: dict[CardUuid, float] = {}
        """Cards released at that time of their node's clock and not seen clean since."""
        self.line = Line()
        self.aside = Aside()
        self.arrays = Groups()
        self.placed: dict[NodeName, dict[JobUid, Job]] = {}
        self.held = Tally()
        self.usage: dict[UsageKey, Usage] = {}
        self.runs: Runs = {}
        self.standing: Standing = {}
        """How the users stood when it was last planned: by this order their jobs wait."""
        self.rooms: dict[NodeName, Room] = {}
        """What nodes have left, as far as it was worked out and has not changed since."""
        self.reservations: dict[PoolName, Reservation] = {}
        """For whom room is kept since the last plan; whoever is planned for anew goes by it."""
        self.passed: dict[JobUid, float] = {}
        """Since when those wait, between pools, who let others of their pool go first."""
        self.cap_places: dict[PoolName, tuple[CapPlace, ...]] = {}
        """For whom the rest of a cap is kept."""
        self.restless: set[PoolName] = set()
        """Pools in which any job might be placed that could not be before."""
        self.arrived: dict[PoolName, set[Shape]] = {}
        """Kinds that have joined a line since the last plan: elsewhere only these can be placed."""
        self.last_tick_at: float | None = None
        self.quiet_until = 0.0
        """Until then no silence counts."""
        self.refused: dict[str, float] = {}
        """When it was last said of an agent, by name and code, that it was turned away."""
        self.orphans: dict[NodeName, Orphans] = {}
        self.mass_loss: MassLoss | None = None
        """While it stands, silence has no consequences."""
        self.draft = Draft()

    # --- jobs

    def put_job(self, job: Job) -> None:
        """Let the job stand as given, in every index."""
        old = self.jobs.get(job.uid)
        self._undo.append(lambda: self._set_job(job.uid, old))
        self._set_job(job.uid, job)
        self.draft.jobs[job.uid] = None

    def _set_job(self, uid: JobUid, job: Job | None) -> None:
        old = self.jobs.get(uid)
        if old is not None:
            self._unindex(old)
            del self.jobs[uid]
        if job is not None:
            self.jobs[uid] = job
            self.numbers[job.number] = uid
            self._index(job)
        elif old is not None:
            self.numbers.pop(old.number, None)
        if self.reservations and old is not None and job is not None:
            self._note_other_end(old, job)

    def _note_other_end(self, old: Job, job: Job) -> None:
        """Plan anew who waits for the node of an attempt that may end at another moment now."""
        before, now = old.live_attempt, job.live_attempt
        if before is None or now is None or before.number != now.number:
            return
        is_other = (old.state, old.stop, before.started_at) != (job.state, job.stop, now.started_at)
        if is_other and any(now.node in kept.nodes for kept in self.reservations.values()):
            self.rouse_pools_of(now.node)

    def _index(self, job: Job) -> None:
        if job.array is not None:
            self.arrays.add(job.array, job.array_index or 0, job.uid)
        if job.in_line:
            self.arrived.setdefault(job.pool, set()).add(self.line.add(job))
        elif job.state is JobState.PENDING:
            self.aside.add(job)
        elif job.state in PLACED:
            self.rooms.pop(job.attempts[-1].node, None)
            self.placed.setdefault(job.attempts[-1].node, {})[job.uid] = job
            self.held.add(job)

    def _unindex(self, job: Job) -> None:
        if job.array is not None:
            self.arrays.remove(job.array, job.array_index or 0, job.uid)
        if job.in_line:
            self.line.remove(job)
            kept = self.reservations.get(job.pool)
            places = self.cap_places.get(job.pool, ())
            if (kept is not None and kept.uid == job.uid) or any(
                place.uid == job.uid for place in places
            ):
                self.restless.add(job.pool)
        elif job.state is JobState.PENDING:
            self.aside.remove(job)
            if job.promise is not None:
                self.rouse_pools_of(job.promise.node)  # what was kept for it may be others'
        elif job.state in PLACED:
            self.note_load(job.attempts[-1].node)
            self.rooms.pop(job.attempts[-1].node, None)
            del self.placed[job.attempts[-1].node][job.uid]
            self.held.remove(job)

    def forget_ended(self, changes: Changes) -> None:
        """Drop ended jobs from memory once the store has them."""
        for job in changes.jobs:
            if job.ended and self.jobs.get(job.uid) is job:
                self._set_job(job.uid, None)
                self.phases.pop(job.uid, None)

    def job(self, uid: JobUid) -> Job | None:
        """Return the job, ended or not."""
        return self.jobs.get(uid) or self.archive.job_by_uid(uid)

    def job_by_number(self, number: int) -> Job | None:
        """Return the job, ended or not."""
        uid = self.numbers.get(JobNumber(number))
        return self.jobs[uid] if uid is not None else self.archive.job_by_number(number)

    def find_key(self, user: UserName, key: str) -> KeyRow | None:
        """Return what an idempotency key stands for, if it was used."""
        return self.keys.get((user, key)) or self.archive.find_key(user, key)

    def waiting(self, ref: str) -> int:
        """Return how many jobs of the queue wait, in line or not."""
        return self.line.waiting(ref) + self.aside.waiting(ref)

    # --- nodes, pools, queues

    def put_node(self, node: Node, *, durable: bool) -> None:
        """Let the node stand as given; what is only a reading is not ``durable``."""
        old = self.nodes.get(node.name)
        self._enter(self.nodes, node.name, node)
        (self.draft.nodes if durable else self.draft.read_nodes)[node.name] = None
        if old is None or old.offer != node.offer:
            self.rooms.pop(node.name, None)
            self.rouse_pools_of(node.name)

    def rouse_pools_of(self, node: NodeName, but: Collection[PoolName] = ()) -> None:
        """Let the pools of this node be planned again, all but these."""
        its = (name for name, pool in self.pools.items() if node in pool.members)
        self.restless.update(name for name in its if name not in but)

    def drop_node(self, name: NodeName) -> None:
        """Forget the node."""
        old = self.nodes.pop(name)
        self.rooms.pop(name, None)
        self._undo.append(lambda: self._set(self.nodes, name, old))
        self.draft.gone_nodes[name] = None
        for card in old.cards:
            self.cool(CardUuid(card.uuid), None)

    def put_pool(self, pool: Pool) -> None:
        """Let the pool stand as given."""
        self._enter(self.pools, pool.name, pool)
        self.draft.pools[pool.name] = None
        self.restless.add(pool.name)

    def drop_pool(self, name: PoolName) -> None:
        """Forget the pool."""
        self._enter(self.pools, name, None)
        self.draft.gone_pools[name] = None
        self.restless.add(name)

    def put_queue(self, queue: Queue) -> None:
        """Let the queue stand as given."""
        self._enter(self.queues, queue.ref, queue)
        self.draft.queues[queue.ref] = None
        self.restless.add(queue.pool)

    def drop_queue(self, ref: str) -> None:
        """Forget the queue."""
        self._enter(self.queues, ref, None)
        self.draft.gone_queues[ref] = None

    # --- the rest

    def put_credential(self, credential: Credential) -> None:
        """Let the credential stand as given."""
        self._enter(self.credentials, credential.id, credential)
        self.draft.credentials[credential.id] = None

    def drop_credential(self, id: str) -> None:
        """Forget the credential."""
        self._enter(self.credentials, id, None)
        self.draft.gone_credentials[id] = None

    def put_mass_loss(self, loss: MassLoss | None) -> None:
        """Note that most nodes are silent at once, or that this is over."""
        self._put("mass_loss", loss)

    def put_tick(self, at: float) -> None:
        """Note when the clock had its say; what was due at a tick that is undone is due again."""
        self._put("last_tick_at", at)

    def put_clock_back(self, to: float) -> None:
        """Note that the clock had been ahead: nothing that is stored has happened later."""
        self._note(self.draft.clock_back_to, to)

    def put_orphans(self, node: NodeName, found: Orphans) -> None:
        """Let these be the attempts that run there and can't be adopted."""
        self._enter(self.orphans, node, found or None)
        self.draft.read_nodes[node] = None

    def put_refused(self, what: str, at: float) -> None:
        """Note that it is said now that an agent was turned away."""
        self._enter(self.refused, what, at)

    def number(self) -> JobNumber:
        """Take the next job number."""
        number = self.next_number
        self._put("next_number", number + 1)
        return JobNumber(number)

    def put_key(self, row: KeyRow) -> None:
        """Remember an idempotency key."""
        self._undo.append(lambda: self.keys.pop((UserName(row.user), row.key), None))
        self.keys[UserName(row.user), row.key] = row
        self._note(self.draft.keys, row)

    def put_spool(self, spool_id: str, first: int, last: int) -> None:
        """Note that these facts of that spool are taken."""
        self._enter(self.spools, spool_id, last)
        self._note(self.draft.spools, (spool_id, first, last))

    def claim(self, job: Job) -> None:
        """Note that the job's newest attempt owns its cards now."""
        self._use(job, job.attempts[-1].thousandths, job.attempts[-1].created_at)
        for row in claims_of(job):
            self._note(self.draft.claimed, row)

    def release(self, job: Job, at: float, now: float) -> None:
        """Note that the job's newest attempt owns no card any more.

        It ended ``at`` that time of its node's clock; ours says ``now``.
        """
        self._use(job, -job.attempts[-1].thousandths, now)
        node = self.nodes.get(job.attempts[-1].node)
        if node is not None and node.sampled_at is not None:  # else its clock was set back
            at = min(at, node.sampled_at + CLOCK_SET_S)
        for row in claims_of(job):
            self._note(self.draft.released, row)
            card = CardUuid(row.card)
            self.cool(card, max(at, self.cooling.get(card, at)))
        self.rouse_pools_of(job.attempts[-1].node)
        self.restless.add(job.pool)  # its queue may run one more, elsewhere too
        if job.array is not None:
            self.restless.update(self.line.pools_of_array(job.array))

    def _use(self, job: Job, more: int, at: float) -> None:
        pool = self.pools.get(job.pool)
        if more and pool is not None:
            key = job.pool, job.user
            old = self.usage.get(key, Usage())
            self.put_usage(key, old.holding(more, at, pool.half_life_s))

    def put_usage(self, key: UsageKey, usage: Usage) -> None:
        """Let this be what the user has had in the pool."""
        self._enter(self.usage, key, usage)

    def note_run(self, job: Job) -> None:
        """Remember how long the job ran, if it succeeded."""
        old = self.runs
        self._undo.append(lambda: setattr(self, "runs", old))
        self.runs = with_run(old, job)

    def put_standing(self, standing: Standing) -> None:
        """Let the users stand as given."""
        if standing != self.standing:
            self._put("standing", standing)

    def put_reservations(
        self, reservations: dict[PoolName, Reservation], passed: dict[JobUid, float]
    ) -> None:
        """Let room be kept for these jobs and no others, and these have let others go first."""
        self._put("reservations", reservations)
        self._put("passed", passed)

    def put_cap_places(self, pool: PoolName, places: tuple[CapPlace, ...]) -> None:
        """Let the rest of these caps be kept for these jobs, and of no others in the pool."""
        self._enter(self.cap_places, pool, places or None)

    def every_reservation(self) -> Iterator[Reservation]:
        """Yield for whom room is kept, over all pools."""
        return (self.reservations[name] for name in sorted(self.reservations))

    @property
    def order(self) -> Order:
        """Return what decides between waiting jobs now."""
        return Order(self.queues, self.standing)

    def cool(self, card: CardUuid, at: float | None) -> None:
        """Keep the card from being offered until it is read clean after ``at``; None ends that."""
        old = self.cooling.get(card)
        if old == at:
            return
        self._undo.append(lambda: self._set(self.cooling, card, old))
        self._set(self.cooling, card, at)
        self.rooms.clear()

    def journal(self, kind: str, text: str, at: float, **about: Any) -> None:
        """Write a line of history; ``about`` takes job, node, user and data."""
        if not self.draft.counts(kind):
            self._put("seq", self.seq + 1)
            row = JournalRow(seq=self.seq, at=at, kind=kind, text=text, **about)
            self._note(self.draft.journal, row)

    def emit(self, effect: Effect) -> None:
        """Ask for something to be done once this step is stored."""
        self._note(self.draft.effects, effect)

    # --- steps

    def undo_to(self, mark: int) -> None:
        """Take back everything since the mark."""
        if self.mark() > mark:
            self.rooms.clear()
        super().undo_to(mark)

    def changes(self) -> Changes:
        """Return what this step has changed, each thing in its last state."""
        return self.draft.changes(self)

    def settle(self) -> None:
        """End the step: what it changed can't be taken back from here on."""
        self._undo.clear()
        self.draft = Draft()
