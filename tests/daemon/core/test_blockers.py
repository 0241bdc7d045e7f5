from eaas_daemon.core.explain import Explainer
from tests.rig.builders import ALICE, BOB, House, a_card


def a_house() -> House:
    house = House()
    house.node("n1", *(a_card(i) for i in range(8)))
    house.pool("default", "n1")
    return house


def test_what_is_in_the_way_of_a_job_that_follows_others_is_those_of_them_that_run() -> None:
    house = a_house()
    first, beside = house.submit(gpus=1), house.submit(gpus=1)
    then = house.submit(gpus=1, after=[first.number])
    late = house.submit(gpus=1, not_before="1970-01-01T00:33:20Z")
    explainer = Explainer(house.state, house.now)

    assert [blocker.job for blocker in explainer.why(then).blockers] == [first.number]
    assert explainer.why(late).blockers == ()
    assert beside.attempts


def test_what_is_in_the_way_under_a_cap_is_what_the_cap_counts() -> None:
    house = a_house()
    house.queue("night")
    house.queue("default", max_per_user=1)
    mine, his = house.submit(ALICE), house.submit(BOB)
    elsewhere = house.submit(ALICE, queue="night")
    next_one = house.submit(ALICE)

    blockers = Explainer(house.state, house.now).why(next_one).blockers

    assert [blocker.job for blocker in blockers] == [mine.number]
    assert his.attempts
    assert elsewhere.attempts


def test_nothing_that_runs_is_in_the_way_of_a_paused_queue() -> None:
    house = a_house()
    house.submit()
    house.queue("default", paused=True)
    job = house.submit()

    assert Explainer(house.state, house.now).why(job).blockers == ()


def test_what_is_in_the_way_of_a_task_under_its_arrays_limit_is_what_runs_of_that_array() -> None:
    house = a_house()
    house.submit(gpus=1)
    first = house.submit(array="0-3%2", gpus=1)
    waiting = house.job(first.number + 3)

    why = Explainer(house.state, house.now).why(waiting)

    assert [blocker.job for blocker in why.blockers] == [first.number, first.number + 1]
    assert why.text == (
        "job 2[3] waits: array 2 may run 2 tasks at once, its own limit, and runs 2; "
        "it is number 2 in line"
    )
