from functools import partial
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from eaas.ids import NodeName
from eaas.job_spec import read_spec
from eaas.lifecycle import DEFAULT_GRACE_S, JobState
from eaas.units import utc_text
from eaas.wire import from_agent as wire
from eaas_daemon.core import events as e
from eaas_daemon.core.dry_run import dry_run
from eaas_daemon.core.ends import START_ALLOWANCE_S
from eaas_daemon.core.explain import Explainer
from eaas_daemon.core.forecast import MAX_AHEAD, MAX_LOOKS, forecast
from eaas_daemon.core.model import Job
from eaas_daemon.core.reserve import COOLING_S, LOST_S
from tests.rig.builders import ALICE, BOB, House, a_card
from tests.rig.costs import cost_s
from tests.rig.snapshot import snapshot

AFTER_S = DEFAULT_GRACE_S + COOLING_S
"""What passes after a timeout until the cards are free again."""
EACH_S = START_ALLOWANCE_S + 3600 + AFTER_S
"""What a job of an hour takes that is placed in the forecast."""


def a_house(*, cards: int = 2, nodes: int = 1) -> House:
    house = House()
    names = [f"n{i}" for i in range(1, nodes + 1)]
    for name in names:
        house.node(name, *(a_card(i, node=name) for i in range(cards)))
    house.pool("default", *names)
    house.do(e.Tick())
    return house


def eta(house: House, job: Job) -> tuple[float | None, str]:
    eta = Explainer(house.state, house.now).why(house.job(job.number)).eta
    return eta.in_s, eta.kind


def learn(house: House, *lengths: float, image: str = "busybox") -> None:
    """Let jobs of that image succeed after so long."""
    for seconds in lengths:
        job = house.running(house.submit(gpus=1, image=image))
        house.now += seconds + 1
        over(house, job)


def over(house: House, *jobs: Job) -> None:
    """Let the attempts end, and their cards be read clean in the same step."""
    told: list[e.Event] = []
    for job in jobs:
        node = job.attempts[-1].node
        house.seq[node] = house.seq.get(node, 0) + 1
        fact = wire.AttemptEnded(
            uid=job.uid,
            attempt=job.attempts[-1].number,
            cause="exited",
            exit_code=0,
            finished_at=house.now - 1,
        )
        spooled = (wire.Spooled(house.seq[node], fact),)
        facts = wire.Facts(spool_id=f"spool-{node}", facts=spooled)
        told.append(e.AgentSaidFacts(node=NodeName(node), session=f"s-{node}", facts=facts))
    for name, known in house.state.nodes.items():
        cards = tuple(replace(card, state="free") for card in known.cards)
        beat = wire.Beat(memory_used_mib=1, loop_lag_s=0.0, cards=cards, sampled_at=house.now)
        told.append(e.AgentBeat(node=name, session=f"s-{name}", beat=beat))
    house.do(*told)


def test_the_first_in_line_is_certain_and_those_behind_it_are_estimated() -> None:
    house = a_house()
    house.running(house.submit(gpus=2, timeout="1h"))
    first, second, third = (house.submit(gpus=2, timeout="1h") for _ in range(3))

    assert eta(house, first) == (3600 + AFTER_S, "certain")
    assert eta(house, second) == (3600 + AFTER_S + EACH_S, "estimate")
    assert eta(house, third) == (3600 + AFTER_S + 2 * EACH_S, "estimate")


def test_a_job_without_a_timeout_is_taken_to_run_as_long_as_its_like_usually_do() -> None:
    house = a_house()
    learn(house, 600, 900, 700)
    house.running(house.submit(gpus=2))
    house.now += 100

    assert eta(house, house.submit(gpus=2)) == (600 + COOLING_S, "estimate")


def test_nobody_can_say_when_a_job_starts_behind_one_of_which_no_end_is_known() -> None:
    house = a_house()
    learn(house, 600, 900, 700, image="alpine")
    house.running(house.submit(gpus=2))

    assert eta(house, house.submit(gpus=2)) == (None, "unknown")


def test_a_job_of_another_user_is_no_measure() -> None:
    house = a_house()
    learn(house, 600, 900, 700)
    house.running(house.submit(BOB, gpus=2))

    assert eta(house, house.submit(gpus=2)) == (None, "unknown")


