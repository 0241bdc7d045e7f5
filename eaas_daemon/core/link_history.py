"""What a node's connections were like: how the last one ended, how often it came back, from where.

Pure values. Who keeps a node's history puts a new one in its place; what is told of it, and when,
is decided in ``links``.
"""

from typing import Final, Literal

import msgspec
from msgspec.structs import replace

EndedBy = Literal["agent", "controller", "nobody"]

HOUR_S: Final = 3600.0
FLAPS: Final = 6
"""Coming back so often within an hour is flapping."""
CALM_S: Final = 1800.0
"""Flapping is over when the node has not had to come back for so long."""
MOST_KEPT: Final = 200
SKEW_S: Final = 30.0
"""A node's clock that differs by more is told of."""
SKEW_OVER_S: Final = 25.0
"""It is told of until it differs by less than this, so that it does not come and go."""


class LinkEnd(msgspec.Struct, frozen=True, kw_only=True):
    """How a connection ended, in plain words. ``at`` is in Unix seconds."""

    at: float
    why: str
    address: str | None
    """Where the node was."""
    by: EndedBy = "nobody"
    """``agent``: it said goodbye, so this is no silence; ``controller``: it was our own doing."""


class LinkHistory(msgspec.Struct, frozen=True, kw_only=True):
    """A node's connections. Times are Unix seconds."""

    last_end: LinkEnd | None = None
    returns: tuple[float, ...] = ()
    """When it came back within the last hour; what we ourselves ended does not count."""
    flapping_since: float | None = None
    told_at: float = 0.0
    """When it was last said that the flapping node went or came."""
    told_offline: bool = False
    moved_from: str | None = None
    """The address it had before this one."""
    moved_at: float | None = None
    """When it came from another address, for an hour."""
    clock_ahead_s: float | None = None
    """How far its clock is ahead of ours; below 0: behind. None while it is not known."""
    skew_since: float | None = None

    @property
    def is_flapping(self) -> bool:
        """Tell whether it comes and goes too often to tell of each time."""
        return self.flapping_since is not None


def ended(past: LinkHistory, end: LinkEnd) -> LinkHistory:
    """Return the history once a connection has ended."""
    return replace(past, last_end=end)


def returned(past: LinkHistory, now: float) -> LinkHistory:
    """Return the history once the node is back; that counts unless its going was our own doing."""
    kept = tuple(at for at in past.returns if now - HOUR_S < at <= now)
    ours = past.last_end is None or past.last_end.by == "controller"
    returns = kept if ours else (*kept, now)[-MOST_KEPT:]
    since = past.flapping_since
    if since is None and len(returns) >= FLAPS:
        return replace(past, returns=returns, flapping_since=now, told_at=now, told_offline=False)
    return replace(past, returns=returns)


def moved(past: LinkHistory, was: str | None, address: str | None, now: float) -> LinkHistory:
    """Return the history once the node came from this address, having been at the other."""
    if was is None or address is None or was == address:
        return past
    return replace(past, moved_from=was, moved_at=now)


def measured(past: LinkHistory, ahead_s: float | None, now: float) -> LinkHistory:
    """Return the history with the node's clock as it is now."""
    if ahead_s is None:
        return past
    limit_s = SKEW_S if past.skew_since is None else SKEW_OVER_S
    since = (past.skew_since or now) if abs(ahead_s) > limit_s else None
    if ahead_s == past.clock_ahead_s and since == past.skew_since:
        return past
    return replace(past, clock_ahead_s=ahead_s, skew_since=since)


def settled(past: LinkHistory, now: float) -> LinkHistory:
    """Return the history without what is over by now; the same one if nothing is."""
    if past.moved_at is not None and now - past.moved_at >= HOUR_S:
        past = replace(past, moved_at=None, moved_from=None)
    if past.flapping_since is not None:
        last = max((past.flapping_since, *past.returns))
        if now - last >= CALM_S:
            past = replace(past, flapping_since=None)
    return past


def flapping_text(past: LinkHistory, address: str | None, now: float) -> str:
    """Return what is wrong with a node that flaps, in a line."""
    times = sum(now - HOUR_S < at <= now for at in past.returns)
    parts = [f"reconnected {times} times this hour"]
    if past.last_end is not None:
        parts.append(f"last end: {past.last_end.why}")
    if past.moved_at is not None:
        parts.append(f"address changed from {past.moved_from} to {address}")
    return "; ".join(parts)


def skew_text(ahead_s: float) -> str:
    """Return what is wrong with a clock, and what to do."""
    side = "ahead of" if ahead_s > 0 else "behind"
    return (
        f"its clock is {abs(ahead_s):.0f} s {side} the controller's; let both be set from the "
        "network: timedatectl set-ntp true"
    )
