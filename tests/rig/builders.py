"""Builders for the controller's values: a test names only what it is about."""

from collections.abc import Sequence
from typing import Any

from msgspec.structs import replace

from eaas.ids import CardUuid, JobNumber, JobUid, NodeName, UserName
from eaas.job_spec import read_spec
from eaas.lifecycle import JobState
from eaas.wire import from_agent as wire
from eaas.wire.rest import SetQueue
from eaas_daemon.core import events as e
from eaas_daemon.core.changes import Changes, KeyRow
from eaas_daemon.core.model import Job
from eaas_daemon.core.state import State
from eaas_daemon.core.step import step

ADMIN = e.Caller(user=UserName("root"), role="admin")
ALICE = e.Caller(user=UserName("alice"))
BOB = e.Caller(user=UserName("bob"))


def a_card(index: int, *, node: str = "n1", gib: int = 24, **but: Any) -> wire.CardReport:
    """Return a free card of that size."""
    card = wire.CardReport(
        uuid=f"GPU-{node}-{index}",
        index=index,
        model="NVIDIA GeForce RTX 3090",
        state="free",
        memory_total_mib=gib * 1024,
        memory_used_mib=1,
        utilization_pct=0,
        temperature_c=30,
        power_w=20.0,
        processes=(),
        share_mib=gib * 1024 - 512,
    )
    return replace(card, **but)


def an_inventory(
    *cards: wire.CardReport,
    runtime: Any = "docker",
    cpus: float = 64,
    memory_mib: int = 65536,
    mounts: Sequence[wire.NamedMount] = (),
    people: tuple[str, ...] | None = None,
    images: Sequence[wire.Image] = (),
    links: Sequence[wire.CardLink] = (),
) -> wire.Inventory:
    """Return what a node with these cards has."""
    return wire.Inventory(
        runtime=runtime,
        engine="Docker 20.10" if runtime == "docker" else None,
        cpus=cpus,
        memory_mib=memory_mib,
        disk_free_mib=100_000,
        cards=cards,
        named_mounts=tuple(mounts),
        images=tuple(images),
        links=tuple(links),
        people=people,
        no_ranks=None,
    )


def a_hello(node: str, inventory: wire.Inventory, **but: Any) -> wire.Hello:
    """Return the greeting of a fresh agent."""
    hello = wire.Hello(
        protocol_min=1,
        protocol_max=1,
        version="0.1.0",
        node=node,
        node_uid=f"uid-{node}",
        instance=f"instance-{node}",
        boot_id="boot",
        epoch=0,
        spool_id=f"spool-{node}",
        last_seq=0,
        inventory=inventory,
        held=(),
    )
    return replace(hello, **but)


class Memory:
    """What was stored, without a database."""

    def __init__(self) -> None:
        self.jobs: dict[JobUid, Job] = {}
        self.numbers: dict[int, JobUid] = {}
        self.keys: dict[tuple[str, str], KeyRow] = {}

    def take(self, changes: Changes) -> None:
        """Store what a step did."""
        self.jobs.update({job.uid: job for job in changes.jobs})
        self.numbers.update({job.number: job.uid for job in changes.jobs})
        self.keys.update({(row.user, row.key): row for row in changes.keys})

    def job_by_uid(self, uid: JobUid) -> Job | None:
        """Return the stored job."""
        return self.jobs.get(uid)

    def job_by_number(self, number: int) -> Job | None:
        """Return the stored job."""
        uid = self.numbers.get(number)
        return None if uid is None else self.jobs[uid]

    def find_key(self, user: str, key: str) -> KeyRow | None:
        """Return the stored idempotency key."""
        return self.keys.get((user, key))

    def ended_states(self, first: int, last: int) -> dict[int, JobState]:
        """Return how the stored jobs with these numbers ended."""
        jobs = [self.job_by_number(number) for number in range(first, last + 1)]
        return {job.number: job.state for job in jobs if job is not None and job.ended}


