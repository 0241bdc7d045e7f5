"""What the kept logs answer those who send, read and count them."""

from typing import NamedTuple

import msgspec


class LogPosition(NamedTuple):
    """How far an attempt's log is stored."""

    stdout: int
    stderr: int
    ended: bool


class LogRead(msgspec.Struct, frozen=True, kw_only=True):
    """A part of a log."""

    offset: int
    """Where the part really begins: a negative wish is counted from the end."""
    data: bytes
    size: int
    """How long the stream is now."""
    complete: bool
    """Nothing more will come. False for an attempt that never wrote anything, once forgotten."""
    gap_bytes: int | None
    """Bytes left out over the job's cap; None when nobody could count them."""
    seen: int
    """For ``changed``: the length of both streams together."""
