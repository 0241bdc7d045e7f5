"""Most nodes silent at once: then it is our own network, and nothing is concluded from it."""

from collections.abc import Iterable
from typing import Final

from eaas.units import moment_text, utc_text
from eaas.views import ConditionView
from eaas_daemon.core.model import MassLoss, Node
from eaas_daemon.core.state import State

FEWEST: Final = 3
"""Of fewer nodes, most may well be off at once."""
TOGETHER_S: Final = 60.0
FROZEN_S: Final = 600.0
"""For so long at most nothing is concluded."""


def freezes(state: State, now: float, offline_after_s: float) -> bool:
    """Tell whether most nodes are silent at once; say so when that begins and when it is over."""
    known = state.mass_loss
    if known is None:
        found = mass_loss(state.nodes.values(), now, offline_after_s)
        if found is None:
            return False
        state.put_mass_loss(found)
        state.journal("controller.mass_loss", text_of(found), now)
        return True
    missing = sum(_is_missing(node) and not node.offline for node in state.nodes.values())
    if missing and now < known.until:
        return True
    state.put_mass_loss(None)
    words = (
        f"{missing} nodes are still silent and count as offline from here on"
        if missing
        else "the nodes that were silent at once are back"
    )
    state.journal("controller.mass_loss_over", words, now)
    return False


def mass_loss(nodes: Iterable[Node], now: float, offline_after_s: float) -> MassLoss | None:
    """Return the loss if more than half of at least 3 nodes fell silent within a minute.

    Nodes that have long been offline are not counted, and none whose agent said goodbye. Nothing
    is lost as long as no node is due to go offline.
    """
    connected, silent, is_due = 0, [], False
    for node in nodes:
        if node.session is not None:
            connected += 1
        elif _is_missing(node):
            since = node.last_seen_at or 0.0
            if not node.offline or now - since <= TOGETHER_S + offline_after_s:
                silent.append(since)
            is_due = is_due or (not node.offline and now - since > offline_after_s)
    of = connected + len(silent)
    if not is_due or of < FEWEST:
        return None
    together = [since for since in silent if since >= max(silent) - TOGETHER_S]
    if 2 * len(together) <= of:
        return None
    return MassLoss(since=min(together), until=now + FROZEN_S, lost=len(together), of=of)


def text_of(loss: MassLoss) -> str:
    """Return what happened, and what it means."""
    return (
        f"{loss.lost} of {loss.of} nodes fell silent within a minute: that is likely the network "
        f"here, not the nodes. No job counts as lost before {moment_text(loss.until)}; look at "
        "this machine's cable, switch and firewall"
    )


def condition(loss: MassLoss) -> ConditionView:
    """Return the loss as what is true of the controller now."""
    return ConditionView(code="mass_loss", text=text_of(loss), since=utc_text(loss.since))


def _is_missing(node: Node) -> bool:
    if node.session is not None or node.revoked is not None or node.needs_upgrade is not None:
        return False
    return node.link.last_end is None or node.link.last_end.by != "agent"
