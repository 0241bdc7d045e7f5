"""Which cards a node opens."""

import pytest

from eaas.ids import NodeName
from eaas_agent.cards.choice import open_cards
from eaas_agent.cards.nvml import NvmlCards
from eaas_agent.cards.simulated import BadSimulation, SimulatedCards


async def test_cards_are_pretended_only_when_asked_for() -> None:
    node = NodeName("node-a")

    assert isinstance(open_cards(None, node, env={}), NvmlCards)
    assert isinstance(open_cards("2x24GiB", node, env={}), SimulatedCards)
    with pytest.raises(BadSimulation):
        open_cards("", node, env={})
