"""The kinds of arguments: numbers of jobs and bookings, durations, names of queues, labels."""

import math
from collections.abc import Mapping
from typing import Any, Final

import click

from eaas.errors import EaasError
from eaas.job_ref import job_ref
from eaas.spelling import shown
from eaas.units import parse_duration_s

MOST_DIGITS: Final = 15


class Duration(click.ParamType[float]):
    """A duration such as ``90s`` or ``1h30m``; seconds."""

    name = "duration"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        """Return the seconds."""
        if isinstance(value, float):
            return value
        try:
            return parse_duration_s(str(value))
        except EaasError as error:
            self.fail(error.sentence, param, ctx)


class Lifetime(Duration):
    """A duration, or ``never``, which is infinite."""

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        """Return the seconds."""
        return math.inf if value == "never" else super().convert(value, param, ctx)


class Limit(click.ParamType[Any]):
    """A number, or ``none`` for no limit."""

    def __init__(self, kind: click.ParamType[Any], name: str = "N|none") -> None:
        self.name = name
        self._kind = kind

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the number; None for no limit comes as the word itself."""
        return NO_LIMIT if value == NO_LIMIT else self._kind.convert(value, param, ctx)


NO_LIMIT: Final = "none"
COUNT: Final = Limit(click.IntRange(min=0))
SPAN: Final = Limit(Duration(), "DURATION|none")


def limits(typed: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings that were named; one without a limit is None."""
    named = {key: value for key, value in typed.items() if value is not None}
    return {key: None if value == NO_LIMIT else value for key, value in named.items()}


class JobName(click.ParamType[str]):
    """A job's number, or a task of an array: ``42[7]``."""

    name = "id"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return the name."""
        ref = job_ref(str(value))
        if ref is None:
            self.fail(f"{shown(value)} is no job number; mini-eaas job list shows them", param, ctx)
        return str(ref)


class BookingNumber(click.ParamType[int]):
    """A booking's number."""

    name = "id"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Return the number."""
        text = str(value)
        if not (text.isascii() and text.isdecimal() and len(text) <= MOST_DIGITS and int(text)):
            said = f"{shown(value)} is no booking's number; mini-eaas book list shows them"
            self.fail(said, param, ctx)
        return int(text)


class QueueRef(click.ParamType[tuple[str, str]]):
    """A queue, written ``POOL/QUEUE``."""

    name = "pool/queue"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[str, str]:
        """Return the pool and the queue's own name."""
        if isinstance(value, tuple):
            return value
        pool, slash, queue = str(value).partition("/")
        if not slash or not pool or not queue:
            self.fail(f"{shown(value)} is no queue: write POOL/QUEUE", param, ctx)
        return pool, queue


class Label(click.ParamType[tuple[str, str | None]]):
    """A label to set, ``KEY=VALUE``, or to remove, ``KEY-``."""

    name = "label"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[str, str | None]:
        """Return the key and its value; None removes it."""
        if isinstance(value, tuple):
            return value
        key, equals, text = str(value).partition("=")
        if equals and key:
            return key, text
        if not equals and key.endswith("-") and len(key) > 1:
            return key[:-1], None
        return self.fail(
            f"{shown(value)} is no label: write KEY=VALUE, or KEY- to remove", param, ctx
        )


class JobPath(click.ParamType[tuple[str, str]]):
    """A path in a job's workspace, ``ID:PATH``."""

    name = "id:path"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[str, str]:
        """Return the job's name and the path."""
        if isinstance(value, tuple):
            return value
        name, colon, path = str(value).partition(":")
        ref = job_ref(name)
        if not colon or ref is None:
            self.fail(
                f"{shown(value)} is no path of a job: write ID:PATH, such as 42:out", param, ctx
            )
        return str(ref), path or "."
