"""What the scheduler promises is true, whatever has happened: thousands of random histories.

Each is made of one seed; a test that fails prints it.
"""

from collections import Counter
from collections.abc import Collection, Iterator
from random import Random

from hypothesis import given, note, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from eaas.errors import EaasError
from eaas.ids import JobUid
from eaas.lifecycle import PLACED, JobState
from eaas_daemon.core import events as e
from eaas_daemon.core.ask import shape_of
from eaas_daemon.core.dry_run import dry_run
from eaas_daemon.core.explain import Explainer
from eaas_daemon.core.fit import refusal
from eaas_daemon.core.gangs import ranks_of
from eaas_daemon.core.gates import gate
from eaas_daemon.core.invariants import broken
from eaas_daemon.core.model import Job
from eaas_daemon.core.plan import Plan, plan
from eaas_daemon.core.rooms import rooms_of
from eaas_daemon.core.state import State
from eaas_daemon.core.still import still
from tests.rig.histories import History

STEPS = 25
seeds = st.integers(0, 2**40)
many = settings(max_examples=400, deadline=None)


def story(seed: int) -> Iterator[History]:
    """Yield a history after everything that happens in it."""
    note(f"seed {seed}")
    history = History(seed)
    for _ in range(STEPS):
        what = history.happen()
        note(what)
        while history.house.state.restless:  # what is kept no longer is given in the next step
            history.house.do(e.Tick())
        yield history


# --- safety


@many
@given(seed=seeds)
def test_nothing_is_given_twice_and_no_cap_is_exceeded_when_somebody_is_placed(seed: int) -> None:
    before: set[tuple[JobUid, int]] = set()
    for history in story(seed):
        state = history.house.state
        assert broken(state) == []
        placed = {(job.uid, len(job.attempts)) for job in state.jobs.values() if job.live_attempt}
        fresh = [state.jobs[uid] for uid, _ in placed - before]
        before = placed
        for job in fresh:
            assert over_a_cap(state, job) == []


def over_a_cap(state: State, job: Job) -> list[str]:
    """Return the caps of which more is held than they allow, counted from the jobs themselves."""
    live = [other for other in state.jobs.values() if other.state in PLACED]
    queue, pool = state.queues[job.ref], state.pools[job.pool]
    mine = [other for other in live if other.ref == job.ref]
    own = [other for other in mine if other.user == job.user]
    everywhere = [x for x in live if (x.pool, x.user) == (job.pool, job.user)]
    held = {
        "max_running": (queue.max_running, len(mine)),
        "max_gpus": (queue.max_gpus, sum(x.spec.gpus for x in mine)),
        "max_per_user": (queue.max_per_user, len(own)),
        "max_gpus_per_user": (queue.max_gpus_per_user, sum(x.spec.gpus for x in own)),
        "pool": (pool.max_gpus_per_user, sum(x.spec.gpus for x in everywhere)),
    }
    if not job.spec.gpus:
        held = {name: held[name] for name in ("max_running", "max_per_user")}
    return [name for name, (cap, used) in held.items() if cap is not None and used > cap]


# --- every job has one verdict, and the same snapshot has one plan


@many
@given(seed=seeds)
def test_every_waiting_job_has_exactly_one_verdict_with_its_reason(seed: int) -> None:
    for history in story(seed):
        state = history.house.state
        explainer = Explainer(state, history.house.now)
        places: Counter[object] = Counter()
        shown = Explainer(state, history.house.now)
        for job in state.jobs.values():
            why = explainer.why(job)
            assert (why.verdict == "placed") == (job.state is not JobState.PENDING)
            if job.state is JobState.PENDING:
                assert why.reasons or why.nodes, why
                assert why.text
                assert shown.reason(job) == explainer.waiting(job).first
            if job.in_line:
                places[job.pool, why.position] += 1
        assert all(count == 1 for count in places.values())


@many
@given(seed=seeds)
def test_the_same_snapshot_gives_the_same_plan_in_whatever_order_it_was_built(seed: int) -> None:
    for history in story(seed):
        if history.random.random() < 0.8:
            continue
        twins = [still(history.house.state), shuffled(history.house.state, history.random)]
        for twin in twins:
            twin.restless.update(twin.pools)
        first, second = (plan(twin, history.house.now + 5) for twin in twins)
        assert told(first) == told(second)


