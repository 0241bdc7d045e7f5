"""Pretended cards, for demos and tests: always labelled so, with load where they are held."""

import asyncio
import math
import re
import time
import uuid
import zlib
from collections.abc import Callable, Mapping
from itertools import combinations
from typing import Final, NamedTuple

import msgspec

from eaas.errors import EaasError
from eaas.ids import CardUuid, NodeName
from eaas_agent.cards.port import CardLink, CardProcess, CardReading, CardsPicture

MAX_CARDS: Final = 64

_GROUP: Final = re.compile(
    r"(?P<count>\d{1,3})x(?P<size>\d{1,7})(?P<unit>GiB|MiB)(?:/(?P<tied>[1-9]\d?))?"
    r"(?::(?P<model>[^,]+))?",
    re.I,
)
_IDLE_MIB: Final = 4
_IDLE_C: Final = 34.0
_WARMING_S: Final = 40.0
_LOADING_S: Final = 15.0


class BadSimulation(EaasError):
    """What stands after ``--simulate`` names no cards."""

    code = "bad_simulation"

    def __init__(self, text: str) -> None:
        self.text = text
        super().__init__(
            f"--simulate {text!r} names no cards: write COUNTxMEMORY or COUNTxMEMORY:MODEL, "
            f"like 2x24GiB or 4x80GiB:A100, several with commas, {MAX_CARDS} cards at most; "
            "4x80GiB/2:A100 ties each two of them by NVLink"
        )


class SimulatedCard(msgspec.Struct, frozen=True, kw_only=True):
    """A card that is only pretended."""

    uuid: CardUuid
    index: int
    model: str
    memory_mib: int
    tied: int
    """Cards of the same number are joined by NVLink."""


class Holder(NamedTuple):
    """An attempt on a card."""

    pid: int | None = None
    """Its process, where one is known."""
    memory_mib: int | None = None
    """Its share of the card; None is the whole card."""


class Load(msgspec.Struct, frozen=True, kw_only=True):
    """Who is on a card, since when somebody is, and how warm it was then."""

    holders: dict[str, tuple[Holder, float]] = {}
    """By job: the attempt, and since when (Unix seconds)."""
    since: float = 0.0
    """Unix seconds."""
    was_c: float = _IDLE_C

    @property
    def held(self) -> bool:
        """Tell whether anybody is on the card."""
        return bool(self.holders)


