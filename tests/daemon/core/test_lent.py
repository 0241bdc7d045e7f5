"""What is kept for a job and lent to others until its turn comes."""

from eaas.job_spec import read_spec
from eaas.lifecycle import JobState
from eaas_daemon.core import events as e
from tests.daemon.core.test_reserve import a_house, end, kept
from tests.rig.builders import ALICE, BOB
from tests.rig.idle import who_could_start

STARTING, PENDING = JobState.STARTING, JobState.PENDING


def test_what_a_start_in_time_leaves_over_is_given_to_who_was_kept_from_it() -> None:
    house = a_house(cards=4)
    first = house.submit(gpus=1, timeout="1h")
    house.running(house.submit(gpus=1, timeout="1h"))
    house.submit(gpus=3)
    beside = house.submit(gpus=1)
    assert beside.state is PENDING

    house.running(first)

    assert house.job(beside.number).state is STARTING


def test_a_promise_that_becomes_a_later_one_lets_those_go_ahead_who_are_gone_by_then() -> None:
    house = a_house(cards=3)
    house.running(house.submit(gpus=1, timeout="1m"))
    wide, short = house.submit(gpus=3), house.submit(gpus=1, timeout="10m")
    assert (wide.state, short.state) == (PENDING, PENDING)

    house.submit(gpus=1, timeout="1h", priority=5)
    house.do(e.Tick())

    assert house.job(short.number).state is STARTING


def test_who_is_lent_what_is_kept_does_not_let_others_come_first_meanwhile() -> None:
    house = a_house(nodes=2)
    house.running(house.submit(ALICE, gpus=1, timeout="2h", nodes=["n1"]))
    other = house.running(house.submit(ALICE, gpus=2, timeout="9h", nodes=["n2"]))
    house.now += 1800
    house.do(e.Tick())
    wide = house.submit(ALICE, gpus=2, nodes=["n1"])
    short = house.running(house.submit(ALICE, gpus=1, timeout="10m"))
    end(house, other)

    his = house.submit(BOB, gpus=2, nodes=["n1"])

    assert house.state.line.position(his, house.state.order) == 1
    assert short.state is JobState.RUNNING
    reservation = kept(house)
    assert reservation is not None
    assert (reservation.uid, reservation.is_firm) == (wide.uid, True)


def test_what_a_lent_card_brings_back_in_time_frees_another_that_was_kept() -> None:
    house = a_house(cards=4)
    house.running(house.submit(gpus=2, timeout="1h"))
    wide = house.submit(gpus=3)
    short, endless = (
        read_spec({"image": "busybox", "gpus": 1, **more}) for more in ({"timeout": "10m"}, {})
    )

    jobs = house.do(e.Submit(caller=ALICE, specs=(short, endless)))
    house.do(e.Tick())

    assert [house.job(job.number).state for job in (wide, *jobs)] == [PENDING, STARTING, STARTING]
    assert who_could_start(house.state, house.now) == []
