"""Builders for what a job's cards did."""

from random import Random
from typing import Any, Final

from eaas.sample_views import CardRunView, JobSamplesView
from eaas.units import parse_utc, utc_text
from eaas.views import HeldCardView, JobView
from tests.rig.views import AT


def a_card_run(index: int | None = 0, *loads: int | None, **but: Any) -> CardRunView:
    """Return what a card of 24 GiB did: these loads, peaks of 5 % more, 12 GiB all the time."""
    values: dict[str, Any] = {
        "uuid": f"GPU-n1-{index}",
        "index": index,
        "memory_total_mib": 24576,
        "utilization_pct": loads,
        "utilization_max_pct": tuple(None if load is None else load + 5 for load in loads),
        "memory_used_mib": tuple(12288 for _ in loads),
        "memory_used_max_mib": tuple(12288 for _ in loads),
    }
    return CardRunView(**{**values, **but})


def a_run(*cards: CardRunView, **but: Any) -> JobSamplesView:
    """Return the first attempt's run of these cards."""
    values: dict[str, Any] = {
        "job": 42,
        "attempt": 1,
        "at": utc_text(AT),
        "begin_at": utc_text(AT - 50),
        "every_s": 5.0,
        "cards": cards,
    }
    return JobSamplesView(**{**values, **but})


MOST_POINTS: Final = 360


def a_training(job: JobView, at: float) -> JobSamplesView:
    """Return the run of the job's newest attempt until then: always the same, and lifelike."""
    attempt = job.attempts[-1]
    begin, every_s = parse_utc(attempt.started_at or attempt.created_at), 5.0
    while (at - begin) / every_s >= MOST_POINTS:
        every_s *= 2
    points, chance = int((at - begin) / every_s) + 1, Random(job.id)
    return JobSamplesView(
        job=job.id,
        attempt=attempt.number,
        at=utc_text(at),
        begin_at=utc_text(begin),
        every_s=every_s,
        cards=tuple(_trained(card, points, chance) for card in attempt.cards),
    )


def _trained(card: HeldCardView, points: int, chance: Random) -> CardRunView:
    """Return a card that loads, works, and evaluates now and then."""
    loads = [
        chance.randint(76, 95) if at % 60 > 6 else chance.randint(8, 30) for at in range(points)
    ]
    used = [min(19_000 + 90 * card.uuid.count("a"), 1500 + 4500 * at) for at in range(points)]
    return CardRunView(
        uuid=card.uuid,
        index=card.index,
        memory_total_mib=24576,
        utilization_pct=tuple(loads),
        utilization_max_pct=tuple(min(100, load + chance.randint(3, 25)) for load in loads),
        memory_used_mib=tuple(used),
        memory_used_max_mib=tuple(mib + chance.randint(0, 1200) for mib in used),
    )
