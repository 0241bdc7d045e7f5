"""Whatever may happen to jobs on several nodes, in any order, until all is over."""

from typing import Any, Final

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from eaas.errors import EaasError
from eaas.ids import JobNumber, JobUid, NodeName
from eaas.job_spec import read_spec
from eaas.lifecycle import JobState
from eaas.wire import from_agent as wire
from eaas_daemon.core import events as e
from eaas_daemon.core.gangs import ranks_of
from eaas_daemon.core.invariants import broken
from eaas_daemon.core.model import Job
from eaas_daemon.core.step import step
from tests.rig.builders import ADMIN, ALICE, BOB, House, a_card, a_hello, an_inventory
from tests.rig.snapshot import snapshot

NODES: Final = ("n1", "n2", "n3")
CARDS: Final = 2
LAST_STEPS: Final = 400
"""So many are enough to end whatever a story has begun."""

nodes = st.sampled_from(NODES)
callers = st.sampled_from([ALICE, BOB])
picks = st.integers(0, 11)
AGAIN: Final = {"policy": "on-failure", "retries": 2, "backoff": "0s"}
restarts = st.sampled_from(["never", AGAIN, AGAIN, {**AGAIN, "backoff": "10s"}])
causes = st.sampled_from(
    ["exited", "exited", "exited", "timed_out", "start_failed", "lost", "never_started"]
)


