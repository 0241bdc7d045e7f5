"""Jobs interrupt each other, are cancelled, fail and go on, nodes fall silent, the controller dies:
whatever comes in whatever order, nothing is lost and nothing runs twice.
"""

import asyncio
import tempfile
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from eaas.ids import JobUid, NodeName
from eaas.lifecycle import JobState
from eaas.wire import from_agent as wire
from eaas_daemon.core import events as e
from eaas_daemon.core.invariants import broken
from eaas_daemon.core.model import Job
from eaas_daemon.core.preempt import MIN_RUN_S, ran_for
from eaas_daemon.revive import revive
from eaas_daemon.store.database import Database
from tests.rig.builders import ADMIN, ALICE, BOB, House, a_card, a_hello, an_inventory
from tests.rig.preempting import change
from tests.rig.snapshot import durable

CARDS, CPUS = 3, 6
NODES = ("n1", "n2")
picks = st.integers(0, 9)
Key = tuple[JobUid, int]


class PreemptStory(RuleBasedStateMachine):
    """One controller, two agents that obey it, and people with three queues."""

    def __init__(self) -> None:
        super().__init__()
        self.house = House()
        self.runs: dict[str, dict[Key, Job]] = {name: {} for name in NODES}
        """What the agents run, whatever the controller believes."""
        self.begun: set[Key] = set()
        self.away: set[str] = set()
        for name in NODES:
            self.hello(name)
        self.happen(e.CreatePool(caller=ADMIN, name="default"))
        for name in NODES:
            self.happen(e.AddToPool(caller=ADMIN, pool="default", node=name, cards=None))
        for queue, priority, preemptible in (
            ("night", -10, True),
            ("dusk", 0, True),
            ("u", 9, False),
        ):
            self.house.queue(queue, priority=priority, preemptible=preemptible)
            self.stored()

    # --- how things happen

    def happen(self, *events: e.Event) -> None:
        before = dict(self.house.state.jobs)
        self.house.do(*events)
        self.stored()
        self.check_stops(before)
        self.obey()

    def stored(self) -> None:
        """Do more with what a step has changed."""

    def check_stops(self, before: dict[JobUid, Job]) -> None:
        """Whoever is newly interrupted could be, and not one of them could have been spared."""
        state = self.house.state
        stopped: dict[int, list[Job]] = {}
        for job in state.jobs.values():
            old = before.get(job.uid)
            if job.stop is None or job.stop.preempted is None or (old is not None and old.stop):
                continue
            number = job.stop.preempted.job
            assert number is not None
            stopped.setdefault(number, []).append(job)
            first = state.jobs[state.numbers[number]]  # type: ignore[index]
            assert state.queues[job.ref].preemptible
            assert state.queues[job.ref].priority < state.queues[first.ref].priority
            node = state.nodes[job.attempts[-1].node]
            assert node.session is not None
            assert job.state is JobState.STOPPING
            is_young = ran_for(job, self.house.now) < MIN_RUN_S
            assert not is_young or job.attempts[-1].started_at is None
        for number, victims in stopped.items():
            first = state.jobs[state.numbers[number]]  # type: ignore[index]
            known = before.get(first.uid)
            if known is not None and known.promise is not None:
                assert known.promise.node in self.away, "for one job others are stopped once"
            assert first.promise is not None
            assert {job.attempts[-1].node for job in victims} == {first.promise.node}
            if self.is_beside_others(first):
                continue
            for spared in victims:
                assert self.lacks(first, spared), "one of them was stopped for nothing"

    def is_beside_others(self, first: Job) -> bool:
        """Tell whether others wait as urgently: what comes free by itself may be meant for them."""
        state = self.house.state
        waiting = (state.jobs[uid] for uid in state.line.in_order(first.pool, state.order))
        urgency = state.queues[first.ref].priority
        return any(state.queues[job.ref].priority >= urgency for job in waiting)

    def lacks(self, first: Job, spared: Job) -> bool:
        """Tell whether the job would not fit if that one went on, by arithmetic alone."""
        state = self.house.state
        assert first.promise is not None
        name = first.promise.node
        others = [job for job in state.aside.promised.values() if job.uid != first.uid]
        stay = [
            *(job for job in state.placed[name].values() if job.stop is None),
            *(job for job in others if job.promise and job.promise.node == name),
            spared,
        ]
        cards = CARDS - sum(job.spec.gpus for job in stay)
        cpus = CPUS - sum(job.spec.cpus or 1 for job in stay)
        return cards < first.spec.gpus or cpus < (first.spec.cpus or 1)

    def obey(self) -> None:
        """Let the agents begin what they are to run, each attempt once, each card once."""
        for name in NODES:
            for job in list(self.house.state.placed.get(NodeName(name), {}).values()):
                key = job.uid, job.attempts[-1].number
                if name in self.away or key in self.begun:
                    continue
                if job.stop is not None:
                    self.begun.add(key)
                    self.tell(job, cause="never_started")
                    continue
                if job.state is JobState.STARTING:
                    held = [
                        c.uuid for run in self.runs[name].values() for c in run.attempts[-1].cards
                    ]
                    assert not {card.uuid for card in job.attempts[-1].cards} & set(held)
                    self.begun.add(key)
                    self.runs[name][key] = job

    def tell(self, job: Job, cause: Any, exit_code: int | None = None) -> None:
        attempt = job.attempts[-1]
        fact = wire.AttemptEnded(
            uid=job.uid,
            attempt=attempt.number,
            cause=cause,
            exit_code=exit_code,
            finished_at=self.house.now,
        )
        self.facts(attempt.node, fact)

    def facts(self, node: str, fact: wire.Fact) -> None:
        seq = self.house.seq[node] = self.house.seq.get(node, 0) + 1
        facts = wire.Facts(spool_id=f"spool-{node}", facts=(wire.Spooled(seq, fact),))
        self.happen(e.AgentSaidFacts(node=NodeName(node), session=f"s-{node}", facts=facts))

    def cards(self, name: str) -> tuple[wire.CardReport, ...]:
        held = {c.uuid for run in self.runs[name].values() for c in run.attempts[-1].cards}
        read = [a_card(i, node=name) for i in range(CARDS)]
        return tuple(
            a_card(c.index, node=name, state="held") if c.uuid in held else c for c in read
        )

    def hello(self, name: str) -> None:
        hello = a_hello(name, an_inventory(*self.cards(name), cpus=CPUS), spool_id=f"spool-{name}")
        self.happen(e.AgentSaidHello(session=f"s-{name}", address=None, hello=hello))

    # --- what people do

    @rule(
        queue=st.sampled_from(["night", "dusk", "u"]),
        caller=st.sampled_from([ALICE, BOB]),
        gpus=st.integers(0, 3),
        cpus=st.sampled_from([1, 2, 4]),
    )
    def submit(self, caller: e.Caller, **fields: Any) -> None:
        before = dict(self.house.state.jobs)
        self.house.submit(caller, **fields)
        self.stored()
        self.check_stops(before)
        self.obey()

    @rule(pick=picks)
    def cancel(self, pick: int) -> None:
        jobs = sorted(self.house.state.jobs.values(), key=lambda job: -job.number)
        if jobs:
            self.happen(e.Cancel(caller=ADMIN, number=jobs[pick % len(jobs)].number))

    @rule(queue=st.sampled_from(["night", "dusk"]), preemptible=st.booleans(), paused=st.booleans())
    def change_queue(self, queue: str, preemptible: bool, paused: bool) -> None:
        self.happen(change(queue, preemptible=preemptible, paused=paused and preemptible))

    # --- what agents do

    @rule(name=st.sampled_from(NODES))
    def begins(self, name: str) -> None:
        """Let what the agent has begun run."""
        for (uid, attempt), _ in list(self.runs[name].items() if name not in self.away else ()):
            job = self.house.state.jobs.get(uid)
            if job is not None and job.state is JobState.STARTING:
                fact = wire.AttemptRunning(
                    uid=uid, attempt=attempt, started_at=self.house.now, handle="c"
                )
                self.facts(name, fact)

    @rule(name=st.sampled_from(NODES), exit_code=st.sampled_from([143, 143, 0]))
    def stops(self, name: str, exit_code: int) -> None:
        """Let the agent end what it is to stop."""
        for key in list(self.runs[name] if name not in self.away else ()):
            job = self.house.state.jobs.get(key[0])
            if job is not None and job.stop is not None and key[1] == job.attempts[-1].number:
                del self.runs[name][key]
                self.tell(job, cause="stopped", exit_code=exit_code)

    @rule(name=st.sampled_from(NODES), pick=picks, exit_code=st.sampled_from([0, 0, 1]))
    def exits(self, name: str, pick: int, exit_code: int) -> None:
        """Let something end by itself."""
        keys = list(self.runs[name] if name not in self.away else ())
        if keys:
            key = keys[pick % len(keys)]
            del self.runs[name][key]
            self.tell(self.house.state.jobs[key[0]], cause="exited", exit_code=exit_code)

    @rule(seconds=st.sampled_from([1.0, 5.0, 70.0]))
    def time_passes(self, seconds: float) -> None:
        """Let time pass, and the agents that can be heard read their cards."""
        self.house.now += seconds
        self.happen(e.Tick())
        for name in NODES:
            if name not in self.away:
                beat = wire.Beat(
                    memory_used_mib=1,
                    loop_lag_s=0.0,
                    cards=self.cards(name),
                    sampled_at=self.house.now,
                )
                self.happen(e.AgentBeat(node=NodeName(name), session=f"s-{name}", beat=beat))

    @rule(name=st.sampled_from(NODES))
    def falls_silent(self, name: str) -> None:
        if name not in self.away:
            self.away.add(name)
            self.happen(e.AgentGone(node=NodeName(name), session=f"s-{name}", why="cut"))
            for _ in range(50):
                self.house.now += 4
                self.happen(e.Tick())

    @rule(name=st.sampled_from(NODES))
    def speaks_again(self, name: str) -> None:
        if name in self.away:
            self.away.remove(name)
            self.hello(name)

    @invariant()
    def all_is_well(self) -> None:
        assert broken(self.house.state) == []

    def teardown(self) -> None:
        """At last every job comes to an end: nobody is forgotten."""
        for name in NODES:
            self.speaks_again(name)
        for queue in ("night", "dusk"):
            self.happen(change(queue, paused=False))
        for _ in range(2 * len(self.house.state.jobs) + 4):
            for name in NODES:
                self.begins(name)
                self.stops(name, 143)
            self.time_passes(5.0)
            for name in NODES:
                self.exits(name, 0, 0)
            self.time_passes(5.0)
        assert [job.number for job in self.house.state.jobs.values()] == []


