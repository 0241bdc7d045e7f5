"""Turn what the driver answered into readings: no driver call, no clock, no file in here.

A value that the driver refuses becomes None, never 0. A card that stops answering stays listed
under the UUID that was remembered for it, with a fault.
"""

from collections.abc import Mapping, Sequence
from typing import Final, Literal, TypeVar

import msgspec

from eaas.ids import CardUuid
from eaas_agent.cards.nvml_answers import MIB, RawCard, RawProcess, Refused, meaning
from eaas_agent.cards.port import CardLink, CardProcess, CardReading, CardsPicture
from eaas_agent.cards.processes import ProcessFacts

T = TypeVar("T")


class KnownCard(msgspec.Struct, frozen=True, kw_only=True):
    """What is remembered of a card for the time when it no longer tells."""

    uuid: CardUuid
    index: int
    minor: int | None
    model: str
    memory_total_mib: int | None


class XidFault(msgspec.Struct, frozen=True, kw_only=True):
    """A card's last Xid that is not the application's own doing."""

    xid: int
    at: float
    """Unix seconds."""


class Sample(msgspec.Struct, frozen=True, kw_only=True):
    """One line from the child: the picture, and what the next child must be told."""

    picture: CardsPicture
    known: tuple[KnownCard, ...] = ()
    xids: dict[CardUuid, XidFault] = {}


APPLICATION_XIDS: Final = frozenset({13, 31, 43, 45, 68, 109})
"""Xids that a job's own mistake raises; the card is fine."""

XID_MEMORY_S: Final = 1800.0
"""A card is offered again this long after its last Xid, if it still answers."""


def remember_xids(
    xids: Mapping[CardUuid, XidFault], seen: Sequence[tuple[CardUuid, int]], now: float
) -> dict[CardUuid, XidFault]:
    """Return the faults that hold now: the recent ones and the new ones."""
    held = {uuid: fault for uuid, fault in xids.items() if now - fault.at < XID_MEMORY_S}
    new = {uuid: XidFault(xid=xid, at=now) for uuid, xid in seen if xid not in APPLICATION_XIDS}
    return held | new


def compose(
    answers: Sequence[RawCard],
    *,
    before: Sample,
    facts: Mapping[int, ProcessFacts],
    xids: Mapping[CardUuid, XidFault],
    links: tuple[CardLink, ...],
    driver: str | None,
    now: float,
) -> Sample:
    """Return the sample made of one round of answers and the sample before it.

    ``facts`` says who the pids are. Cards known from before that gave no UUID this time are
    listed as lost; one that was never known has no identity, so it is only named in the text.
    """
    last = {card.uuid: card for card in before.picture.cards}
    known = {card.uuid: card for card in before.known}
    alive = {
        uuid: reading_of(raw, uuid, before=last.get(uuid), facts=facts, xid=xids.get(uuid))
        for raw in answers
        if raw.lost is None and (uuid := _uuid(raw)) is not None
    }
    silent = {raw.index: raw.lost for raw in answers if raw.lost is not None}
    gone = {
        uuid: lost_reading(card, silent.get(card.index))
        for uuid, card in known.items()
        if uuid not in alive
    }
    cards = tuple(
        sorted((*alive.values(), *gone.values()), key=lambda card: (card.index, card.uuid))
    )
    nameless = sorted(silent.keys() - {card.index for card in gone.values()})
    return Sample(
        picture=CardsPicture(
            state="ok" if cards or nameless else "none",
            text=_text(cards, nameless),
            driver=driver,
            cards=cards,
            links=links,
            sampled_at=now,
        ),
        known=tuple(_known(card) for card in cards),
        xids=dict(xids),
    )


def reading_of(
    raw: RawCard,
    uuid: CardUuid,
    *,
    before: CardReading | None,
    facts: Mapping[int, ProcessFacts],
    xid: XidFault | None,
) -> CardReading:
    """Return the reading of a card that answers.

    A number that is refused for the moment keeps its last value and says so in the notes. The
    process list does not: an old list must not make a card look free.
    """
    last = before or _NOTHING
    memory = None if isinstance(raw.memory, Refused) or raw.memory.total <= 0 else raw.memory
    keep_memory = isinstance(raw.memory, Refused) and meaning(raw.memory) == "again"
    utilization = _value(raw.utilization_pct, last.utilization_pct)
    power_mw = _value(raw.power_mw, None if last.power_w is None else round(last.power_w * 1000))
    return CardReading(
        uuid=uuid,
        index=raw.index,
        minor=_value(raw.minor, last.minor),
        model=_value(raw.model, last.model) or "unknown model",
        memory_total_mib=memory.total // MIB
        if memory
        else last.memory_total_mib
        if keep_memory
        else None,
        memory_used_mib=memory.used // MIB
        if memory
        else last.memory_used_mib
        if keep_memory
        else None,
        utilization_pct=utilization if utilization is not None and utilization <= 100 else None,
        temperature_c=_value(raw.temperature_c, last.temperature_c),
        power_w=None if power_mw is None else power_mw / 1000,
        processes=None if isinstance(raw.processes, Refused) else _processes(raw.processes, facts),
        fault=_fault(raw, xid),
        notes=_notes(raw),
        memory_reserved_mib=memory.reserved // MIB
        if memory and memory.reserved is not None
        else last.memory_reserved_mib
        if keep_memory
        else None,
    )


