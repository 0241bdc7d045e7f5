"""What a job does when it fails by itself, and how people write it."""

from collections.abc import Mapping
from typing import Any, ClassVar, Final, Literal

import msgspec

from eaas.field_checks import Check, Choice, Duration, Mistake, Whole, Wrong, below
from eaas.spelling import nearest

MAX_RETRIES: Final = 100
MAX_BACKOFF_S: Final = 86400.0


class Restart(msgspec.Struct, frozen=True, kw_only=True):
    """What follows when an attempt ends by itself with an exit code other than 0."""

    policy: Literal["never", "on-failure"] = "never"
    retries: int = 0
    backoff_s: float = 30.0
    """The wait before the first retry; how it grows is the controller's affair."""


ON_FAILURE: Final = Restart(policy="on-failure", retries=3)
"""What ``restart: on-failure`` means without further words."""


RESTART_CHECKS: Final[Mapping[str, Check]] = {
    "policy": Choice(
        choices=("never", "on-failure"),
        aliases={"no": "never", "always": "on-failure", "on_error": "on-failure"},
    ),
    "retries": Whole(minimum=0, maximum=MAX_RETRIES),
    "backoff": Duration(minimum_s=0.0, maximum_s=MAX_BACKOFF_S),
}


class Restarts(Check, frozen=True, kw_only=True):
    """``never``, ``on-failure``, or a mapping of policy, retries and backoff.

    Retries or a backoff alone mean on-failure; 0 retries mean never.
    """

    kind: ClassVar[str] = "object"

    def read(self, value: object) -> Restart:
        if not isinstance(value, Mapping):
            return ON_FAILURE if RESTART_CHECKS["policy"].read(value) != "never" else Restart()
        parts = _parts(value)
        retries = parts.get("retries", ON_FAILURE.retries)
        if parts.get("policy") == "never" and parts.get("retries"):
            near = Mistake("never has no retries: write on-failure", "on-failure", ("policy",))
            raise Wrong(near)
        if not parts or parts.get("policy") == "never" or not retries:
            return Restart()
        backoff_s = parts.get("backoff", ON_FAILURE.backoff_s)
        return Restart(policy="on-failure", retries=retries, backoff_s=backoff_s)

    def typed(self, value: Restart) -> object:
        if value.policy == "never":
            return "never"
        backoff = RESTART_CHECKS["backoff"].typed(value.backoff_s)
        return {"policy": value.policy, "retries": value.retries, "backoff": backoff}

    def schema(self) -> dict[str, object]:
        mapping = {
            "type": "object",
            "additionalProperties": False,
            "properties": {key: check.schema() for key, check in RESTART_CHECKS.items()},
        }
        return {"anyOf": [RESTART_CHECKS["policy"].schema(), mapping]}


def _parts(typed: Mapping[str, object]) -> dict[str, Any]:
    """Return the values under their keys, or raise Wrong with the mistakes of all."""
    parts: dict[str, Any] = {}
    mistakes: list[Mistake] = []
    for key, value in typed.items():
        try:
            parts[key] = _check_of(key).read(value)
        except Wrong as error:
            mistakes += below(key, error.mistakes)
    if mistakes:
        raise Wrong(*mistakes)
    return parts


def _check_of(key: str) -> Check:
    if (check := RESTART_CHECKS.get(key)) is not None:
        return check
    message = f"no such key in restart, which has {', '.join(RESTART_CHECKS)}"
    raise Wrong(Mistake(message, nearest(key, RESTART_CHECKS), on_key=True))
