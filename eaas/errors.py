"""The one error root. A refusal names the thing, the fact, and carries a stable code."""

from typing import ClassVar, Final

import msgspec


class FieldError(msgspec.Struct, frozen=True, kw_only=True):
    """One mistake in what a person wrote, at the place where it stands."""

    field: str
    """The key as typed, dotted for nested ones (``restart.retries``); empty for the whole document.
    """
    message: str
    """A sentence that says what is wrong and what would be right."""
    line: int | None = None
    """1-based; None where the mistake did not come from a file."""
    column: int | None = None
    suggestion: str | None = None
    """The nearest word that would have been right, for "did you mean"; a limit is no such word."""


class EaasError(Exception):
    """A refusal someone can act on. Any other exception is a bug and may crash."""

    code: ClassVar[str] = "refused"
    http_status: ClassVar[int] = 400

    def __init__(self, sentence: str) -> None:
        super().__init__(sentence)
        self.sentence: Final = sentence


class Invalid(EaasError):
    """What a person wrote has mistakes; every one of them is listed."""

    code = "invalid"
    http_status = 422

    def __init__(
        self, errors: tuple[FieldError, ...], sentence: str | None = None, *, where: str = ""
    ) -> None:
        self.errors: Final = errors
        self.where: Final = where
        """The file they are in; empty when there is none, or several."""
        super().__init__(sentence or "; ".join(error.message for error in errors))


class Mistyped(EaasError):
    """What was typed, or set, is wrong, whatever anybody else would say to it."""

    code = "mistyped"


class NotFound(EaasError):
    """There is nothing under that name or number."""

    code = "not_found"
    http_status = 404


class NotYours(EaasError):
    """The thing belongs to somebody else."""

    code = "not_yours"
    http_status = 403


class Forbidden(EaasError):
    """The caller's role does not allow this."""

    code = "forbidden"
    http_status = 403


class Unauthenticated(EaasError):
    """The caller did not say who they are, or was not believed."""

    code = "unauthenticated"
    http_status = 401


class Conflict(EaasError):
    """The thing is in a state that does not allow this, or exists already."""

    code = "conflict"
    http_status = 409


class NeverFits(EaasError):
    """No known card or node of the pool could ever hold the job."""

    code = "never_fits"
    http_status = 422


class QueueFull(EaasError):
    """The queue has as many waiting jobs as its owner allows."""

    code = "queue_full"
    http_status = 429


class TooLarge(EaasError):
    """The body or file is over the limit, which the sentence names."""

    code = "too_large"
    http_status = 413


class Unavailable(EaasError):
    """The controller can't do this now but may later (disk full, database locked)."""

    code = "unavailable"
    http_status = 503


class Unreachable(EaasError):
    """No controller answered. Raised by clients only."""

    code = "unreachable"
    http_status = 503