class GangStory(RuleBasedStateMachine):
    """Three nodes with two cards each, and jobs for one, two and three of them."""

    def __init__(self) -> None:
        super().__init__()
        self.house = House()
        self.house.nodes(*NODES, cards=CARDS)
        self.house.queue("default", hold_after_s=30.0)
        self.house.quiet_start()
        self.sessions = 0
        self.wholes: list[int] = []
        self.attempts: dict[JobUid, int] = {}

    def happen(self, event: e.Event) -> None:
        """Take the event twice, with an undo between, and let what it has done be stored."""
        state, now = self.house.state, self.house.now
        before, restless = snapshot(state), set(state.restless)
        step(state, [event], now)
        state.undo_to(0)
        state.settle()
        state.restless.update(restless)
        assert snapshot(state) == before
        try:
            self.house.do(event)
        except EaasError:
            assert isinstance(event, e.Asked), "what is no person's wish can't be refused"

    # --- people

    @rule(
        caller=callers,
        num_nodes=st.integers(2, 3),
        gpus=st.integers(0, CARDS),
        restart=restarts,
        timeout=st.sampled_from(["60s", "1h"]),
        is_timed=st.booleans(),
        priority=st.integers(-1, 1),
    )
    def submit(self, caller: e.Caller, timeout: str, *, is_timed: bool, **fields: Any) -> None:
        if is_timed:
            fields["timeout"] = timeout
        self.wholes.append(self.house.state.next_number)
        self.happen(e.Submit(caller=caller, specs=(read_spec({"image": "box", **fields}),)))

    @rule(caller=callers, gpus=st.integers(1, CARDS), timeout=st.sampled_from([None, "60s"]))
    def submit_small(self, caller: e.Caller, gpus: int, timeout: str | None) -> None:
        fields = {"image": "box", "gpus": gpus} | ({"timeout": timeout} if timeout else {})
        self.happen(e.Submit(caller=caller, specs=(read_spec(fields),)))

    @rule(caller=callers, back=st.integers(0, 1))
    def submit_after(self, caller: e.Caller, back: int) -> None:
        if len(self.wholes) > back:
            spec = read_spec({"image": "box", "after": [self.wholes[-1 - back]]})
            self.happen(e.Submit(caller=caller, specs=(spec,)))

    @rule(pick=picks)
    def cancel(self, pick: int) -> None:
        if (job := self.some_rank(pick)) is not None:
            self.happen(e.Cancel(caller=ADMIN, number=job.number))

    @rule(pick=picks)
    def retry(self, pick: int) -> None:
        if self.wholes:
            number = self.wholes[-1 - pick % len(self.wholes)]
            self.happen(e.Retry(caller=ADMIN, number=JobNumber(number + pick % 2)))

    @rule(pick=picks, priority=st.integers(-2, 2))
    def set_priority(self, pick: int, priority: int) -> None:
        if (job := self.some_rank(pick)) is not None:
            self.happen(e.SetPriority(caller=ADMIN, number=job.number, priority=priority))

    # --- agents and time

    @rule(pick=picks)
    def running(self, pick: int) -> None:
        if (job := self.some_live(pick)) is not None:
            self.start(job)

    @rule(pick=picks, cause=causes, exit_code=st.integers(0, 1))
    def ended(self, pick: int, cause: Any, exit_code: int) -> None:
        if (job := self.some_live(pick)) is not None:
            self.end(job, cause, exit_code)

    @rule(node=nodes)
    def silent(self, node: str) -> None:
        if (session := self.house.state.nodes[NodeName(node)].session) is not None:
            self.happen(e.AgentGone(node=NodeName(node), session=session, why="cut"))
        for _ in range(8):
            self.time_passes(4.0)

    @rule(node=nodes)
    def back(self, node: str) -> None:
        if self.house.state.nodes[NodeName(node)].session is None:
            inventory = an_inventory(*(a_card(index, node=node) for index in range(CARDS)))
            hello = a_hello(node, inventory, spool_id=f"spool-{node}")
            self.happen(e.AgentSaidHello(session=f"s-{node}", address=None, hello=hello))

    @rule(node=nodes)
    def dead(self, node: str) -> None:
        self.happen(e.ConfirmDead(caller=ADMIN, node=NodeName(node)))

    @rule(node=nodes)
    def beat(self, node: str) -> None:
        if self.house.state.nodes[NodeName(node)].session is not None:
            cards = tuple(a_card(index, node=node) for index in range(CARDS))
            now = self.house.now + 1
            beat = wire.Beat(memory_used_mib=1, loop_lag_s=0.0, cards=cards, sampled_at=now)
            self.happen(e.AgentBeat(node=NodeName(node), session=f"s-{node}", beat=beat))

    @rule(seconds=st.sampled_from([1.0, 4.0, 15.0, 40.0]))
    def time_passes(self, seconds: float) -> None:
        self.house.now += seconds
        self.happen(e.Tick())

    def start(self, job: Job) -> None:
        """Let the agent of the job's node say that it has started, if it is there."""
        attempt = job.attempts[-1]
        about: dict[str, Any] = {"uid": job.uid, "attempt": attempt.number}
        if attempt.started_at is None and job.state is not JobState.UNKNOWN:
            fact = wire.AttemptRunning(**about, started_at=self.house.now, handle="c")
            self.tell(attempt.node, fact)

    def end(self, job: Job, cause: Any, exit_code: int) -> None:
        """Let the agent of the job's node say how it ended, if it is there."""
        attempt, now = job.attempts[-1], self.house.now
        about: dict[str, Any] = {"uid": job.uid, "attempt": attempt.number}
        if cause == "timed_out":
            self.tell(attempt.node, wire.AttemptStopping(**about, at=now))
        code = exit_code if cause == "exited" else None
        fault: Any = "node" if exit_code else "user"
        fact = wire.AttemptEnded(**about, cause=cause, exit_code=code, finished_at=now, fault=fault)
        self.tell(attempt.node, fact)

    def tell(self, node: str, fact: wire.Fact) -> None:
        """Let the node's agent send the fact, if it is connected."""
        if self.house.state.nodes[NodeName(node)].session is None:
            return
        seq = self.house.seq[node] = self.house.seq.get(node, 0) + 1
        facts = wire.Facts(spool_id=f"spool-{node}", facts=(wire.Spooled(seq, fact),))
        self.happen(e.AgentSaidFacts(node=NodeName(node), session=f"s-{node}", facts=facts))

    # --- who it is about

    def some_live(self, pick: int) -> Job | None:
        """Return a job that is placed, if there is one."""
        placed = self.house.state.placed.values()
        live = sorted((job for jobs in placed for job in jobs.values()), key=lambda job: job.number)
        return live[pick % len(live)] if live else None

    def some_rank(self, pick: int) -> Job | None:
        """Return a rank that has not ended, if there is one."""
        ranks = [job for job in self.house.state.jobs.values() if job.is_rank]
        return sorted(ranks, key=lambda job: job.number)[pick % len(ranks)] if ranks else None

    # --- what holds at every moment, and in the end

    @invariant()
    def all_is_well(self) -> None:
        assert broken(self.house.state) == []

    @invariant()
    def ranks_begin_their_attempts_together(self) -> None:
        for number in self.wholes:
            ranks = ranks_of(self.house.state, self.house.job(number))
            assert len({len(job.attempts) for job in ranks}) == 1
            assert len({job.attempts[-1].created_at for job in ranks if job.attempts}) <= 1
            assert len({(job.priority, job.ref, job.not_before) for job in ranks}) == 1 or any(
                job.ended or job.live_attempt for job in ranks
            )

    @invariant()
    def all_succeed_or_none_does(self) -> None:
        for number in self.wholes:
            ranks = ranks_of(self.house.state, self.house.job(number))
            states = {job.state for job in ranks}
            if all(job.ended for job in ranks) and len(states) > 1:
                assert states & {JobState.FAILED, JobState.CANCELLED, JobState.TIMED_OUT}
                assert any(job.reason is not None for job in ranks)

    def teardown(self) -> None:
        """Let everybody come back and everything end well: then nothing waits for ever."""
        for _ in range(LAST_STEPS):
            for node in NODES:
                self.back(node)
                self.beat(node)
            for jobs in list(self.house.state.placed.values()):
                for job in list(jobs.values()):
                    self.start(job)
                    self.end(self.house.job(job.number), "exited", 0)
            self.time_passes(4.0)
            if not self.house.state.jobs:
                return
        assert list(self.house.state.jobs.values()) == []
