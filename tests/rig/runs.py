"""Builders for what a job's cards did."""

from typing import Any

from eaas.sample_views import CardRunView, JobSamplesView
from eaas.units import utc_text
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
