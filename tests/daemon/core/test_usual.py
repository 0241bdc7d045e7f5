from eaas_daemon.core.usual import MAX_KINDS, MAX_RUNS, RunKind, Runs, kind_of, usual_s, with_run
from tests.rig.builders import House, a_card


def a_house() -> House:
    house = House()
    house.node("n1", a_card(0))
    house.pool("default", "n1")
    return house


def run(house: House, seconds: float, exit_code: int = 0, image: str = "busybox") -> None:
    """Let a job run that long."""
    job = house.running(house.submit(image=image))
    house.now += seconds
    house.ended(job, exit_code)


def test_the_usual_length_is_the_median_of_the_runs_that_succeeded() -> None:
    house = a_house()
    for seconds in (10, 90, 30):
        run(house, seconds)
    run(house, 5000, exit_code=1)
    run(house, 5000, image="alpine")

    job = house.submit()

    assert house.state.runs[kind_of(job)] == (10, 90, 30)
    assert usual_s(house.state.runs, job) == 30


def test_fewer_than_three_runs_say_nothing() -> None:
    house = a_house()
    for seconds in (10, 90):
        run(house, seconds)

    assert usual_s(house.state.runs, house.submit()) is None


def test_a_job_that_has_run_for_long_already_is_compared_with_those_that_did_too() -> None:
    house = a_house()
    for seconds in (10, 20, 30, 60, 100):
        run(house, seconds)
    job = house.submit()

    told = [usual_s(house.state.runs, job, ran_s) for ran_s in (0, 25, 60, 100)]

    assert told == [30, 60, 100, None]


def test_the_last_twenty_runs_count() -> None:
    house = a_house()
    for seconds in range(1, MAX_RUNS + 6):
        run(house, seconds)

    assert house.state.runs[kind_of(house.submit())] == tuple(range(6, MAX_RUNS + 6))


def test_a_full_memory_forgets_the_kind_that_ran_longest_ago() -> None:
    house = a_house()
    run(house, 5)
    job = house.job(1)
    runs: Runs = {
        RunKind(job.pool, job.user, f"image-{index}"): (1.0,) for index in range(MAX_KINDS)
    }

    assert list(with_run(runs, job)) == [*list(runs)[1:], kind_of(job)]


def test_what_ran_is_the_newest_in_memory() -> None:
    house = a_house()
    for image in ("one", "two", "one"):
        run(house, 5, image=image)

    assert [kind.image for kind in house.state.runs] == ["two", "one"]
