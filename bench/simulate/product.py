"""The product's own scheduler in virtual time: the controller's pure core, and agents on paper.

The core gets the events that the controller's shell would give it: agents say hello and are put
into a pool, people submit, attempts run and end, a beat shows released cards clean, the clock
ticks. Nothing of the core is replaced. An agent's whole work is that a job runs for as long as its
submission says; it starts the moment it is placed, as images and containers cost nothing here.
"""

import heapq
from collections.abc import Iterator, Sequence
from itertools import count
from math import inf
from typing import Final, Literal

import msgspec

from bench.simulate.agents import Agent
from bench.simulate.workload import CLEAN_S, Decided, PoolSize, Run, Submission, Workload
from eaas.errors import EaasError
from eaas.ids import JobUid, UserName
from eaas.job_spec import JobSpec
from eaas.wire.from_agent import AttemptEnded, AttemptRunning, AttemptStopping
from eaas.wire.rest import SetQueue
from eaas_daemon.core import events as e
from eaas_daemon.core.archive import NoArchive
from eaas_daemon.core.effects import Dispatch
from eaas_daemon.core.model import Job
from eaas_daemon.core.state import State
from eaas_daemon.core.step import step

POOL: Final = "default"
SHORT: Final = "short"
SHORT_S: Final = 3600.0
ADMIN: Final = e.Caller(user=UserName("root"), role="admin")

LOOK_EVERY_S: Final = 60.0
"""How often the clock ticks while jobs wait and nothing else happens: what the passing of time
alone does to them is at most this late."""


Cause = Literal["exited", "timed_out", "stopped", "never_started"]


class Arrives(msgspec.Struct, frozen=True):
    """A job is submitted."""

    of: int


class Starts(msgspec.Struct, frozen=True):
    """An agent has its order."""

    uid: JobUid
    attempt: int


class Ends(msgspec.Struct, frozen=True):
    """An attempt is over; ``stopped`` is what the controller asked for."""

    uid: JobUid
    attempt: int
    cause: Cause


class Beats(msgspec.Struct, frozen=True):
    """A node tells how its cards are."""

    agent: Agent


class Asks(msgspec.Struct, frozen=True):
    """Somebody asks something else of the controller."""

    event: e.Asked


class Looks(msgspec.Struct, frozen=True):
    """Time has passed."""


Happening = Arrives | Starts | Ends | Beats | Asks | Looks

RANKS: Final = {kind: rank for rank, kind in enumerate((Ends, Beats, Asks, Arrives, Starts, Looks))}
"""In which order things of one moment are told."""


class Live(msgspec.Struct, frozen=True, kw_only=True):
    """An attempt that has started and not ended."""

    of: int
    attempt: int
    agent: Agent
    node: int
    cards: tuple[int, ...]
    began_s: float


def product(
    workload: Workload, pool: PoolSize, asks: Sequence[tuple[float, e.Asked]] = ()
) -> Decided:
    """Return the runs as the product's scheduler makes them, and what it refused.

    ``asks`` are things that people ask of the controller beside their jobs, at these times of the
    workload: to change a queue, to cancel a job. The jobs' numbers are their places in the
    workload, from 1.
    """
    house = _House(workload, pool)
    house.open()
    house.expect_asks(asks)
    house.go()
    return house.runs, house.refused


def interrupting(workload: Workload, pool: PoolSize) -> Decided:
    """Return the runs where jobs that promise to be short may interrupt all the others.

    Whatever is interrupted has saved nothing and begins anew: the worst that can come of it.
    """
    house = _House(workload, pool, short_s=SHORT_S)
    house.open()
    house.go()
    return house.runs, house.refused