def test_a_paused_queue_starts_nothing() -> None:
    house = a_house()
    house.running(house.submit(gpus=2, timeout="1h"))
    house.submit(gpus=2)
    job = house.submit(gpus=2)
    house.queue("default", paused=True)

    assert eta(house, job) == (None, "unknown")


def test_a_cap_holds_in_the_forecast_too() -> None:
    house = a_house()
    house.queue("default", max_running=1)
    house.running(house.submit(gpus=1, timeout="1h"))

    waiting = [house.submit(gpus=1, timeout="1h") for _ in range(2)]

    assert [eta(house, job) for job in waiting] == [
        (3600 + AFTER_S, "estimate"),
        (3600 + AFTER_S + EACH_S, "estimate"),
    ]


def test_a_job_that_waits_for_others_or_for_a_moment_has_a_forecast_too() -> None:
    house = a_house()
    running = house.running(house.submit(gpus=2, timeout="1h"))

    after = house.submit(gpus=1, after=[running.number])
    later = house.submit(gpus=0, not_before=utc_text(house.now + 7200))

    assert eta(house, after) == (3600 + AFTER_S, "estimate")
    assert eta(house, later) == (7200, "estimate")


def test_cards_that_their_node_calls_held_are_free_once_their_job_has_ended() -> None:
    house = a_house()
    house.running(house.submit(gpus=2, timeout="1h"))
    house.beat("n1", *(a_card(i, state="held") for i in range(2)))
    house.submit(gpus=2, timeout="1h")

    assert eta(house, house.submit(gpus=2)) == (3600 + AFTER_S + EACH_S, "estimate")


def test_cards_that_cool_are_free_in_a_moment() -> None:
    house = a_house(cards=1)
    house.ended(house.running(house.submit(gpus=1)))
    job = house.submit(gpus=1)
    assert job.state is JobState.PENDING

    assert forecast(house.state, job, house.now) == house.now + COOLING_S


def test_a_card_that_stays_dirty_after_its_release_is_no_ones() -> None:
    house = a_house(cards=1)
    house.ended(house.running(house.submit(gpus=1)))
    house.now += LOST_S + 1
    house.beat("n1", a_card(0, state="held"))
    job = house.submit(gpus=1)

    assert forecast(house.state, job, house.now) is None


def test_a_pool_that_shares_the_node_is_played_too() -> None:
    house = a_house()
    house.pool("other", "n1")
    house.running(house.submit(pool="other", gpus=2, timeout="1h"))
    house.submit(gpus=2, timeout="1h")

    job = house.submit(gpus=1)

    assert eta(house, job) == (3600 + AFTER_S + EACH_S, "estimate")


def test_what_is_asked_changes_nothing() -> None:
    house = a_house()
    house.ended(house.running(house.submit(gpus=1, timeout="1h")))
    house.running(house.submit(gpus=1, timeout="1h"))
    jobs = [house.submit(gpus=1, timeout="1h") for _ in range(3)]
    before, mark = snapshot(house.state), house.state.mark()

    assert forecast(house.state, jobs[-1], house.now) is not None

    assert (snapshot(house.state), house.state.mark()) == (before, mark)
    assert house.state.changes().empty


def test_a_trial_says_behind_how_many_it_would_wait_and_for_how_long() -> None:
    house = a_house()
    house.running(house.submit(gpus=2, timeout="1h"))
    spec = read_spec({"image": "busybox", "command": "true", "gpus": 2})

    texts = []
    for _ in range(3):
        texts.append(dry_run(house.state, spec, ALICE, house.now).text.partition(": ")[0])
        house.submit(gpus=2, timeout="30m")

    assert texts == [
        "it would wait at most 1h",
        "it would wait behind 1 job, about 1h31m",
        "it would wait behind 2 jobs, about 2h2m",
    ]


def test_a_trial_says_only_its_place_where_nobody_can_say_when() -> None:
    house = a_house()
    house.running(house.submit(gpus=2))
    house.submit(gpus=2)
    spec = read_spec({"image": "busybox", "command": "true", "gpus": 2})

    text = dry_run(house.state, spec, ALICE, house.now).text

    assert text == "it would wait behind 1 job: n1 has 0 free cards, 2 asked for"


def test_a_job_in_the_way_ends_by_estimate_where_its_like_are_known() -> None:
    house = a_house()
    learn(house, 600, 600, 600)
    running = house.running(house.submit(gpus=2))
    why = Explainer(house.state, house.now).why(house.submit(gpus=2))

    (blocker,) = why.blockers

    assert (blocker.job, blocker.ends_kind) == (running.number, "estimate")
    assert blocker.ends_at == utc_text(house.now + 600)