def lost_reading(card: KnownCard, refused: Refused | None) -> CardReading:
    """Return the reading of a remembered card that is silent, or (None) no longer listed."""
    if refused is None:
        fault = f"card {card.index} is gone: the driver no longer lists it"
    elif refused.code == 16:
        fault = f"card {card.index} needs a reset, says the driver"
    else:
        fault = f"card {card.index} is lost: the driver says {refused.text!r} (code {refused.code})"
    return CardReading(
        uuid=card.uuid,
        index=card.index,
        minor=card.minor,
        model=card.model,
        memory_total_mib=card.memory_total_mib,
        memory_used_mib=None,
        utilization_pct=None,
        temperature_c=None,
        power_w=None,
        processes=None,
        fault=fault,
        lost=True,
    )


def no_picture(refused: Refused, now: float) -> CardsPicture:
    """Return the picture of a driver that refused as a whole."""
    match meaning(refused):
        case "no_driver" if refused.code == 12:
            text = "no NVIDIA driver on this machine: libnvidia-ml.so.1 is not there"
        case "no_driver":
            text = "the NVIDIA driver is installed but not loaded"
        case "mismatch":
            text = (
                "the NVIDIA driver was updated while the old one is still loaded: "
                "a reboot is needed; running jobs go on, no new job gets a card"
            )
        case _:
            text = (
                f"the NVIDIA driver does not start: it says {refused.text!r} (code {refused.code})"
            )
    state: Literal["none", "unknown"] = "none" if meaning(refused) == "no_driver" else "unknown"
    return CardsPicture(state=state, text=text, sampled_at=now)


_NOTHING: Final = CardReading(
    uuid=CardUuid(""),
    index=0,
    minor=None,
    model="",
    memory_total_mib=None,
    memory_used_mib=None,
    utilization_pct=None,
    temperature_c=None,
    power_w=None,
    processes=None,
)


def _uuid(raw: RawCard) -> CardUuid | None:
    return None if isinstance(raw.uuid, Refused) else CardUuid(raw.uuid)


def _value(answer: T | Refused, last: T | None) -> T | None:
    if not isinstance(answer, Refused):
        return answer
    return last if meaning(answer) == "again" else None


def _processes(
    raw: Sequence[RawProcess], facts: Mapping[int, ProcessFacts]
) -> tuple[CardProcess, ...]:
    def process(each: RawProcess) -> CardProcess:
        fact = facts.get(each.pid, ProcessFacts())
        return CardProcess(
            pid=each.pid,
            memory_mib=None if each.memory_bytes is None else each.memory_bytes // MIB,
            user=fact.user,
            command=fact.command,
            container=fact.container,
            started_ticks=fact.started_ticks,
        )

    return tuple(process(each) for each in raw)


def _fault(raw: RawCard, xid: XidFault | None) -> str | None:
    if raw.remap_failed is True:
        return (
            f"card {raw.index} has failing memory: a row could not be remapped, so replace the card"
        )
    if raw.remap_pending is True:
        return f"card {raw.index} needs a reset: a remapped memory row is pending"
    if xid is not None:
        return f"card {raw.index} reported Xid {xid.xid}"
    if raw.mig_on is True:
        return f"card {raw.index} is cut into MIG slices, which are not offered"
    return None


def _notes(raw: RawCard) -> tuple[str, ...]:
    numbers: Mapping[str, object] = {
        "memory": raw.memory,
        "utilization": raw.utilization_pct,
        "temperature": raw.temperature_c,
        "power": raw.power_mw,
    }
    stale = tuple(
        f"{name} is from an earlier sample: {answer.text}"
        for name, answer in numbers.items()
        if isinstance(answer, Refused) and meaning(answer) == "again"
    )
    if isinstance(raw.memory, Refused) and meaning(raw.memory) == "never":
        return (
            *stale,
            "the driver does not say how much memory there is: it is shared with the host",
        )
    return stale


def _known(card: CardReading) -> KnownCard:
    return KnownCard(
        uuid=card.uuid,
        index=card.index,
        minor=card.minor,
        model=card.model,
        memory_total_mib=card.memory_total_mib,
    )


def _text(cards: Sequence[CardReading], nameless: Sequence[int]) -> str | None:
    if nameless:
        which = ", ".join(str(index) for index in nameless)
        return f"not listed, because no UUID is known for it: card {which} does not answer"
    return None if cards else "the NVIDIA driver is loaded and lists no card"