def parse_simulation(text: str, node: NodeName) -> tuple[SimulatedCard, ...]:
    """Return the cards that ``2x24GiB,4x80GiB:A100`` means on a node, always the same ones."""
    cards: list[SimulatedCard] = []
    for part in text.split(","):
        found = _GROUP.fullmatch(part.strip())
        if found is None:
            raise BadSimulation(text)
        memory_mib = int(found["size"]) * (1024 if found["unit"].lower() == "gib" else 1)
        name = (found["model"] or f"{found['size']} {found['unit']} card").strip()
        first, tied = len(cards), int(found["tied"] or 1)
        for nth in range(int(found["count"])):
            cards.append(_card(node, len(cards), name, memory_mib, first + nth // tied * tied))
    if not 0 < len(cards) <= MAX_CARDS or any(card.memory_mib == 0 for card in cards):
        raise BadSimulation(text)
    return tuple(cards)


def simulated_reading(card: SimulatedCard, load: Load, now: float, seed: int = 0) -> CardReading:
    """Return the reading of a card at a moment: the same arguments, the same reading.

    A held card fills its memory within ``_LOADING_S``, works at some 60-100 % and warms up; a free
    one idles near zero and cools down.
    """
    phase = phase_of(card.uuid, seed)
    since_s = max(0.0, now - load.since)
    share = 0.45 + 0.4 * phase
    used = [
        (holder, int((holder.memory_mib or card.memory_mib) * share * _filled(now - since)))
        for holder, since in load.holders.values()
    ]
    memory_mib = min(card.memory_mib, _IDLE_MIB + sum(mib for _, mib in used))
    utilization = (
        _utilization(now, phase) * min(1.0, 0.2 + since_s / _LOADING_S) if load.held else 0.0
    )
    return CardReading(
        uuid=card.uuid,
        index=card.index,
        minor=None,
        model=card.model,
        memory_total_mib=card.memory_mib,
        memory_used_mib=memory_mib,
        utilization_pct=round(utilization),
        temperature_c=round(temperature_c(load, now, phase)),
        power_w=round(28 + 3 * math.sin(now / 7 + phase) + 2.8 * utilization, 1),
        processes=tuple(
            CardProcess(pid=holder.pid, memory_mib=memory_mib if holder.memory_mib is None else mib)
            for holder, mib in used
            if holder.pid is not None
        ),
        simulated=True,
    )


def _filled(since_s: float) -> float:
    """Return how much of its memory an attempt has filled after that long."""
    return min(1.0, max(0.0, since_s) / _LOADING_S)


def phase_of(card: CardUuid, seed: int) -> float:
    """Return a number from 0 to 1 that sets a card's load apart from its neighbours'."""
    return zlib.crc32(f"{seed}/{card}".encode()) / 2**32


def temperature_c(load: Load, now: float, phase: float) -> float:
    """Return how warm a card is: on its way from what it was to what its load makes it."""
    target = 68 + 8 * phase + 1.5 * math.sin(now / 11) if load.held else _IDLE_C
    return target + (load.was_c - target) * math.exp(-max(0.0, now - load.since) / _WARMING_S)


class SimulatedCards:
    """A source of readings without a driver. ``hold`` says which cards an attempt runs on."""

    def __init__(
        self,
        text: str,
        node: NodeName,
        *,
        period_s: float = 1.0,
        clock: Callable[[], float] = time.time,
        seed: int = 0,
    ) -> None:
        """``text`` as ``--simulate`` takes it; ``clock`` gives Unix seconds."""
        self._cards = parse_simulation(text, node)
        self._loads = {card.uuid: Load() for card in self._cards}
        self._period_s = period_s
        self._clock = clock
        self._seed = seed

    def hold(self, held: Mapping[CardUuid, Mapping[str, Holder]]) -> None:
        """Put load on exactly these cards: for each who is on it, by job."""
        now = self._clock()
        for uuid_, load in self._loads.items():
            holders = {
                job: (holder, load.holders[job][1] if job in load.holders else now)
                for job, holder in held.get(uuid_, {}).items()
            }
            if bool(holders) != load.held:
                was_c = temperature_c(load, now, phase_of(uuid_, self._seed))
                self._loads[uuid_] = Load(holders=holders, since=now, was_c=was_c)
            elif holders != load.holders:
                self._loads[uuid_] = msgspec.structs.replace(load, holders=holders)

    async def start(self) -> CardsPicture:
        """Return the first picture; there is nothing to begin."""
        return self.picture()

    def picture(self) -> CardsPicture:
        """Return the picture of the running period; within one, only ``hold`` changes it."""
        now = self._period() * self._period_s
        return CardsPicture(
            state="ok",
            cards=tuple(
                simulated_reading(card, self._loads[card.uuid], now, self._seed)
                for card in self._cards
            ),
            links=tuple(
                CardLink(a=a.uuid, b=b.uuid, kind="nvlink" if a.tied == b.tied else "host")
                for a, b in combinations(self._cards, 2)
            ),
            sampled_at=now,
        )

    async def changed(self) -> CardsPicture:
        """Wait for the next period and return its picture."""
        left_s = self._period_s - self._clock() % self._period_s
        await asyncio.sleep(left_s + 0.001)  # timers may wake a little early
        return self.picture()

    async def close(self) -> None:
        """Do nothing: no child, no task."""

    def _period(self) -> int:
        return math.floor(self._clock() / self._period_s)


def _card(node: NodeName, index: int, name: str, memory_mib: int, tied: int) -> SimulatedCard:
    made = uuid.uuid5(uuid.NAMESPACE_URL, f"mini-eaas/simulated/{node}/{index}")
    return SimulatedCard(
        uuid=CardUuid(f"GPU-{made}"),
        index=index,
        model=f"{name} (simulated)",
        memory_mib=memory_mib,
        tied=tied,
    )


def _utilization(now: float, phase: float) -> float:
    wave = 84 + 9 * math.sin(now / 3.1 + 6 * phase) + 5 * math.sin(now / 0.83 + 11 * phase)
    return min(100.0, max(0.0, wave))