def test_so_many_ends_are_looked_at_and_no_more() -> None:
    house = a_house(cards=1)
    house.running(house.submit(gpus=1, timeout="1m"))
    looks = 3  # its end, the only node, and who comes next
    jobs = crowd(house, MAX_LOOKS // looks + 10, gpus=1, timeout="1m")

    assert eta(house, jobs[MAX_LOOKS // looks - 5])[1] == "estimate"
    assert eta(house, jobs[-1]) == (None, "unknown")


def test_so_many_jobs_ahead_are_looked_at_and_no_more() -> None:
    house = a_house(cards=1)
    house.queue("first", priority=1, max_running=0)
    house.running(house.submit(gpus=1, timeout="1h"))
    job = house.submit(gpus=1)
    ahead = crowd(house, MAX_AHEAD, queue="first")

    assert forecast(house.state, job, house.now) is None
    house.do(e.Cancel(caller=ALICE, number=ahead[0].number))
    assert forecast(house.state, job, house.now) == house.now + 3600 + AFTER_S


def test_a_forecast_among_ten_thousand_waiting_jobs_costs_a_tenth_of_a_second_at_most() -> None:
    house = a_house(cards=8, nodes=20)
    running = crowd(house, 160, gpus=1, timeout="1h")
    for job in running:
        house.running(job)
    jobs = [
        job
        for gpus in (1, 2, 4, 8)
        for caller in (ALICE, BOB)
        for job in crowd(house, 1250, caller, gpus=gpus, timeout=f"{gpus}h")
    ]
    explainer = Explainer(house.state, house.now)

    assert len(house.state.line.groups(jobs[0].pool)) == 8
    for job in (jobs[1], jobs[300], jobs[1000], jobs[-1]):
        assert cost_s(partial(explainer.why, job)) < 0.1


def test_a_crowd_that_could_all_start_at_once_costs_no_more_either() -> None:
    house = a_house(cards=1)
    house.running(house.submit(cpus=64, timeout="1h"))
    jobs = crowd(house, 6000, cpus=0.01)

    assert forecast(house.state, jobs[MAX_LOOKS // 2], house.now) == house.now + 3600 + AFTER_S
    assert forecast(house.state, jobs[MAX_LOOKS + 1], house.now) is None


def crowd(house: House, count: int, caller: e.Caller = ALICE, **fields: Any) -> list[Job]:
    """Submit that many jobs that are alike."""
    spec = read_spec({"image": "busybox", "command": "true", **fields})
    each = 500
    asked = [
        e.Submit(caller=caller, specs=(spec,) * min(each, count - done))
        for done in range(0, count, each)
    ]
    before = house.state.next_number
    house.do(*asked)
    return [house.job(number) for number in range(before, before + count)]


asks = st.lists(
    st.tuples(st.integers(0, 4), st.sampled_from([300, 900, 3600, 7200]), st.integers(-1, 1)),
    min_size=1,
    max_size=14,
)


@settings(max_examples=150, deadline=None)
@given(asks=asks, nodes=st.integers(1, 2))
def test_a_job_starts_when_it_was_forecast_if_every_job_takes_the_time_it_has(
    asks: list[tuple[int, int, int]], nodes: int
) -> None:
    house = a_house(cards=4, nodes=nodes)
    for gpus, timeout_s, priority in asks:
        house.submit(gpus=gpus, cpus=16, timeout=f"{timeout_s}s", priority=priority)
    waiting = [job for job in house.state.jobs.values() if job.state is JobState.PENDING]
    told = {job.number: forecast(house.state, job, house.now) for job in waiting}

    ends: dict[int, float] = {}
    while waiting:
        for job in house.state.jobs.values():
            if job.attempts and job.number not in ends:
                assert job.timeout_s is not None
                ends[job.number] = house.now + START_ALLOWANCE_S + job.timeout_s + AFTER_S
        house.now = min(ends[job.number] for job in house.state.jobs.values() if job.attempts)
        over(house, *(j for j in house.state.jobs.values() if ends.get(j.number) == house.now))
        for job in list(waiting):
            if house.job(job.number).attempts:
                waiting.remove(job)
                assert told[job.number] == pytest.approx(house.now)
