"""Both policies on the same jobs: what they must share, and where only the order differs."""

from collections.abc import Sequence
from itertools import pairwise

import pytest

from bench.simulate.fifo import fifo
from bench.simulate.product import ADMIN, POOL, interrupting, product
from bench.simulate.week import week
from bench.simulate.workload import (
    SOME_MONDAY,
    Policy,
    PoolSize,
    Run,
    Submission,
    Workload,
    fitting,
    squeezed,
)
from eaas.ids import JobNumber, PoolName
from eaas.wire.rest import SetQueue
from eaas_daemon.core import events as e

TWO_CARDS = PoolSize(nodes=1, cards=2)
BOTH = pytest.mark.parametrize("policy", [product, fifo])


def a_workload(*submissions: Submission) -> Workload:
    """Return these jobs, which must be in order, as a workload."""
    return Workload(title="by hand", submissions=submissions, begins_at=SOME_MONDAY)


def a_job(at_s: float, length_s: float, cards: int = 1, **but: object) -> Submission:
    """Return a job of ann's that promises its true length."""
    fields = {"user": "ann", "timeout_s": length_s, **but}
    return Submission(at_s=at_s, length_s=length_s, cards=cards, **fields)  # type: ignore[arg-type]


IN_THE_WAY = a_workload(
    a_job(0, 10_000), a_job(10, 5_000, cards=2), a_job(20, 3_000), a_job(16_000, 1_000, cards=0)
)
"""One card is busy until 10,000, so the second job has to wait; the third would fit beside the
first and be done before."""


def times(runs: Sequence[Run]) -> dict[int, tuple[float, float]]:
    """Return when each job began and ended."""
    return {run.of: (run.began_s, run.ended_s) for run in runs}


def test_in_fifo_nothing_overtakes_the_head_of_the_line() -> None:
    runs, refused = fifo(IN_THE_WAY, TWO_CARDS)

    assert times(runs) == {
        0: (0, 10_000),
        1: (10_002, 15_002),
        2: (15_004, 18_004),
        3: (16_000, 17_000),
    }
    assert refused == []


def test_the_products_scheduler_fills_what_the_head_of_the_line_can_not_use() -> None:
    runs, refused = product(IN_THE_WAY, TWO_CARDS)

    assert times(runs) == {
        0: (0, 10_000),
        1: (10_002, 15_002),
        2: (20, 3_020),
        3: (16_000, 17_000),
    }
    assert refused == []


@BOTH
def test_a_job_stops_at_its_timeout(policy: Policy) -> None:
    runs, _ = policy(
        a_workload(a_job(5, 100, timeout_s=60), a_job(5, 100, timeout_s=None)), TWO_CARDS
    )

    assert times(runs) == {0: (5, 65), 1: (5, 105)}


@BOTH
def test_jobs_of_no_length_give_their_cards_back_too(policy: Policy) -> None:
    jobs = [a_job(0, 0, cards=2, timeout_s=None) for _ in range(3)]

    runs, _ = policy(a_workload(*jobs), TWO_CARDS)

    assert times(runs) == {0: (0, 0), 1: (2, 2), 2: (4, 4)}


@BOTH
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_every_job_runs_once_and_no_card_twice_at_a_time(policy: Policy, seed: int) -> None:
    pool = PoolSize(nodes=3, cards=4)
    workload = week(pool, seed=seed, jobs=200, days=1)

    runs, refused = policy(workload, pool)

    assert refused == []
    assert sorted(run.of for run in runs) == list(range(200))
    held: dict[tuple[int, int], list[tuple[float, float]]] = {}
    for run in runs:
        job = workload.submissions[run.of]
        assert len({*run.cards}) == job.cards
        assert job.at_s <= run.began_s
        assert run.ended_s == run.began_s + job.ran_s
        for card in run.cards:
            held.setdefault((run.node, card), []).append((run.began_s, run.ended_s))
    assert max(len(spans) for spans in held.values()) > 1
    for spans in held.values():
        assert all(before[1] < after[0] for before, after in pairwise(sorted(spans)))


@BOTH
def test_cpus_are_not_given_twice(policy: Policy) -> None:
    pool = PoolSize(nodes=1, cards=1)
    workload = a_workload(*(a_job(0, 10, cards=0, cpus=3) for _ in range(4)))

    runs, _ = policy(workload, pool)

    assert [run.began_s for run in runs] == [0, 0, 10, 10]


def test_what_the_controller_refuses_is_told_in_its_own_words() -> None:
    runs, refused = product(a_workload(a_job(0, 10, cards=3), a_job(0, 10)), TWO_CARDS)

    assert times(runs) == {1: (0, 10)}
    assert len(refused) == 1
    assert "no node of pool default could ever run this" in refused[0]


def test_where_short_jobs_interrupt_others_what_they_interrupted_begins_anew() -> None:
    workload = a_workload(
        a_job(0, 50_000), a_job(10, 40_000), a_job(1_000, 600), a_job(45_000, 60, cards=2)
    )

    runs, refused = interrupting(workload, TWO_CARDS)

    assert refused == []
    broken_off = [(run.of, run.began_s, run.ended_s) for run in runs if not run.is_whole]
    assert broken_off == [(1, 10, 1_000), (0, 0, 45_000)]
    assert [run.of for run in runs if run.is_whole] == [2, 1, 3, 0]
    whole = {run.of: run.ended_s - run.began_s for run in runs if run.is_whole}
    assert whole == {0: 50_000, 1: 40_000, 2: 600, 3: 60}


def test_a_job_that_somebody_cancels_is_broken_off_and_gives_its_card_back() -> None:
    cancel = e.Cancel(caller=ADMIN, number=JobNumber(1))
    workload = a_workload(a_job(0, 100, cards=2), a_job(10, 50, cards=2))

    runs, _ = product(workload, TWO_CARDS, [(30.0, cancel)])

    assert [(run.of, run.is_whole) for run in runs] == [(0, False), (1, True)]
    assert times(runs) == {0: (0, 30), 1: (32, 82)}


def test_a_job_in_a_queue_that_stays_paused_never_starts() -> None:
    pause = e.ChangeQueue(
        caller=ADMIN, pool=PoolName(POOL), name="default", settings=SetQueue(paused=True)
    )

    runs, refused = product(a_workload(a_job(0, 10), a_job(50, 10)), TWO_CARDS, [(20.0, pause)])

    assert times(runs) == {0: (0, 10)}
    assert refused == []


def test_jobs_that_fit_no_node_are_left_out_and_counted() -> None:
    workload = a_workload(a_job(0, 10, cards=3), a_job(30, 10), a_job(40, 10, cpus=17))

    kept = fitting(workload, TWO_CARDS)

    assert kept.submissions == (a_job(0, 10),)
    assert kept.begins_at == SOME_MONDAY + 30
    assert kept.notes == ("left out: 2 that ask for more than a whole node",)


def test_a_workload_is_squeezed_to_the_load_that_is_wanted() -> None:
    workload = a_workload(a_job(0, 100), a_job(500, 100, cards=1))

    tighter = squeezed(workload, TWO_CARDS, 0.8)

    assert workload.load(TWO_CARDS) == pytest.approx(0.2)
    assert tighter.load(TWO_CARDS) == pytest.approx(0.8)
    assert [job.at_s for job in tighter.submissions] == [0, 125]
