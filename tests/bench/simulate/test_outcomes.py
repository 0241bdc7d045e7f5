from bench.simulate import outcomes as o
from bench.simulate.workload import SOME_MONDAY, PoolSize, Run, Schedule, Submission, Workload

POOL = PoolSize(nodes=1, cards=2)


def a_schedule(*runs: Run, jobs: tuple[Submission, ...]) -> Schedule:
    """Return a schedule of these jobs on two cards."""
    workload = Workload(title="by hand", submissions=jobs, begins_at=SOME_MONDAY)
    return Schedule(policy="hand", pool=POOL, workload=workload, runs=runs, wall_s=0, cpu_s=0)


def a_job(at_s: float, length_s: float, cards: int = 1) -> Submission:
    """Return a job of ann's."""
    return Submission(user="ann", at_s=at_s, cards=cards, length_s=length_s)


def a_run(of: int, began_s: float, ended_s: float, *cards: int, is_whole: bool = True) -> Run:
    """Return a run on the only node."""
    return Run(of=of, node=0, cards=cards, began_s=began_s, ended_s=ended_s, is_whole=is_whole)


BY_HAND = a_schedule(
    a_run(0, 0, 100, 0),
    a_run(1, 102, 152, 0, 1),
    a_run(3, 160, 165),
    a_run(2, 154, 184, 0),
    jobs=(a_job(0, 100), a_job(10, 50, cards=2), a_job(20, 30), a_job(160, 5, cards=0)),
)


def test_utilisation_counts_card_seconds_until_the_last_submission() -> None:
    # 100 + 2 x 50 + the six seconds before 160, of 2 x 160
    assert o.utilisation(BY_HAND) == 206 / 320


def test_nobody_can_tell_the_utilisation_of_no_time() -> None:
    assert o.utilisation(a_schedule(a_run(0, 0, 5, 0), jobs=(a_job(0, 5),))) is None


def test_the_makespan_lasts_until_everything_is_over() -> None:
    assert o.makespan_s(BY_HAND) == 184


def test_waits_and_bounded_slowdowns_are_those_worked_out_by_hand() -> None:
    told = [(each.wait_s, each.slowdown) for each in o.outcomes(BY_HAND)]

    # the last job ran five seconds of the ten that count at least
    assert told == [(0, 1.0), (92, 142 / 50), (134, 164 / 30), (0, 1.0)]


def test_a_summary_takes_means_and_the_value_that_95_percent_do_not_exceed() -> None:
    told = o.summary(o.outcomes(BY_HAND))

    assert told == o.Summary(
        jobs=4,
        card_hours=230 / 3600,
        mean_wait_s=226 / 4,
        p95_wait_s=134,
        mean_slowdown=(1 + 142 / 50 + 164 / 30 + 1) / 4,
        p95_slowdown=164 / 30,
    )


def test_p95_leaves_one_in_twenty_above_it() -> None:
    assert o.p95(range(1, 21)) == 19
    assert o.p95(range(1, 101)) == 95
    assert o.p95([7.0]) == 7
    assert o.p95([]) is None


def test_a_job_that_was_broken_off_counts_until_the_end_of_its_last_run() -> None:
    schedule = a_schedule(
        a_run(0, 10, 40, 0, 1, is_whole=False), a_run(0, 60, 160, 0, 1), jobs=(a_job(0, 100, 2),)
    )

    (only,) = o.outcomes(schedule)

    assert (only.wait_s, only.slowdown) == (10, 1.6)
    assert o.broken_off_s(schedule) == 60


def test_a_job_that_never_started_is_starved_and_in_no_mean() -> None:
    told = o.outcomes(a_schedule(a_run(0, 5, 10, 0), jobs=(a_job(0, 5), a_job(0, 5))))

    assert [each.wait_s for each in o.starved(told)] == [None]
    assert o.summary(told).mean_wait_s == 5
    assert o.summary(o.starved(told)) == o.Summary(
        jobs=1,
        card_hours=5 / 3600,
        mean_wait_s=None,
        p95_wait_s=None,
        mean_slowdown=None,
        p95_slowdown=None,
    )


def test_a_job_is_starved_when_it_waits_far_longer_than_its_like() -> None:
    def waited(wait_s: float, cards: int) -> o.Outcome:
        return o.Outcome(job=a_job(0, 60, cards), wait_s=wait_s, slowdown=None)

    small = [waited(wait_s, 1) for wait_s in (0, 10, 20, 36_000, 36_001)]
    large = [waited(wait_s, 8) for wait_s in (7200, 7200, 144_000, 144_001)]

    # 20 x half an hour for the small ones; the large ones' own median is (7200 + 144000) / 2
    assert o.starved([*small, *large]) == [small[4]]
    assert o.starved([*large[:2], *large[:1], *large[2:]]) == [large[3]]
