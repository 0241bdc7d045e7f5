"""Short words for values in tables: ages, sizes, cards, mounts, reasons."""

import time
from collections.abc import Sequence

from eaas.node_views import CardView, LinkEndView, MountView
from eaas.units import UnitError, format_memory_mib, moment_text, parse_utc, rough_duration
from eaas.views import HeldCardView, ReasonView, ScopedReasonView
from eaas.why_views import WhyView


def short_duration(seconds: float | None) -> str | None:
    """Return the duration in two units at most; None for None."""
    return None if seconds is None else rough_duration(seconds)


def ago(at: str | None, now: float | None = None) -> str | None:
    """Return how long ago the moment was; None for what is no moment."""
    try:
        then = None if at is None else parse_utc(at)
    except UnitError:
        return None
    return None if then is None else short_duration((time.time() if now is None else now) - then)


def moment(at: str | None) -> str | None:
    """Return the moment in UTC, to the second, as people read it."""
    return None if at is None else moment_text(at)


def size(mib: int | None) -> str | None:
    """Return a memory size: whole GiB from 10 GiB up, one digit after the point below."""
    if mib is None:
        return None
    if mib < 1024:
        return format_memory_mib(mib)
    gib = mib / 1024
    return f"{gib:.0f}GiB" if gib >= 10 or gib == int(gib) else f"{gib:.1f}GiB"


def percent(value: int | None) -> str | None:
    """Return a load."""
    return None if value is None else f"{value}%"


def card(held: HeldCardView) -> str:
    """Return a card as people name it: its index, else the begin of its UUID."""
    name = held.uuid[:12] if held.index is None else str(held.index)
    return name if held.memory_mib is None else f"{name} ({size(held.memory_mib)})"


def model(view: CardView) -> str:
    """Return a card's model; a simulated one is always called so."""
    if not view.simulated or "simulated" in view.model:
        return view.model
    return f"{view.model} (simulated)"


def cards(held: Sequence[HeldCardView]) -> str | None:
    """Return the cards in one cell."""
    return ", ".join(map(card, held)) or None


def mount(view: MountView) -> tuple[str, str, str, str]:
    """Return the mount's name, who may have it, its mode, and whether anybody can now."""
    whom = ", ".join(view.users) or ("each user's own folder" if view.per_user else "everybody")
    if view.queues:
        whom += f" in {', '.join(view.queues)}"
    mode = "read only" if view.read_only else "read and write"
    return view.name, whom, mode, "yes" if view.available else f"no: {view.reason}"


def link_end(view: LinkEndView | None, now: float | None = None) -> str | None:
    """Return why a node's connection ended, and when that was."""
    return None if view is None else f"{view.why}, {ago(view.at, now)} ago"


def link_end_from(view: LinkEndView | None, now: float | None = None) -> str | None:
    """Return how a node's last connection ended, and where the node was then."""
    if view is None:
        return None
    where = f", from {view.address}" if view.address else ""
    return f"ended: {link_end(view, now)}{where}"


def reason(view: ReasonView | None) -> str | None:
    """Return a reason's sentence."""
    return None if view is None else view.text


def untold_reasons(view: WhyView) -> list[ScopedReasonView]:
    """Return the reasons that the verdict's sentence has not told already."""
    return [reason for reason in view.reasons if reason.text not in view.text]


def many(count: int, thing: str) -> str:
    """Return a count with its thing: ``1 job``, ``2 jobs``."""
    return f"{count} {thing}" if count == 1 else f"{count} {thing}s"


def yes_no(value: bool) -> str:
    """Return a truth value for people."""
    return "yes" if value else "no"
