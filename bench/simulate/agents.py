"""An agent on paper: the words that a node's agent sends, without a node, a link or a container."""

from typing import Any, Literal

from msgspec.structs import replace

from bench.simulate.workload import PoolSize
from eaas.ids import NodeName
from eaas.wire import from_agent as wire
from eaas.wire.codec import PROTOCOL_MAX, PROTOCOL_MIN
from eaas_daemon.core import events as e

MEMORY_MIB = 512 * 1024
CARD_MIB = 24 * 1024


class Agent:
    """One node's agent. Its cards are free or held by the attempts that it was told of."""

    def __init__(self, number: int, pool: PoolSize) -> None:
        digits = len(str(pool.nodes))
        self.name = NodeName(f"n{number + 1:0{digits}}")
        self._cpus = pool.cpus
        self._cards = [_card(self.name, index) for index in range(pool.cards)]
        self._seq = 0

    def hello(self) -> e.AgentSaidHello:
        """Return the greeting of a fresh agent."""
        inventory = wire.Inventory(
            runtime="docker",
            engine="simulated",
            cpus=self._cpus,
            memory_mib=MEMORY_MIB,
            disk_free_mib=None,
            cards=tuple(self._cards),
        )
        hello = wire.Hello(
            protocol_min=PROTOCOL_MIN,
            protocol_max=PROTOCOL_MAX,
            version="simulated",
            node=self.name,
            node_uid=self.name,
            instance=self.name,
            boot_id=self.name,
            epoch=0,
            spool_id=self.name,
            last_seq=0,
            inventory=inventory,
            held=(),
        )
        return e.AgentSaidHello(session=self.name, address=None, hello=hello)

    def hold(self, cards: tuple[int, ...]) -> None:
        """Tell from the next beat on that these cards are held."""
        self._judge(cards, "held")

    def let_go(self, cards: tuple[int, ...]) -> None:
        """Tell from the next beat on that these cards are free."""
        self._judge(cards, "free")

    def _judge(self, cards: tuple[int, ...], state: Literal["free", "held"]) -> None:
        for index in cards:
            self._cards[index] = replace(self._cards[index], state=state)

    def says(self, *facts: wire.Fact) -> e.AgentSaidFacts:
        """Return the facts as they come from its spool."""
        first = self._seq + 1
        self._seq += len(facts)
        spooled = tuple(wire.Spooled(seq, fact) for seq, fact in enumerate(facts, first))
        said = wire.Facts(spool_id=self.name, facts=spooled)
        return e.AgentSaidFacts(node=self.name, session=self.name, facts=said)

    def beats(self, unix_s: float) -> e.AgentBeat:
        """Return fresh readings of all cards."""
        beat = wire.Beat(
            memory_used_mib=0, loop_lag_s=0.0, cards=tuple(self._cards), sampled_at=unix_s
        )
        return e.AgentBeat(node=self.name, session=self.name, beat=beat)


def _card(node: str, index: int) -> wire.CardReport:
    unknown: dict[str, Any] = {"utilization_pct": None, "temperature_c": None, "power_w": None}
    return wire.CardReport(
        uuid=f"GPU-{node}-{index}",
        index=index,
        model="simulated",
        state="free",
        memory_total_mib=CARD_MIB,
        memory_used_mib=0,
        processes=(),
        simulated=True,
        **unknown,
    )
