from msgspec.structs import replace

from eaas.ids import JobNumber, JobUid, NodeName
from eaas.lifecycle import JobState
from eaas_daemon.core.invariants import broken
from eaas_daemon.core.model import Job
from tests.rig.builders import House, a_card


def a_house() -> tuple[House, Job]:
    house = House()
    house.node("n1", a_card(0), cpus=2)
    house.pool("default", "n1")
    return house, house.submit(gpus=1)


def test_a_sound_state_has_nothing_broken() -> None:
    house, _ = a_house()
    house.submit(gpus=1)

    assert broken(house.state) == []


def test_a_card_held_twice_and_cpus_given_twice_are_named() -> None:
    house, job = a_house()
    twice = replace(job, uid=JobUid("twin"), number=JobNumber(9), spec=replace(job.spec, cpus=2.0))
    house.state.put_job(twice)

    assert broken(house.state) == [
        "card GPU-n1-0 of n1 is held 2 times",
        "n1 has given away more CPUs than it has",
        "alice is said to use 1 cards of default and holds 2",
    ]


def test_a_job_with_too_few_cards_is_named() -> None:
    house, job = a_house()
    house.state.put_job(replace(job, spec=replace(job.spec, gpus=2)))

    assert broken(house.state) == ["job 1 asked for 2 cards and holds another number"]


def test_jobs_on_an_unknown_node_are_named() -> None:
    house, _ = a_house()
    del house.state.nodes[NodeName("n1")]

    assert broken(house.state) == ["jobs are placed on n1, which is not known"]


def test_indexes_that_disagree_with_the_jobs_are_named() -> None:
    house, job = a_house()
    ended = replace(job, state=JobState.FAILED)
    waiting = replace(job, state=JobState.PENDING, uid=JobUid("other"), number=JobNumber(2))
    house.state.jobs = {ended.uid: ended, waiting.uid: waiting}

    assert broken(house.state) == [
        "job 2 is Pending and its place in line disagrees",
        "n1 counts job 1, which owns nothing there",
        "what queues and users are said to hold is not what their jobs hold",
        "alice is said to use 1 cards of default and holds 0",
    ]


def test_attempts_with_a_gap_are_named() -> None:
    house, job = a_house()
    house.state.put_job(replace(job, attempts=(replace(job.attempts[0], number=2),)))

    assert broken(house.state) == ["the attempts of job 1 are not numbered from 1 without gaps"]