class House:
    """A controller's core with a clock and a memory, and nothing around it."""

    def __init__(self) -> None:
        self.memory = Memory()
        self.state = State(self.memory, epoch=1, next_number=1, seq=0)
        self.now = 1000.0
        self.seq: dict[str, int] = {}

    def do(self, *events: e.Event) -> Any:
        """Take the events in one step; return the last answer, or raise it."""
        answers = step(self.state, events, self.now)
        self.changes = self.state.changes()
        self.effects = tuple(self.state.draft.effects)
        self.memory.take(self.changes)
        self.state.forget_ended(self.changes)
        self.state.settle()
        if isinstance(answers[-1], Exception):
            raise answers[-1]
        return answers[-1]

    def pool(self, name: str = "default", *nodes: str) -> None:
        """Make a pool with these nodes in it."""
        self.do(e.CreatePool(caller=ADMIN, name=name))
        for node in nodes:
            self.do(e.AddToPool(caller=ADMIN, pool=name, node=node, cards=None))

    def queue(self, name: str, pool: str = "default", **settings: Any) -> None:
        """Make a queue, or change ``default``."""
        kind = e.ChangeQueue if name == "default" else e.CreateQueue
        self.do(kind(caller=ADMIN, pool=pool, name=name, settings=SetQueue(**settings)))

    def node(
        self, name: str, *cards: wire.CardReport, address: str | None = None, **inventory: Any
    ) -> None:
        """Let a node join, from that address."""
        hello = a_hello(name, an_inventory(*cards, **inventory))
        self.do(e.AgentSaidHello(session=f"s-{name}", address=address, hello=hello))

    def nodes(self, *names: str, cards: int = 1, pool: str | None = "default") -> None:
        """Let nodes with so many cards each join, and make a pool of them."""
        for name in names:
            self.node(name, *(a_card(index, node=name) for index in range(cards)))
        if pool is not None:
            self.pool(pool, *names)

    def ranks(self, job: Job) -> list[Job]:
        """Return all ranks of a job on several nodes as they stand now."""
        return [self.job(job.number + rank) for rank in range(job.spec.num_nodes)]

    def submit(self, caller: e.Caller = ALICE, *, force: bool = False, **fields: Any) -> Job:
        """Submit one job that runs an image."""
        spec = read_spec({"image": "busybox", "command": "true", **fields})
        jobs = self.do(e.Submit(caller=caller, specs=(spec,), force=force))
        job = jobs[0]
        assert isinstance(job, Job)
        return job

    def job(self, number: int) -> Job:
        """Return the job as it stands now, ended or not."""
        job = self.state.job_by_number(number)
        assert job is not None
        return job

    def fact(self, node: str, fact: wire.Fact) -> None:
        """Let the node's agent send one fact."""
        self.seq[node] = self.seq.get(node, 0) + 1
        facts = wire.Facts(spool_id=f"spool-{node}", facts=(wire.Spooled(self.seq[node], fact),))
        self.do(e.AgentSaidFacts(node=NodeName(node), session=f"s-{node}", facts=facts))

    def running(self, job: Job) -> Job:
        """Let the job's attempt start; return the job as it stands then."""
        attempt = job.attempts[-1]
        fact = wire.AttemptRunning(
            uid=job.uid, attempt=attempt.number, started_at=self.now, handle="c1"
        )
        self.fact(attempt.node, fact)
        return self.job(job.number)

    def begin(self) -> None:
        """Let whatever was placed run."""
        for job in list(self.state.jobs.values()):
            if job.state is JobState.STARTING:
                self.running(job)

    def told_digest(self, job: Job, digest: str) -> None:
        """Let the job's attempt start from an image of that digest."""
        fact = wire.AttemptRunning(
            uid=job.uid, attempt=1, started_at=self.now, handle="c1", image_digest=digest
        )
        self.fact(job.attempts[-1].node, fact)

    def ended(self, job: Job, exit_code: int | None = 0, **but: Any) -> Job:
        """Let the job's attempt end; return the job as it stands then."""
        attempt = job.attempts[-1]
        fact = wire.AttemptEnded(
            uid=job.uid,
            attempt=attempt.number,
            cause="exited",
            exit_code=exit_code,
            finished_at=self.now,
        )
        self.fact(attempt.node, replace(fact, **but))
        return self.job(job.number)

    def beat(self, name: str, *cards: wire.CardReport) -> None:
        """Let the node send fresh readings of these cards."""
        beat = wire.Beat(memory_used_mib=1, loop_lag_s=0.0, cards=cards, sampled_at=self.now)
        self.do(e.AgentBeat(node=NodeName(name), session=f"s-{name}", beat=beat))

    def quiet_start(self) -> None:
        """Let the grace pass that the controller gives after its own start."""
        self.do(e.Tick())
        for _ in range(30):
            self.now += 4
            self.do(e.Tick())

    def silence(self, name: str, seconds: float = 30.0) -> None:
        """Let the node's connection end and stay away that long."""
        self.do(e.AgentGone(node=NodeName(name), session=f"s-{name}", why="cut"))
        until = self.now + seconds
        while self.now < until:
            self.now += 4
            self.do(e.Tick())


def cards_of(job: Job) -> list[CardUuid]:
    """Return the UUIDs the job's newest attempt was given."""
    return [card.uuid for card in job.attempts[-1].cards]


def numbers(*values: int) -> list[JobNumber]:
    """Return job numbers."""
    return [JobNumber(value) for value in values]
