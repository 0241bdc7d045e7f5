"""Whatever may happen to a controller, in any order: what the story tests are made of."""

from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule
from msgspec.structs import replace

from eaas.errors import EaasError
from eaas.ids import JobNumber, JobUid, NodeName, PoolName
from eaas.job_spec import read_spec
from eaas.lifecycle import JobState
from eaas.wire import from_agent as wire
from eaas.wire.logs import LogEnd
from eaas.wire.rest import SetPool, SetQueue
from eaas_daemon.core import events as e
from eaas_daemon.core.changes import Changes
from eaas_daemon.core.invariants import broken
from eaas_daemon.core.model import Attempt, Job
from eaas_daemon.core.step import step
from tests.rig.builders import ADMIN, ALICE, BOB, House, a_card, a_hello, an_inventory
from tests.rig.idle import who_could_start
from tests.rig.snapshot import snapshot

NODES = ("n1", "n2")
CARDS = 2

nodes = st.sampled_from(NODES)
callers = st.sampled_from([ALICE, BOB, ADMIN])
queues = st.sampled_from(["default", "night"])
picks = st.integers(0, 7)
switches = st.booleans()
limits = st.sampled_from([None, None, 0, 1, 2])
half_lives = st.sampled_from([60.0, 86400.0])
rarely = st.sampled_from([False, False, False, True])
causes = st.sampled_from(
    ["exited", "exited", "stopped", "timed_out", "start_failed", "lost", "never_started"]
)
restarts = st.sampled_from(
    ["never", "on-failure", {"policy": "on-failure", "retries": 2, "backoff": "0s"}]
)


