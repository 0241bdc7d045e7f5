import msgspec
import pytest

from eaas.errors import (
    Conflict,
    EaasError,
    FieldError,
    Invalid,
    NeverFits,
    NotFound,
    TooLarge,
    Unreachable,
)
from eaas.problem import Problem, UnknownProblem, error_from, mistake_text, problem_from
from eaas.units import UnitError

MISTAKE = FieldError(
    field="gpu_mem", message="gpu_mem: no such key", line=3, column=1, suggestion="gpu_memory"
)


def test_a_problem_has_every_key_of_the_contract() -> None:
    encoded = msgspec.json.encode(problem_from(NotFound("there is no job 42")))

    assert msgspec.json.decode(encoded) == {
        "type": "urn:mini-eaas:problem:not_found",
        "title": "Not found",
        "status": 404,
        "detail": "there is no job 42",
        "code": "not_found",
        "errors": [],
    }


def test_mistakes_carry_their_place_and_suggestion() -> None:
    encoded = msgspec.json.encode(problem_from(Invalid((MISTAKE,), "one mistake")))

    assert msgspec.json.decode(encoded)["errors"] == [
        {
            "field": "gpu_mem",
            "message": "gpu_mem: no such key",
            "line": 3,
            "column": 1,
            "suggestion": "gpu_memory",
        }
    ]


@pytest.mark.parametrize(
    "error",
    [
        EaasError("no"),
        NotFound("there is no job 42"),
        Conflict("ended already"),
        NeverFits("no card is that large"),
        TooLarge("over 256 KiB"),
        Unreachable("nobody answers"),
        Invalid((MISTAKE,), "one mistake"),
    ],
    ids=lambda error: type(error).__name__,
)
def test_a_refusal_comes_back_in_its_own_class(error: EaasError) -> None:
    back = error_from(problem_from(error))

    assert type(back) is type(error)
    assert problem_from(back) == problem_from(error)


def test_a_refusal_with_a_private_class_comes_back_under_its_code() -> None:
    assert isinstance(error_from(problem_from(UnitError("20 has no unit"))), Invalid)


def test_a_code_from_a_newer_controller_is_kept() -> None:
    problem = Problem(type="urn:x", title="New", status=418, detail="news", code="brand_new")

    error = error_from(problem)

    assert isinstance(error, UnknownProblem)
    assert (error.code, error.http_status, error.sentence) == ("brand_new", 418, "news")
    assert problem_from(error) == problem


def test_a_mistake_reads_as_a_line() -> None:
    assert mistake_text(MISTAKE) == (
        "line 3, column 1: gpu_mem: no such key; did you mean gpu_memory?"
    )
    assert mistake_text(FieldError(field="gpus", message="gpus: too many")) == "gpus: too many"
