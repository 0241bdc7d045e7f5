"""Times as people here say them: ``14:00`` is the next one by this machine's own clock and zone."""

import re
from datetime import datetime, timedelta
from typing import Final

import click

from eaas.spelling import shown
from eaas.units import UnitError, parse_utc

_CLOCK: Final = re.compile(r"([0-9]{1,2}):([0-9]{2})")
_LOCAL: Final = re.compile(r"([0-9]{4}-[0-9]{2}-[0-9]{2})[Tt ]([0-9]{1,2}:[0-9]{2})")


def moment_of(text: str, after: datetime) -> datetime:
    """Return the moment that is meant; a bare clock time is the next one ``after`` that moment.

    ``now`` is ``after`` itself. A date without a zone is meant here, in the zone of ``after``.
    """
    if text == "now":
        return after
    try:
        if found := _CLOCK.fullmatch(text):
            return _next(after, int(found[1]), int(found[2]))
        if found := _LOCAL.fullmatch(text):
            day, clock = found[1], found[2].zfill(5)
            return datetime.fromisoformat(f"{day}T{clock}").astimezone()
        return datetime.fromtimestamp(parse_utc(text)).astimezone()
    except UnitError:
        message = (
            f"{shown(text)} is no time: write 14:00, now, '2026-03-01 14:00', or "
            "2026-03-01T14:00:00Z"
        )
        raise click.UsageError(message) from None
    except (ValueError, OverflowError, OSError):
        raise click.UsageError(f"{shown(text)} is not a time that exists") from None


def _next(after: datetime, hour: int, minute: int) -> datetime:
    """Return the next time the local clock says that; the same minute counts as now."""
    bare = after.replace(tzinfo=None)
    today = bare.replace(hour=hour, minute=minute, second=0, microsecond=0)
    if today + timedelta(minutes=1) <= bare:
        today += timedelta(days=1)
    return max(after, today.astimezone())


def local(unix_s: float) -> datetime:
    """Return the moment in this machine's zone."""
    return datetime.fromtimestamp(unix_s).astimezone()


def span_here(start: str, end: str) -> str:
    """Return two moments (RFC 3339) as the clock here says them, with day and zone."""
    begin, over = local(parse_utc(start)), local(parse_utc(end))
    until = f"{over:%H:%M}" if begin.date() == over.date() else f"{over:%a %Y-%m-%d %H:%M}"
    here = zone_of(begin)
    if zone_of(over) != here:
        return f"{begin:%a %Y-%m-%d %H:%M} {here} to {until} {zone_of(over)}"
    return f"{begin:%a %Y-%m-%d %H:%M} to {until} {here}"


def moment_here(at: str) -> str:
    """Return the moment (RFC 3339) as the clock here says it, to the minute."""
    return f"{local(parse_utc(at)):%Y-%m-%d %H:%M}"


def zone_of(moment: datetime) -> str:
    """Return the moment's zone: its name, and how far it is from UTC."""
    name, offset = moment.tzname() or "", moment.strftime("%z")
    distance = f"UTC{offset[:3]}:{offset[3:5]}"
    if not moment.utcoffset():
        return "UTC"
    return distance if name.lstrip("+-").isdigit() else f"{name} ({distance})"
