"""What of a card jobs may share, and whether they keep to what they declared. Pure.

Nothing enforces a share: a job that takes more is not stopped, it is named, and what it takes is
offered to nobody else.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Final

import msgspec

from eaas.ids import JobNumber
from eaas.units import format_memory_mib
from eaas_agent.cards.port import CardProcess, CardReading
from eaas_agent.cards.verdict import CardClaim, CardHistory, CardRules, foreign_processes

Owner = Callable[[CardProcess], str | None]
"""Tells to which job a process belongs, by its uid; None for one that is nobody's here."""

STEP_MIB: Final = 256
"""In such steps it is told what is used too much, so that not every reading is news."""

BACK_WITHIN: Final = 0.95
"""A job that used too much counts as one until it is back at this part of what it declared."""


class ShareRules(msgspec.Struct, frozen=True, kw_only=True):
    """How cards are shared here; the node's owner sets it."""

    reserve_mib: int = 512
    """What stays free of a card beside what the driver takes."""
    max_sharers: int = 8
    """How many jobs may share one card; 0: cards are given as a whole only."""


DEFAULT_SHARING: Final = ShareRules()


class Excess(msgspec.Struct, frozen=True, kw_only=True):
    """What is in use on a shared card that nobody declared."""

    over_mib: int = 0
    """In whole steps."""
    overusers: tuple[JobNumber, ...] = ()
    text: str | None = None


def shareable_mib(
    reading: CardReading, history: CardHistory, rules: CardRules, sharing: ShareRules
) -> int | None:
    """Return what jobs may declare of the card together; None: it can't be shared.

    Until the card was seen idle its idle level is taken for the highest that it may be, so that
    what was given out once never turns out to be too much.
    """
    if sharing.max_sharers < 1 or reading.memory_total_mib is None:
        return None
    idle_mib = rules.idle_at_most_mib if history.idle_mib is None else history.idle_mib
    own_mib = idle_mib + (reading.memory_reserved_mib or 0)
    left_mib = reading.memory_total_mib - own_mib - sharing.reserve_mib
    return left_mib if left_mib > 0 else None


def excess(
    reading: CardReading,
    claims: Sequence[CardClaim],
    *,
    owner: Owner,
    idle_mib: int,
    before: Collection[JobNumber],
    rules: CardRules,
) -> Excess:
    """Return what the jobs that share the card, or strangers, use beyond what was declared.

    ``before`` is who was said to use too much in the reading before. A process from outside the
    pool closes the card for new shares, as it does for whole cards: nobody knows what it will take.
    """
    shares = {claim.uid: claim for claim in claims if claim.memory_mib is not None}
    if not shares:
        return Excess()
    used = _used(reading, owner)
    over = {uid: used.get(uid, 0) - (claim.memory_mib or 0) for uid, claim in shares.items()}
    told = [
        (claim, used.get(uid, 0))
        for uid, claim in sorted(shares.items(), key=lambda each: each[1].job)
        if over[uid] > 0 or (claim.job in before and _is_near(used.get(uid, 0), claim))
    ]
    if foreign_processes(reading, lambda process: owner(process) is not None, rules):
        over_mib = reading.memory_total_mib or 0
    else:
        undeclared = sum(mib for mib in over.values() if mib > 0)
        declared = sum(claim.memory_mib or 0 for claim in shares.values())
        beyond = (reading.memory_used_mib or 0) - idle_mib - declared
        over_mib = max(undeclared + _unexplained(reading, idle_mib, rules), beyond, 0)
    return Excess(
        over_mib=-(-over_mib // STEP_MIB) * STEP_MIB,
        overusers=tuple(claim.job for claim, _ in told),
        text="; ".join(_sentence(claim, mib) for claim, mib in told) or None,
    )


def _used(reading: CardReading, owner: Owner) -> Mapping[str, int]:
    used: dict[str, int] = {}
    for process in reading.processes or ():
        uid = owner(process)
        if uid is not None:
            used[uid] = used.get(uid, 0) + (process.memory_mib or 0)
    return used


def _unexplained(reading: CardReading, idle_mib: int, rules: CardRules) -> int:
    """Return what is in use and belongs to no process; 0 where the driver tells too little."""
    known = [process.memory_mib for process in reading.processes or ()]
    if reading.memory_used_mib is None or reading.processes is None or None in known:
        return 0
    rest = reading.memory_used_mib - idle_mib - sum(mib or 0 for mib in known)
    return rest if rest > rules.slack_mib else 0


def _is_near(used_mib: int, claim: CardClaim) -> bool:
    return used_mib > (claim.memory_mib or 0) * BACK_WITHIN


def _sentence(claim: CardClaim, used_mib: int) -> str:
    declared = format_memory_mib(claim.memory_mib or 0)
    used = f"{-(-used_mib * 10 // 1024) / 10:g}GiB" if used_mib >= 1024 else f"{used_mib}MiB"
    return f"job {claim.job} uses {used} of the {declared} it declared"