class StoredPreemptStory(PreemptStory):
    """The same with a real database, out of which the controller is started anew at any moment."""

    def __init__(self) -> None:
        self.folder = tempfile.TemporaryDirectory(prefix="eaas-preempt-")
        self.runner = asyncio.Runner()
        self.database = Database(Path(self.folder.name) / "controller.db")
        self.runner.run(self.database.__aenter__())
        super().__init__()

    def stored(self) -> None:
        if not self.house.changes.empty:
            self.runner.run(self.database.commit(self.house.changes))

    @rule()
    def the_controller_dies(self) -> None:
        """Lose all that is only in memory; the agents come back with what they run."""
        loaded = self.runner.run(self.database.load())
        state = revive(loaded, self.house.memory)
        assert durable(state) == durable(self.house.state)
        self.house.state = state
        self.happen(e.Tick())
        for name in NODES:
            if name not in self.away:
                self.hello(name)

    def teardown(self) -> None:
        try:
            super().teardown()
        finally:
            self.runner.run(self.database.__aexit__(None, None, None))
            self.runner.close()
            self.folder.cleanup()


_CHECKS = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much]

TestPreemptStory = PreemptStory.TestCase
TestPreemptStory.settings = settings(
    max_examples=40, stateful_step_count=40, deadline=None, suppress_health_check=_CHECKS
)

TestStoredPreemptStory = StoredPreemptStory.TestCase
TestStoredPreemptStory.settings = settings(
    max_examples=10, stateful_step_count=30, deadline=None, suppress_health_check=_CHECKS
)
