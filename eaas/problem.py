"""The problem object of RFC 9457: how a refusal crosses the wire and comes back as itself."""

from collections.abc import Mapping
from typing import Final

import msgspec

from eaas.errors import (
    Conflict,
    EaasError,
    FieldError,
    Forbidden,
    Invalid,
    NeverFits,
    NotFound,
    NotYours,
    QueueFull,
    TooLarge,
    Unauthenticated,
    Unavailable,
    Unreachable,
)

MEDIA_TYPE: Final = "application/problem+json"

_CLASSES: Final[Mapping[str, type[EaasError]]] = {
    cls.code: cls
    for cls in (
        EaasError,
        NotFound,
        NotYours,
        Forbidden,
        Unauthenticated,
        Conflict,
        NeverFits,
        QueueFull,
        TooLarge,
        Unavailable,
        Unreachable,
    )
}


class Problem(msgspec.Struct, frozen=True, kw_only=True):
    """One refusal as REST and ``-o json`` give it; no key is ever absent."""

    type: str
    """A URN made from the code; nothing is to be fetched there."""
    title: str
    """The same words for every problem of this code."""
    status: int
    """The HTTP status."""
    detail: str
    """The sentence that names the thing."""
    code: str
    errors: tuple[FieldError, ...] = ()


class UnknownProblem(EaasError):
    """A refusal whose code this version doesn't know; it keeps the code and the status."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem.detail)
        self.problem: Final = problem
        self.__dict__.update(code=problem.code, http_status=problem.status)


def problem_from(error: EaasError) -> Problem:
    """Return the error as the problem object that stands for it."""
    if isinstance(error, UnknownProblem):
        return error.problem
    return Problem(
        type=f"urn:mini-eaas:problem:{error.code}",
        title=error.code.replace("_", " ").capitalize(),
        status=error.http_status,
        detail=error.sentence,
        code=error.code,
        errors=error.errors if isinstance(error, Invalid) else (),
    )


def error_from(problem: Problem) -> EaasError:
    """Return the error the other side raised, in the same class where it has one here."""
    if problem.code == Invalid.code:
        return Invalid(problem.errors, problem.detail)
    cls = _CLASSES.get(problem.code)
    return UnknownProblem(problem) if cls is None else cls(problem.detail)


def mistake_text(error: FieldError) -> str:
    """Return one mistake as a line for people: place, sentence, and "did you mean"."""
    place = f"line {error.line}, column {error.column}: " if error.line is not None else ""
    meant = f"; did you mean {error.suggestion}?" if error.suggestion is not None else ""
    return f"{place}{error.message}{meant}"
