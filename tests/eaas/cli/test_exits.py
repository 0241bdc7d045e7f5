import json

import pytest
import yaml

from eaas.cli.exits import exit_code, wanted_output
from eaas.errors import FieldError, Invalid, NotFound, Unauthenticated
from eaas.problem import Problem
from tests.eaas.cli.conftest import Type
from tests.rig.stand_in import StandIn, a_job

PROBLEM_KEYS = list(Problem.__struct_fields__)


def test_no_controller_is_69_and_says_what_to_type(typing: Type) -> None:
    said = typing("status")

    assert (said.code, said.out) == (69, "")
    assert "no controller answers" in said.err
    assert "mini-eaas up starts a pool on this machine" in said.err
    assert said.err.count("\n") == 1


def test_a_refusal_is_1_and_one_sentence(typing: Type, controller: StandIn) -> None:
    said = typing("job", "show", "9")

    assert said == type(said)(1, "", "there is no job 9\n")


@pytest.mark.parametrize(
    ("words", "code", "name"),
    [
        (("job", "show", "9"), 1, "not_found"),
        (("job", "show", "nine"), 2, "usage"),
        (("job", "nothing"), 2, "usage"),
        (("job", "list", "--bogus"), 2, "usage"),
        (("--server", "http://127.0.0.1:1", "status"), 69, "unreachable"),
    ],
)
@pytest.mark.parametrize("place", ["before", "after"])
def test_with_json_an_error_is_one_problem_on_stderr_and_stdout_is_empty(
    typing: Type, controller: StandIn, words: tuple[str, ...], code: int, name: str, place: str
) -> None:
    said = typing("-o", "json", *words) if place == "before" else typing(*words, "-o", "json")

    problem = json.loads(said.err)
    assert (said.code, said.out, problem["code"]) == (code, "", name)
    assert list(problem) == PROBLEM_KEYS


def test_with_yaml_the_problem_is_yaml(typing: Type, controller: StandIn) -> None:
    said = typing("job", "show", "9", "-o", "yaml")

    assert yaml.safe_load(said.err)["detail"] == "there is no job 9"


def test_every_mistake_stands_on_a_line_of_its_own(typing: Type, controller: StandIn) -> None:
    errors = (
        FieldError(field="gpus", message="gpus: no", line=2, column=7, suggestion="1"),
        FieldError(field="image", message="image: bad"),
    )
    controller.answers["GET /api/v1/jobs/9"] = Invalid(errors)
    said = typing("job", "show", "9")

    assert said.err.splitlines() == [
        "this is not right yet:",
        "  line 2, column 7: gpus: no; did you mean 1?",
        "  image: bad",
    ]


def test_who_is_not_known_is_told_how_to_give_a_token(typing: Type, controller: StandIn) -> None:
    controller.answers["GET /api/v1/jobs/9"] = Unauthenticated("say who you are")

    assert "--token or MINI_EAAS_TOKEN" in typing("job", "show", "9").err


def test_a_hostile_sentence_is_harmless_on_the_terminal(typing: Type, controller: StandIn) -> None:
    controller.answers["GET /api/v1/jobs/9"] = NotFound("no \x1b]0;owned\x07job \u202e9")

    assert typing("job", "show", "9").err == "no job 9\n"
    assert "\x1b" not in typing("job", "show", "9", "-o", "json").err


def test_the_format_is_known_even_when_the_line_can_not_be_parsed() -> None:
    assert wanted_output(["job", "-ojson"]) == "json"
    assert wanted_output(["--output=yaml", "job"]) == "yaml"
    assert wanted_output(["-o", "json", "job", "list", "-o", "table"]) == "table"
    assert wanted_output(["job", "submit", "--", "gcc", "-o", "json"]) == "table"
    assert wanted_output(["job", "-o"]) == "table"
    assert wanted_output(["job", "-o", "xml"]) == "table"


def test_a_job_that_is_fine_is_0(typing: Type, controller: StandIn) -> None:
    controller.jobs[1] = a_job(1)

    assert typing("job", "show", "1").code == 0
    assert exit_code(NotFound("x")) == 1
