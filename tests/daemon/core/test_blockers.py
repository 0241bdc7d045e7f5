from eaas.lifecycle import JobState
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


def test_nobody_is_in_the_way_on_a_node_where_the_end_of_all_would_not_help() -> None:
    house = House()
    house.node("n1", a_card(0), a_card(1))
    house.pool("default", "n1")
    house.running(house.submit(gpus=1))
    house.beat("n1", a_card(0), a_card(1, state="foreign", text="pid 7 of carol"))
    wide, narrow = house.submit(gpus=2), house.submit(gpus=1)

    told = [Explainer(house.state).why(job).blockers for job in (wide, narrow)]

    assert [[blocker.job for blocker in some] for some in told] == [[], [1]]


def test_nobody_is_in_the_way_of_a_paused_queue() -> None:
    house = House()
    house.node("n1", a_card(0))
    house.pool("default", "n1")
    house.running(house.submit(gpus=1))
    house.queue("default", max_running=1, paused=True)

    assert Explainer(house.state).why(house.submit(gpus=1)).blockers == ()


def test_who_fills_a_cap_and_who_fills_the_node_are_both_in_the_way() -> None:
    house = House()
    house.node("n1", a_card(0))
    house.node("n2", cpus=4)
    house.pool("default", "n1", "n2")
    house.queue("night", max_running=1)
    on_node = house.running(house.submit(gpus=1))
    in_queue = house.running(house.submit(queue="night", nodes=["n2"]))

    why = Explainer(house.state).why(house.submit(gpus=1, queue="night"))

    assert {blocker.job for blocker in why.blockers} == {on_node.number, in_queue.number}


def test_an_attempt_of_which_nobody_knows_ends_at_no_certain_moment() -> None:
    house = House()
    house.node("n1", a_card(0))
    house.node("n2", a_card(0, node="n2"))
    house.pool("default", "n1", "n2")
    house.queue("default", max_running=1)
    running = house.running(house.submit(gpus=1, timeout="1h", nodes=["n1"]))
    waiting = house.submit(gpus=1)
    house.quiet_start()
    house.silence("n1")
    assert house.job(running.number).state is JobState.UNKNOWN

    (blocker,) = Explainer(house.state, house.now).why(house.job(waiting.number)).blockers

    assert (blocker.job, blocker.ends_at, blocker.ends_kind) == (running.number, None, "unknown")
