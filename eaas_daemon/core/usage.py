"""How much of the cards each user has had of late: what fair share goes by.

Use is counted in card-seconds, and every card-second weighs half as much once the pool's half-life
has passed. It is a plain integral, so it can be had again from the claims that are stored. A share
of a card's memory counts for that part of the card, in thousandths.
"""

from collections.abc import Iterable, Mapping
from math import exp2, log
from typing import Final, NamedTuple

from eaas.ids import PoolName, UserName
from eaas.lifecycle import DEFAULT_HALF_LIFE_S
from eaas_daemon.core.model import Pool, Value, thousandths_of

STANDING_S: Final = 60.0
"""Use is compared in whole card-minutes: users who are level take turns by age."""

FORGOTTEN_HALF_LIVES: Final = 10.0
"""After so many half-lives a thousandth is left; the store is not asked for what is older."""

UsageKey = tuple[PoolName, UserName]
Standing = Mapping[UsageKey, int]
"""Decayed use in whole card-minutes; who is not in it has had nothing."""


class Usage(Value, frozen=True, kw_only=True):
    """Decayed card-seconds at the moment ``as_of`` (Unix seconds), and what is held since."""

    card_seconds: float = 0.0
    as_of: float = 0.0
    thousandths: int = 0
    """Of cards."""

    def at(self, now: float, half_life_s: float) -> float:
        """Return the decayed card-seconds at ``now``; a clock that went back adds nothing."""
        left = decay(now - self.as_of, half_life_s)
        held = self.thousandths * _whole(half_life_s) / 1000
        return self.card_seconds * left + held * (1 - left)

    def holding(self, more: int, at: float, half_life_s: float) -> "Usage":
        """Return this with that many more thousandths of a card held from ``at`` on."""
        return Usage(
            card_seconds=self.at(at, half_life_s),
            as_of=max(at, self.as_of),
            thousandths=max(0, self.thousandths + more),
        )

    def counts_at(self, now: float, half_life_s: float) -> bool:
        """Tell whether there is anything in it to remember."""
        return self.thousandths > 0 or self.at(now, half_life_s) >= 1.0


class Span(NamedTuple):
    """A card, or a part of one, that somebody had from one moment to another (Unix seconds)."""

    pool: PoolName
    user: UserName
    began: float
    ended: float | None
    """None while it is still held."""
    memory_mib: int | None = None
    """The share; None is the whole card."""
    of_mib: int | None = None

    @property
    def thousandths(self) -> int:
        """Return what of the card it was."""
        return thousandths_of(self.memory_mib, self.of_mib)


def decay(seconds: float, half_life_s: float) -> float:
    """Return what is left of a unit after that long."""
    return exp2(-max(0.0, seconds) / half_life_s)


def past(
    spans: Iterable[Span], pools: Mapping[PoolName, Pool], now: float
) -> dict[UsageKey, Usage]:
    """Return the use as of ``now`` that these spans add up to, on top of what a pool says itself.

    Of that the spans are no part: what they were before counts no more.
    """
    sums = {
        (pool.name, user): Usage(card_seconds=seconds, as_of=pool.used.as_of)
        for pool in pools.values()
        if pool.used is not None
        for user, seconds in pool.used.card_seconds.items()
    }
    sums = {
        key: Usage(card_seconds=used.at(now, pools[key[0]].half_life_s), as_of=now)
        for key, used in sums.items()
    }
    for span in spans:
        if (pool := pools.get(span.pool)) is not None:
            old = sums.get((span.pool, span.user), Usage(as_of=now))
            sums[span.pool, span.user] = _with_span(old, span, pool)
    return {key: used for key, used in sums.items() if used.card_seconds > 0 or used.thousandths}


def _with_span(old: Usage, span: Span, pool: Pool) -> Usage:
    now, half_life_s = old.as_of, pool.half_life_s
    since = span.began if pool.used is None else max(span.began, pool.used.as_of)
    began = decay(now - since, half_life_s)
    ended = 1.0 if span.ended is None else decay(now - span.ended, half_life_s)
    return Usage(
        card_seconds=old.card_seconds
        + span.thousandths * _whole(half_life_s) / 1000 * max(0.0, ended - began),
        as_of=now,
        thousandths=old.thousandths + (span.thousandths if span.ended is None else 0),
    )


def counts_s(pools: Iterable[Pool]) -> float:
    """Return how long a card that was given back counts, in some of these pools."""
    return FORGOTTEN_HALF_LIVES * max((pool.half_life_s for pool in pools), default=0.0)


def spent(
    usage: Mapping[UsageKey, Usage], pools: Mapping[PoolName, Pool], now: float
) -> list[UsageKey]:
    """Return whose use has decayed to nothing, so that nobody is remembered for ever.

    That of a pool that was deleted decays too: one of the same name may be made again.
    """
    return [
        key
        for key, used in usage.items()
        if not used.counts_at(
            now, pools[key[0]].half_life_s if key[0] in pools else DEFAULT_HALF_LIFE_S
        )
    ]


def standing(
    usage: Mapping[UsageKey, Usage], pools: Mapping[PoolName, Pool], now: float
) -> Standing:
    """Return how everybody stands now who has had something."""
    return {
        key: minutes
        for key, used in usage.items()
        if key[0] in pools
        if (minutes := int(used.at(now, pools[key[0]].half_life_s) // STANDING_S))
    }


def _whole(half_life_s: float) -> float:
    """Return the decayed card-seconds of a card that was held for ever."""
    return half_life_s / log(2)
