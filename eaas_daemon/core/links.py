"""Nodes that come and go: what is kept of it, and what of it is told.

Coming and going is told each time. A flapping node is told of once, and then, while it lasts, at
most once in ten minutes where it stands.
"""

from collections.abc import Iterator
from typing import Final

from msgspec.structs import replace

from eaas.node_views import LinkEndView
from eaas.units import moment_text, utc_text
from eaas.views import ConditionView
from eaas_daemon.core.link_history import (
    LinkEnd,
    LinkHistory,
    ended,
    flapping_text,
    measured,
    moved,
    returned,
    settled,
    skew_text,
)
from eaas_daemon.core.model import Node
from eaas_daemon.core.state import State

TELL_EVERY_S: Final = 600.0
CAME_ANEW: Final = "the agent came back before its old connection was noticed to be dead"


def greeted(node: Node, old: Node | None, now: float) -> Node:
    """Return the node that has just said hello with this connection in its history."""
    if old is None or old.uid != node.uid:
        return replace(node, link=LinkHistory())
    past = old.link
    if old.session is not None:
        past = ended(past, LinkEnd(at=now, why=CAME_ANEW, address=old.address))
    past = moved(returned(past, now), old.address, node.address, now)
    return replace(node, link=past)


def tell_of_return(state: State, old: Node | None, node: Node, now: float) -> None:
    """Say that a node joined, is back, or comes back too often."""
    name, link = node.name, node.link
    if old is None:
        state.journal("node.joined", f"{name} joined", now, node=name)
        return
    if link.is_flapping:
        if not old.link.is_flapping:
            words = f"{name} is flapping: {flapping_text(link, node.address, now)}"
            state.journal("node.flapping", words, now, node=name)
        return
    if old.offline:
        state.journal("node.back", f"{name} is back", now, node=name)
    if link.moved_at == now:
        words = f"{name} came from {node.address}, before from {link.moved_from}"
        state.journal("node.address_changed", words, now, node=name)


def tell_of_silence(state: State, node: Node, now: float) -> None:
    """Say that a node is offline and why its last connection ended."""
    if node.link.is_flapping:
        return
    state.journal("node.offline", _offline_text(node, now), now, node=node.name)


def tell_of_refusal(state: State, name: str, code: str, text: str, now: float) -> None:
    """Say that an agent was turned away; it tries again and again, and is told of now and then."""
    what = f"{name} {code}"
    said_at = state.refused.get(what)
    if said_at is not None and 0 <= now - said_at < TELL_EVERY_S:
        return
    state.put_refused(what, now)
    state.journal("node.refused", f"{name}: {text}", now, node=name)


def watch(state: State, node: Node, now: float) -> None:
    """Let end what is over by now, and say where a flapping node stands if that is due."""
    link = settled(node.link, now)
    if node.link.is_flapping and not link.is_flapping and not node.offline:
        words = f"{node.name} is not flapping any more"
        state.journal("node.recovered", words, now, node=node.name)
    is_news = node.link.is_flapping and link.told_offline != node.offline
    if is_news and (now - link.told_at >= TELL_EVERY_S or not link.is_flapping):
        link = replace(link, told_at=now, told_offline=node.offline)
        kind = "node.offline" if node.offline else "node.back"
        words = _offline_text(node, now) if node.offline else f"{node.name} is back"
        state.journal(kind, words, now, node=node.name)
    if link is not node.link:
        state.put_node(replace(node, link=link), durable=True)


def note_clock(state: State, node: Node, ahead_s: float | None, now: float) -> Node:
    """Return the node with its clock as just measured; say when it becomes wrong, or right."""
    link = measured(node.link, ahead_s, now)
    if ahead_s is not None and (link.skew_since is None) != (node.link.skew_since is None):
        is_wrong = link.skew_since is not None
        words = skew_text(ahead_s) if is_wrong else "its clock agrees with the controller's again"
        kind = "node.clock_skew" if is_wrong else "node.recovered"
        state.journal(kind, f"{node.name}: {words}", now, node=node.name)
    return node if link is node.link else replace(node, link=link)


def conditions(node: Node, now: float) -> Iterator[ConditionView]:
    """Yield what is true of the node's link."""
    link = node.link
    if link.flapping_since is not None:
        text = flapping_text(link, node.address, now)
        yield ConditionView(code="flapping", text=text, since=utc_text(link.flapping_since))
    if link.moved_at is not None:
        text = f"came from {node.address}, before from {link.moved_from}"
        yield ConditionView(code="address_changed", text=text, since=utc_text(link.moved_at))
    if link.skew_since is not None and link.clock_ahead_s is not None:
        text = skew_text(link.clock_ahead_s)
        yield ConditionView(code="clock_skew", text=text, since=utc_text(link.skew_since))


def end_view(node: Node) -> LinkEndView | None:
    """Return how the last connection ended."""
    end = node.link.last_end
    if end is None:
        return None
    return LinkEndView(at=utc_text(end.at), why=end.why, by=end.by, address=end.address)


def _offline_text(node: Node, now: float) -> str:
    since = moment_text(node.last_seen_at or now)
    end = node.link.last_end
    if end is not None and end.by == "agent":
        return f"{node.name} is away since {since}: {end.why}"
    why = "" if end is None else f" (its connection ended: {end.why})"
    return f"{node.name} is silent since {since}{why}"
