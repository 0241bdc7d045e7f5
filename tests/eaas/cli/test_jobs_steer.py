import json

import pytest

from tests.eaas.cli.conftest import Type
from tests.rig.stand_in import StandIn, a_job


def test_a_negative_priority_is_a_number_and_no_flag(typing: Type, controller: StandIn) -> None:
    controller.answers["PATCH /api/v1/jobs/42"] = a_job(42, priority=-5)
    said = typing("job", "priority", "42", "-5")

    assert said == type(said)(0, "42 has priority -5\n", "")
    assert controller.asked[0].body == {"priority": -5, "queue": None}
    assert json.loads(typing("job", "priority", "42", "-5", "-o", "json").out)["priority"] == -5
    assert json.loads(typing("-o", "json", "job", "priority", "42", "-5").out)["id"] == 42


@pytest.mark.parametrize("words", [("42", "-500"), ("42", "--bogus"), ("42",), ("-5", "42")])
def test_what_is_no_priority_is_a_usage_error(typing: Type, words: tuple[str, ...]) -> None:
    assert typing("job", "priority", *words).code == 2


def test_cancelling_says_where_each_job_stands(typing: Type, controller: StandIn) -> None:
    controller.answers["POST /api/v1/jobs/1/cancel"] = a_job(1, "Stopping")
    controller.answers["POST /api/v1/jobs/2/cancel"] = a_job(2, "Succeeded")
    said = typing("job", "cancel", "1", "2", "--grace", "5s")

    assert said == type(said)(0, "1 Stopping\n2 Succeeded\n", "")
    assert [one.body for one in controller.asked] == [{"grace_s": 5.0}] * 2
    assert len(json.loads(typing("job", "cancel", "1", "2", "-o", "json").out)["items"]) == 2
    assert json.loads(typing("job", "cancel", "1", "-o", "json").out)["id"] == 1


def test_top_move_retry_and_keep(typing: Type, controller: StandIn) -> None:
    for verb in ("top", "retry", "keep"):
        controller.answers[f"POST /api/v1/jobs/1/{verb}"] = a_job(1, position=1)
    controller.answers["PATCH /api/v1/jobs/1"] = a_job(1, pool="p", queue="q")

    assert typing("job", "top", "1").out == "1 Pending, #1 in line\n"
    assert typing("job", "retry", "1").out == "1 Pending\n"
    assert typing("job", "keep", "1", "--for", "2d").out == "1 keeps its workspace\n"
    assert typing("job", "move", "1", "--queue", "p/q").out == "1 is in p/q\n"
    assert [one.body for one in controller.asked] == [
        None,
        None,
        {"for_s": 172800.0},
        {"priority": None, "queue": "p/q"},
    ]
