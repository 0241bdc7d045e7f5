"""Which source of readings a node uses: real cards, or pretended ones."""

from collections.abc import Mapping

from eaas.ids import NodeName
from eaas_agent.cards.nvml import NvmlCards, Patience
from eaas_agent.cards.port import Cards
from eaas_agent.cards.simulated import SimulatedCards


def open_cards(
    simulate: str | None, node: NodeName, *, env: Mapping[str, str], period_s: float = 1.0
) -> Cards:
    """Return the cards of this node, not yet started.

    ``simulate`` is what ``--simulate`` was given (``2x24GiB``); raises ``BadSimulation`` when it
    makes no sense. ``env`` is the environment of the child that loads the driver.
    """
    if simulate is not None:
        return SimulatedCards(simulate, node, period_s=period_s)
    return NvmlCards(env=env, patience=Patience(period_s=period_s))
