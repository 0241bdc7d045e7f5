import json

import pytest

from eaas.cli.arrays import done_line, open_numbers
from tests.eaas.cli.conftest import Type
from tests.rig.arrays import a_task, an_array, done
from tests.rig.stand_in import StandIn, a_job


@pytest.fixture
def with_array(controller: StandIn) -> StandIn:
    """A controller with array 42, eight tasks of which run."""
    controller.jobs[42] = a_task(42, 0, "Running")
    controller.answers["GET /api/v1/jobs/42/array"] = an_array(
        ("42[0-7]", 8, "Running"), ("42[8-99]", 92, "Pending")
    )
    return controller


def test_an_array_is_shown_as_one_thing(typing: Type, with_array: StandIn) -> None:
    said = typing("job", "show", "42").out

    assert "42 sweep" in said
    assert "Running: 8 Running, 92 Pending" in said
    assert "8 tasks at most" in said
    assert "42[8-99]" in said
    assert json.loads(typing("job", "show", "42", "-o", "json").out)["count"] == 100


def test_one_task_is_shown_as_any_job(typing: Type, controller: StandIn) -> None:
    controller.answers["GET /api/v1/jobs/42[7]"] = a_task(49, 7)

    assert "42[7]" in typing("job", "show", "42[7]").out


@pytest.mark.parametrize("words", [("logs", "42"), ("cp", "42:out", ".")])
def test_what_needs_one_job_asks_for_a_task(
    typing: Type, with_array: StandIn, words: tuple[str, ...]
) -> None:
    said = typing("job", *words)

    assert said.code == 1
    assert f"42 is an array of 100 tasks; name one: mini-eaas job {words[0]} 42[0]" in said.err


def test_what_is_done_to_an_array_is_answered_with_counts(
    typing: Type, controller: StandIn
) -> None:
    controller.answers["POST /api/v1/jobs/42/cancel"] = done(92, 8)

    said = typing("job", "cancel", "42")

    assert said.out == "42: 92 tasks, 8 left as they were; now 8 Stopping, 92 Cancelled\n"
    assert json.loads(typing("job", "cancel", "42", "-o", "json").out)["changed"] == 92


def test_one_job_is_answered_as_before() -> None:
    assert done_line(a_job(1, "Stopping")) == "1 Stopping"
    assert done_line(done(1)) == "42: 1 task; now 8 Stopping, 92 Cancelled"


def test_an_array_is_waited_for_as_a_whole(typing: Type, with_array: StandIn) -> None:
    with_array.answers["GET /api/v1/jobs/42/array"] = an_array(("42[0-99]", 100, "Succeeded"))

    said = typing("job", "wait", "42")

    assert said == type(said)(0, "42 Succeeded: 100 Succeeded\n", "")
    assert typing("job", "wait", "42[0-3]").code == 2


def test_the_numbers_of_tasks_follow_from_their_places() -> None:
    array = an_array(("42[0-96]", 97, "Succeeded"), ("42[97,99]", 2, "Pending"))

    assert open_numbers(array) == [139, 141]


def test_an_array_is_not_followed(typing: Type, controller: StandIn) -> None:
    said = typing("job", "submit", "--array", "0-3", "--follow", "--cmd", "true")

    assert said.code == 2
    assert "--follow follows one job, not an array" in said.err