class Story(RuleBasedStateMachine):
    """People, agents and the clock do things to one controller, alone or several in one step."""

    def __init__(self) -> None:
        super().__init__()
        self.house = House()
        self.sessions = {name: f"{name}-0" for name in NODES}
        self.hellos = 0
        self.seq = dict.fromkeys(NODES, 0)
        self.said: list[e.AgentSaidFacts] = []
        self.batch: list[e.Event] | None = None
        self.attempts: dict[JobUid, tuple[Attempt, ...]] = {}
        for name in NODES:
            self.hello(name, fresh=False)
        self.happen(e.CreatePool(caller=ADMIN, name="default"))
        night = SetQueue(priority=-1, preemptible=True)
        self.happen(e.CreateQueue(caller=ADMIN, pool="default", name="night", settings=night))
        for name in NODES:
            self.happen(e.AddToPool(caller=ADMIN, pool="default", node=name, cards=None))

    # --- how things happen

    def happen(self, event: e.Event) -> None:
        """Take the event in a step of its own, or with others when a batch is open."""
        if self.batch is None:
            self.step_with(event)
            return
        self.batch.append(event)
        if len(self.batch) == 3:
            batch, self.batch = self.batch, None
            self.step_with(*batch)

    def step_with(self, *events: e.Event) -> None:
        """Take the events twice, with an undo between, and check what must hold."""
        state, now = self.house.state, self.house.now
        before, restless = snapshot(state), set(state.restless)
        step(state, events, now)
        state.undo_to(0)
        state.settle()
        state.restless.update(restless)
        assert snapshot(state) == before
        answers = step(state, events, now)
        for event, answer in zip(events, answers, strict=True):
            if not isinstance(event, e.Asked):
                assert not isinstance(answer, EaasError), (event, answer)
        changes = state.changes()
        self.house.memory.take(changes)
        self.stored(changes)
        self.check_attempts(changes)
        state.forget_ended(changes)
        state.settle()
        if state.restless:  # something is kept no longer: the next step lets others have it
            self.step_with()

    def stored(self, changes: Changes) -> None:
        """Do more with what a step has changed."""

    def check_attempts(self, changes: Changes) -> None:
        """Attempts only grow, and one that has ended stays as it ended."""
        for job in changes.jobs:
            before = self.attempts.get(job.uid, ())
            assert len(job.attempts) >= len(before)
            for old, new in zip(before, job.attempts, strict=False):
                if old.finished_at is not None:
                    assert (old.state, old.exit_code) == (new.state, new.exit_code)
            self.attempts[job.uid] = job.attempts
            if job.ended:
                assert job.finished_at is not None
                assert job.live_attempt is None

    @invariant()
    def all_is_well(self) -> None:
        assert broken(self.house.state) == []

    @invariant()
    def nobody_waits_who_could_start(self) -> None:
        if self.batch is not None:
            return  # time has passed of which the controller has not been told yet
        assert who_could_start(self.house.state, self.house.now) == []

    @invariant()
    def nobody_waits_for_what_is_over(self) -> None:
        state = self.house.state
        for job in map(state.jobs.__getitem__, state.aside):
            is_held_back = job.promise is not None or job.is_rank
            assert job.waits_for or job.not_before is not None or is_held_back
            for number in job.waits_for:
                first = state.job_by_number(number)
                assert first is not None
                assert first.state is not JobState.SUCCEEDED
                assert not first.ended or job.spec.after_failed == "wait"

    def number(self, pick: int) -> JobNumber:
        """Return some number; the newest jobs are the likeliest."""
        return JobNumber(max(1, self.house.state.next_number - pick))

    def some_job(self, pick: int) -> Job | None:
        """Return a job that is placed, if there is one, or any."""
        state = self.house.state
        live = sorted(job.number for jobs in state.placed.values() for job in jobs.values())
        number = live[pick % len(live)] if live and pick else self.number(pick)
        return state.job_by_number(number)

    # --- people

    @rule()
    @precondition(lambda self: self.batch is None)
    def several_at_once(self) -> None:
        self.batch = []

    @rule(
        caller=callers,
        gpus=st.integers(0, 3),
        cpus=st.sampled_from([1, 2, 9]),
        priority=st.integers(-2, 2),
        queue=queues,
        restart=restarts,
        only=st.sampled_from([None, "n1"]),
    )
    def submit(self, caller: e.Caller, only: str | None, **fields: Any) -> None:
        fields["nodes"] = [only] if only in self.house.state.nodes else []
        spec = read_spec({"image": "busybox", **fields})
        self.happen(e.Submit(caller=caller, specs=(spec, spec), force=True))

    @rule(
        caller=callers,
        gib=st.sampled_from([1, 5, 5, 11, 12, 20, 24]),
        cpus=st.sampled_from([1, 2]),
        priority=st.integers(-2, 2),
        queue=queues,
        timeout=st.sampled_from([None, "1m", "1h"]),
        restart=restarts,
    )
    def submit_shares(self, caller: e.Caller, gib: int, **fields: Any) -> None:
        """Submit two jobs that take a part of a card's memory each."""
        typed = {"image": "busybox", "gpus": 1, "share": True, "gpu_memory": f"{gib}GiB"}
        typed |= {key: value for key, value in fields.items() if value is not None}
        spec = read_spec(typed)
        self.happen(e.Submit(caller=caller, specs=(spec, spec), force=True))

    @rule(
        caller=callers,
        gpus=st.integers(0, 2),
        restart=restarts,
        timeout=st.sampled_from(["60s", "1h"]),
    )
    def submit_on_both_nodes(self, caller: e.Caller, **fields: Any) -> None:
        spec = read_spec({"image": "busybox", "num_nodes": len(NODES), **fields})
        self.happen(e.Submit(caller=caller, specs=(spec,), force=True))

    @rule(
        caller=callers,
        after=st.lists(picks, min_size=1, max_size=3),
        after_failed=st.sampled_from(["fail", "wait"]),
        restart=restarts,
        in_s=st.sampled_from([None, None, -5.0, 3.0, 100.0]),
    )
    def submit_after(
        self, caller: e.Caller, after: list[int], in_s: float | None, **fields: Any
    ) -> None:
        """Submit a job that is to follow others, and perhaps not at once."""
        found = [job.number for pick in after if (job := self.some_job(pick)) is not None]
        fields["after"] = sorted(set(found))
        spec = read_spec({"image": "busybox", **fields})
        spec = replace(spec, not_before=None if in_s is None else self.house.now + in_s)
        self.happen(e.Submit(caller=caller, specs=(spec,), force=True))

    @rule(
        pick=picks,
        after_failed=st.sampled_from(["fail", "wait"]),
        restart=restarts,
        exit_code=st.sampled_from([0, 0, 1]),
    )
    def end_with_another_behind(self, pick: int, exit_code: int, **fields: Any) -> None:
        self.submit_after(ALICE, [pick], None, **fields)
        self.about(pick, 0, cause="exited", exit_code=exit_code)

    @rule(queue=queues, jobs=limits, cards=limits, of_user=limits, half_life_s=half_lives)
    def cap_users(
        self, queue: str, jobs: int | None, cards: int | None, of_user: int | None, **pool: float
    ) -> None:
        about: dict[str, Any] = {"caller": ADMIN, "name": "default"}
        caps = SetQueue(max_per_user=jobs, max_gpus=cards, max_gpus_per_user=of_user)
        self.happen(e.ChangeQueue(**{**about, "name": queue, "pool": "default"}, settings=caps))
        self.happen(e.ChangePool(**about, settings=SetPool(max_gpus_per_user=of_user, **pool)))

    @rule(pick=picks, caller=callers, grace_s=st.sampled_from([None, 0.0, 5.0, 20.0, -1.0]))
    def cancel(self, pick: int, caller: e.Caller, grace_s: float | None) -> None:
        job = self.some_job(pick)
        number = self.number(pick) if job is None else job.number
        self.happen(e.Cancel(caller=caller, number=number, grace_s=grace_s))

    @rule(pick=picks)
    def retry(self, pick: int) -> None:
        self.happen(e.Retry(caller=ADMIN, number=self.number(pick)))

    @rule(pick=picks, priority=st.integers(-101, 101))
    def set_priority(self, pick: int, priority: int) -> None:
        self.happen(e.SetPriority(caller=ADMIN, number=self.number(pick), priority=priority))

    @rule(pick=picks, queue=queues)
    def move_or_top(self, pick: int, queue: str) -> None:
        number = self.number(pick)
        self.happen(e.PutOnTop(caller=ADMIN, number=number))
        self.happen(e.Move(caller=ADMIN, number=number, pool=PoolName("default"), queue=queue))

    @rule(pick=picks, for_s=st.sampled_from([-1.0, 0.0, 1e6, 1e300]))
    def keep(self, pick: int, for_s: float) -> None:
        self.happen(e.Keep(caller=ADMIN, number=self.number(pick), for_s=for_s))

    @rule(
        queue=queues,
        paused=rarely,
        limit=st.sampled_from([None, None, None, 0, 1, 3]),
        priority=st.sampled_from([0, 1, 3]),
        preemptible=switches,
    )
    def change_queue(
        self, queue: str, paused: bool, limit: int | None, priority: int, preemptible: bool
    ) -> None:
        settings = SetQueue(
            paused=paused, max_running=limit, priority=priority, preemptible=preemptible
        )
        self.happen(e.ChangeQueue(caller=ADMIN, pool="default", name=queue, settings=settings))

    @rule(what=st.sampled_from(["queue", "pool", "n1", "n2", "dead n1", "dead n2"]))
    def tidy_up(self, what: str) -> None:
        """Delete a queue, the pool or a node, or confirm that a node is dead."""
        about: dict[str, Any] = {"caller": ADMIN, "pool": "default", "name": "night"}
        if what == "queue":
            self.happen(e.DeleteQueue(**about))
            self.happen(e.CreateQueue(**about, settings=SetQueue()))
        elif what == "pool":
            self.happen(e.DeletePool(caller=ADMIN, name="default"))
            self.happen(e.CreatePool(caller=ADMIN, name="default"))
            self.happen(e.CreateQueue(**about, settings=SetQueue()))
        elif what.startswith("dead "):
            self.happen(e.ConfirmDead(caller=ADMIN, node=what.removeprefix("dead ")))
        else:
            self.happen(e.RemoveNode(caller=ADMIN, node=what))

    @rule(node=nodes, cards=st.sampled_from([None, ("0",), ("0", "1", "0")]), out=rarely)
    def change_pool(self, node: str, cards: tuple[str, ...] | None, out: bool) -> None:
        if not out:
            self.happen(e.AddToPool(caller=ADMIN, pool="default", node=node, cards=cards))
        else:
            self.happen(e.RemoveFromPool(caller=ADMIN, pool="default", node=node))

    @rule(node=nodes, draining=rarely, excluded=rarely)
    def hold_back(self, node: str, draining: bool, excluded: bool) -> None:
        self.happen(e.SetDraining(caller=ADMIN, node=node, draining=draining))
        self.happen(e.SetExcluded(caller=ADMIN, node=node, card="1", excluded=excluded))

    # --- agents and time

    @rule(node=nodes, fresh=st.sampled_from([False, False, True]))
    def hello(self, node: str, fresh: bool) -> None:
        """Let the agent connect again, or a new one under the same name."""
        self.hellos += 1
        session = f"{node}-{self.hellos}"
        cards = (a_card(i, node=node) for i in range(CARDS))
        hello = a_hello(node, an_inventory(*cards, cpus=8), spool_id=f"spool-{node}")
        if fresh:
            hello = replace(hello, node_uid=f"other-{node}", instance=f"other-{node}")
        self.happen(e.AgentSaidHello(session=session, address=None, hello=hello))
        if (known := self.house.state.nodes.get(NodeName(node))) and known.session:
            self.sessions[node] = known.session

    @rule(node=nodes)
    def gone(self, node: str) -> None:
        self.happen(e.AgentGone(node=NodeName(node), session=self.sessions[node], why="cut"))

    def tell(self, node: str, fact: wire.Fact) -> None:
        """Let the node's agent send the fact."""
        self.seq[node] += 1
        facts = wire.Facts(spool_id=f"spool-{node}", facts=(wire.Spooled(self.seq[node], fact),))
        event = e.AgentSaidFacts(node=NodeName(node), session=self.sessions[node], facts=facts)
        self.said.append(event)
        self.happen(event)

    @rule(
        pick=picks,
        back=st.sampled_from([0, 0, 0, 1, -1]),
        cause=causes,
        exit_code=st.sampled_from([0, 1]),
    )
    def ended(self, pick: int, back: int, cause: Any, exit_code: int) -> None:
        """End an attempt that runs, has ended already, or never was."""
        self.about(pick, back, cause=cause, exit_code=exit_code)

    @rule(pick=picks, back=st.sampled_from([0, 0, 0, 1]))
    def running(self, pick: int, back: int) -> None:
        self.about(pick, back, cause=None, exit_code=0)

    def about(self, pick: int, back: int, *, cause: Any, exit_code: int) -> None:
        """Let the job's node say something about one of its attempts."""
        job = self.some_job(pick)
        if job is None or not job.attempts:
            return
        node, now = job.attempts[-1].node, self.house.now
        about: dict[str, Any] = {"uid": job.uid, "attempt": len(job.attempts) - back}
        if cause is None:
            self.tell(node, wire.AttemptRunning(**about, started_at=now, handle="c"))
            return
        if cause == "timed_out":
            self.tell(node, wire.AttemptStopping(**about, at=now))
        code = exit_code if cause == "exited" else None
        fault: Any = "node" if exit_code else "user"
        fact = wire.AttemptEnded(**about, cause=cause, exit_code=code, finished_at=now, fault=fault)
        self.tell(node, fact)

    @rule(pick=picks)
    @precondition(lambda self: self.said)
    def say_again(self, pick: int) -> None:
        event = self.said[-1 - pick % len(self.said)]
        self.happen(replace(event, session=self.sessions[event.node]))

    @rule(pick=picks, workspace=switches)
    def log_or_workspace_over(self, pick: int, workspace: bool) -> None:
        job = self.house.state.job_by_number(self.number(pick))
        if job is None or not job.attempts:
            return
        if workspace:
            fact = wire.WorkspaceGone(uid=job.uid, at=self.house.now, why="expired")
            self.tell(job.attempts[-1].node, fact)
        else:
            end = LogEnd(uid=job.uid, attempt=1, stdout_bytes=3, stderr_bytes=0)
            self.happen(e.LogFinished(end=end))

    @rule(node=nodes, states=st.tuples(*[st.sampled_from(["free", "free", "foreign"])] * CARDS))
    def beat(self, node: str, states: tuple[Any, ...]) -> None:
        cards = tuple(a_card(i, node=node, state=state) for i, state in enumerate(states))
        beat = wire.Beat(memory_used_mib=1, loop_lag_s=0.0, cards=cards, sampled_at=self.house.now)
        session = self.sessions[node]
        self.happen(e.AgentBeat(node=NodeName(node), session=session, beat=beat))

    @rule(seconds=st.sampled_from([1.0, 4.0, 30.0, 130.0, -60.0]))
    def time_passes(self, seconds: float) -> None:
        self.house.now += seconds
        self.happen(e.Tick())

    @rule()
    def a_quiet_while(self) -> None:
        """Tick for long enough that a silent node goes offline."""
        for _ in range(40):
            self.house.now += 4.0
            self.happen(e.Tick())