class _House:
    """A core, its agents, and all that is still going to happen. Times are the workload's."""

    def __init__(self, workload: Workload, pool: PoolSize, *, short_s: float | None = None) -> None:
        """``short_s`` gives jobs with no longer a timeout a queue that goes first."""
        self._short_s = short_s
        self.runs: list[Run] = []
        self.refused: list[str] = []
        self._jobs = workload.submissions
        self._zero = workload.begins_at
        self._state = State(NoArchive(), epoch=1, next_number=1, seq=0)
        self._agents = [Agent(number, pool) for number in range(pool.nodes)]
        self._numbers = {agent.name: number for number, agent in enumerate(self._agents)}
        self._due: list[tuple[float, int, int, Happening]] = []
        self._serial = count()
        self._is_looking = False
        self._live: dict[JobUid, Live] = {}
        self._ordered: set[tuple[JobUid, int]] = set()
        """Attempts whose agents have had their orders."""

    def open(self) -> None:
        """Let the nodes join and be put into a pool, and know who is going to submit."""
        self._step([agent.hello() for agent in self._agents], 0.0)
        self._step([e.CreatePool(caller=ADMIN, name=POOL)], 0.0)
        for agent in self._agents:
            joins = e.AddToPool(caller=ADMIN, pool=POOL, node=agent.name, cards=None)
            self._step([joins], 0.0)
        if self._short_s is not None:
            about: dict[str, str] = {"pool": POOL}
            first, gives_way = SetQueue(priority=10), SetQueue(preemptible=True)
            self._step([e.CreateQueue(caller=ADMIN, name=SHORT, settings=first, **about)], 0.0)
            self._step(
                [e.ChangeQueue(caller=ADMIN, name="default", settings=gives_way, **about)], 0.0
            )
        for of, job in enumerate(self._jobs):
            self._expect(job.at_s, Arrives(of))

    def expect_asks(self, asks: Sequence[tuple[float, e.Asked]]) -> None:
        """Know what else is going to be asked of the controller."""
        for at_s, event in asks:
            self._expect(at_s, Asks(event))

    def go(self) -> None:
        """Let everything happen, moment by moment, until nothing is left to happen."""
        while self._due:
            now = self._due[0][0]
            what = list(self._taken(now))
            self._step(
                [e.Tick(), *(event for each in what for event in self._tell(each, now))], now
            )
            self._look_again(now)

    def _expect(self, at_s: float, what: Happening) -> None:
        heapq.heappush(self._due, (at_s, RANKS[type(what)], next(self._serial), what))

    def _taken(self, now: float) -> Iterator[Happening]:
        while self._due and self._due[0][0] == now:
            yield heapq.heappop(self._due)[-1]

    def _look_again(self, now: float) -> None:
        """Let the clock tick in a while if that can matter; at the end only backoffs do."""
        jobs = self._state.jobs
        if self._is_looking or len(jobs) == len(self._live):
            return
        at_s: float | None = now + LOOK_EVERY_S
        if not self._due:
            later = [job.not_before for job in jobs.values() if job.not_before is not None]
            at_s = max(min(later) - self._zero, now + 1) if later else None
        if at_s is not None:
            self._is_looking = True
            self._expect(at_s, Looks())

    # --- what the core is told

    def _tell(self, what: Happening, now: float) -> Iterator[e.Event]:
        if isinstance(what, Arrives):
            job = self._jobs[what.of]
            is_short = self._short_s is not None and (job.timeout_s or inf) <= self._short_s
            yield _submit(what.of, job, SHORT if is_short else "default")
        elif isinstance(what, Starts):
            yield from self._start(what, now)
        elif isinstance(what, Ends):
            yield from self._end(what, now)
        elif isinstance(what, Beats):
            yield what.agent.beats(self._zero + now)
        elif isinstance(what, Asks):
            yield what.event
        else:
            self._is_looking = False

    def _start(self, what: Starts, now: float) -> Iterator[e.Event]:
        job = self._state.jobs.get(what.uid)
        attempt = None if job is None else job.live_attempt
        if job is None or attempt is None or attempt.number != what.attempt:
            return
        node = self._numbers[attempt.node]
        agent, at = self._agents[node], self._zero + now
        if job.stop is not None:
            yield agent.says(_ended(what, "never_started", at))
            self._expect(now + CLEAN_S, Beats(agent))
            return
        cards = tuple(card.index for card in attempt.cards)
        live = Live(
            of=_of(job), attempt=what.attempt, agent=agent, node=node, cards=cards, began_s=now
        )
        self._live[job.uid] = live
        agent.hold(cards)
        wanted = self._jobs[live.of]
        cause: Cause = "exited" if wanted.ran_s == wanted.length_s else "timed_out"
        self._expect(now + wanted.ran_s, Ends(job.uid, what.attempt, cause))
        yield agent.says(
            AttemptRunning(uid=job.uid, attempt=what.attempt, started_at=at, handle="simulated")
        )

    def _end(self, what: Ends, now: float) -> Iterator[e.Event]:
        live = self._live.get(what.uid)
        if live is None or live.attempt != what.attempt:
            return
        del self._live[what.uid]
        at = self._zero + now
        yield live.agent.beats(at)  # agents beat all the time; the core knows their clocks by it
        live.agent.let_go(live.cards)
        self.runs.append(
            Run(
                of=live.of,
                node=live.node,
                cards=live.cards,
                began_s=live.began_s,
                ended_s=now,
                is_whole=what.cause != "stopped",
            )
        )
        self._expect(now + CLEAN_S, Beats(live.agent))
        if what.cause == "timed_out":
            yield live.agent.says(AttemptStopping(uid=what.uid, attempt=what.attempt, at=at))
        yield live.agent.says(_ended(what, what.cause, at))

    # --- what the core does about it

    def _step(self, events: Sequence[e.Event], now: float) -> None:
        state = self._state
        for event, answer in zip(events, step(state, events, self._zero + now), strict=True):
            if isinstance(answer, EaasError):
                if not isinstance(event, e.Submit):
                    raise answer
                self.refused.append(str(answer))
        dispatched = [effect.uid for effect in state.draft.effects if isinstance(effect, Dispatch)]
        state.forget_ended(state.changes())
        state.settle()
        for uid in dispatched:
            self._order(uid, now)

    def _order(self, uid: JobUid, now: float) -> None:
        """Let the agent see the job's order as it stands now: a new one, or one to be stopped."""
        job = self._state.jobs.get(uid)
        attempt = None if job is None else job.live_attempt
        if job is None or attempt is None:
            return
        if (uid, attempt.number) not in self._ordered:
            self._ordered.add((uid, attempt.number))
            self._expect(now, Starts(uid, attempt.number))
        elif job.stop is not None and uid in self._live:
            self._expect(now, Ends(uid, attempt.number, "stopped"))


def _submit(of: int, job: Submission, queue: str) -> e.Submit:
    spec = JobSpec(
        name=str(of),
        queue=queue,
        image="simulated",
        gpus=job.cards,
        cpus=job.cpus,
        timeout_s=job.timeout_s,
    )
    return e.Submit(caller=e.Caller(user=UserName(job.user)), specs=(spec,))


def _of(job: Job) -> int:
    """Return which submission the job is; it carries that as its name."""
    return int(job.spec.name or "")


def _ended(what: Starts | Ends, cause: Cause, at: float) -> AttemptEnded:
    exit_code = 0 if cause == "exited" else None
    return AttemptEnded(
        uid=what.uid, attempt=what.attempt, cause=cause, exit_code=exit_code, finished_at=at
    )
