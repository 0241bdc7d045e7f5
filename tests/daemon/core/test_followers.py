import pytest

from eaas.errors import Invalid
from eaas.lifecycle import JobState
from eaas_daemon.core import events as e
from eaas_daemon.core.explain import Explainer
from eaas_daemon.core.followers import standing
from eaas_daemon.core.invariants import broken
from tests.rig.builders import ALICE, House


@pytest.fixture
def house() -> House:
    """A pool in which array 1 has three tasks, all of them on their way."""
    house = House()
    house.node("n1")
    house.pool("default", "n1")
    house.submit(array="0-2")
    return house


def end(house: House, number: int, exit_code: int = 0) -> None:
    house.ended(house.running(house.job(number)), exit_code=exit_code)
    assert not broken(house.state)


def why(house: House, number: int) -> str:
    return Explainer(house.state, house.now).why(house.job(number)).text


def test_who_follows_an_array_starts_when_the_last_of_its_tasks_has_succeeded(
    house: House,
) -> None:
    behind = house.submit(after=[1])
    assert behind.waits_for == (1,)

    for number in (1, 3):
        end(house, number)
        assert house.job(behind.number).state is JobState.PENDING
    assert why(house, behind.number) == "job 4 waits: starts after job 1 has succeeded"
    end(house, 2)

    assert house.job(behind.number).state is JobState.STARTING


def test_who_follows_one_task_alone_starts_when_that_has_succeeded(house: House) -> None:
    first, second = house.submit(after=["1[0]"]), house.submit(after=["1[1]"])
    assert (first.waits_for, second.waits_for) == ((1,), (2,))
    assert why(house, second.number) == "job 5 waits: starts after job 1[1] has succeeded"

    end(house, 1)

    assert house.job(first.number).state is JobState.STARTING
    assert house.job(second.number).state is JobState.PENDING


def test_who_follows_an_array_fails_as_soon_as_a_task_does(house: House) -> None:
    behind = house.submit(after=[1])

    end(house, 2, exit_code=1)

    reason = house.job(behind.number).reason
    assert house.job(behind.number).state is JobState.FAILED
    assert getattr(reason, "called", None) == "1[1]"
    with pytest.raises(Invalid, match=r"job 1\[1\] is Failed, so this could never start"):
        house.submit(after=[1])


def test_who_waits_for_an_array_to_be_tried_again_starts_when_it_has_succeeded_then(
    house: House,
) -> None:
    behind = house.submit(after=[1], after_failed="wait")
    end(house, 2, exit_code=1)
    end(house, 1)
    end(house, 3)
    assert why(house, behind.number) == (
        "job 4 waits: job 1[1], which it was to start after, is Failed"
    )

    house.do(e.Retry(caller=ALICE, number=house.job(2).number))
    end(house, 2)

    assert house.job(behind.number).state is JobState.STARTING


def test_an_array_that_has_succeeded_is_waited_for_by_nobody(house: House) -> None:
    for number in (1, 2, 3):
        end(house, number)

    assert standing(house.state, house.job(1)) == (True, None)
    assert house.submit(after=[1]).waits_for == ()


def test_what_runs_of_an_array_is_in_the_way_of_who_follows_it(house: House) -> None:
    behind = house.submit(after=[1])

    blockers = Explainer(house.state, house.now).why(behind).blockers

    assert [one.job for one in blockers] == [1, 2, 3]