def told(decided: Plan) -> tuple[object, ...]:
    placements = [(uid, node, cards) for uid, node, cards, *_ in decided.placements]
    return placements, decided.reservations


def shuffled(state: State, random: Random) -> State:
    """Return the same state as if everything in it had come in another order."""
    twin = still(state)

    def mixed(table: dict[object, object]) -> dict[object, object]:
        items = list(table.items())
        random.shuffle(items)
        return dict(items)

    for name in ("jobs", "nodes", "pools", "queues", "usage", "cooling", "reservations"):
        setattr(twin, name, mixed(getattr(twin, name)))
    twin.placed = mixed({node: mixed(jobs) for node, jobs in twin.placed.items()})  # type: ignore
    twin.pools = {
        name: replace(pool, members=mixed(pool.members))  # type: ignore[arg-type]
        for name, pool in twin.pools.items()
    }
    groups = twin.line._groups
    twin.line._groups = mixed({pool: mixed(some) for pool, some in groups.items()})  # type: ignore
    twin.rooms.clear()
    return twin


# --- what why says is true


@many
@given(seed=seeds)
def test_without_the_named_blockers_the_job_could_be_placed(seed: int) -> None:
    for history in story(seed):
        state, now = history.house.state, history.house.now
        explainer = Explainer(state, now)
        for job in history.waiting():
            why = explainer.why(job)
            if not job.in_line or not why.blockers:
                continue
            twin = without(state, {blocker.job for blocker in why.blockers})
            assert could_be_placed(twin, job), why


@many
@given(seed=seeds)
def test_where_nobody_is_named_the_end_of_all_others_would_not_let_the_job_start(
    seed: int,
) -> None:
    for history in story(seed):
        state, now = history.house.state, history.house.now
        explainer = Explainer(state, now)
        for job in history.waiting():
            if not job.in_line or explainer.why(job).blockers:
                continue
            everybody = {other.number for other in history.live()}
            if everybody and not could_be_placed(still(state), job):
                assert not could_be_placed(without(state, everybody), job), explainer.why(job)


def without(state: State, numbers: Collection[int]) -> State:
    """Return the state as it would be if these had never been placed."""
    twin = still(state)
    twin.settle()
    gone = [job for job in state.jobs.values() if job.number in numbers and job.live_attempt]
    back = {card.uuid for job in gone for card in job.attempts[-1].cards}
    for job in gone:
        twin._set_job(job.uid, None)
    for name, node in list(twin.nodes.items()):
        cards = tuple(
            replace(card, state="free")
            if card.uuid in back and card.state in ("held", "shared")
            else card
            for card in node.cards
        )
        twin.nodes[name] = replace(node, cards=cards)
    twin.rooms.clear()
    return twin


def could_be_placed(state: State, job: Job) -> bool:
    """Tell whether gates are open and enough nodes have room, whoever else waits for them."""
    shape, pool = shape_of(job), state.pools[job.pool]
    if gate(shape, state.queues[job.ref], pool, state.held) is not None:
        return False
    rooms = rooms_of(state)
    here = [rooms[name] for name in pool.members if name in rooms]
    fits = [room for room in here if refusal(room, shape.ask, pool) is None]
    return len(fits) >= shape.ask.num_nodes


# --- a dry run is what then happens


@many
@given(seed=seeds)
def test_what_a_dry_run_says_is_what_then_happens(seed: int) -> None:
    for history in story(seed):
        if history.random.random() < 0.5:
            continue
        house, spec, caller = history.house, history.spec(), history.caller()
        told = dry_run(house.state, spec, caller, house.now)
        event = e.Submit(caller=caller, specs=(spec,))
        try:
            (job,) = house.do(event)
        except EaasError:
            assert told.would == "never", told
            continue
        assert told.valid
        assert told.would == ("start" if job.attempts else "wait"), told
        if job.attempts:
            ranks = ranks_of(house.state, job) if job.is_rank else [job]
            cards = [card.uuid for rank in ranks for card in rank.attempts[-1].cards]
            assert told.node == job.attempts[-1].node
            assert [card.uuid for card in told.cards] == cards
