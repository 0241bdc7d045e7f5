"""A job in a few lines: what it is, why it stands where it does, and how its cards are."""

from collections.abc import Sequence
from datetime import tzinfo
from typing import Final

from eaas.lifecycle import ENDED
from eaas.node_views import CardView
from eaas.views import JobView
from eaas_tui.model.columns import Cell
from eaas_tui.model.format import (
    UNKNOWN,
    clock_time,
    duration,
    image,
    mib,
    percent,
    run_time,
    state_cell,
    state_tone,
    where,
    why,
)
from eaas_tui.model.picture import Picture

CARDS_SHOWN: Final = 8

Line = Sequence[Cell]


def facts(
    job: JobView, picture: Picture, now: float, *, ascii: bool = False, zone: tzinfo | None = None
) -> list[Line]:
    """Return the lines, what matters most first.

    ``now`` is Unix seconds; ``zone`` is where times of day are told, None is the machine's.
    """
    lines: list[Line] = [_what(job, ascii=ascii), _how(job, now, zone)]
    if reason := why(job, now):
        lines.append([Cell("why   ", "muted"), Cell(reason, state_tone(job.state))])
    lines += [_card(card, job) for card in cards_of(job, picture)[:CARDS_SHOWN]]
    return lines


def cards_of(job: JobView, picture: Picture) -> list[CardView]:
    """Return the cards that the job holds, with their newest readings; an ended one holds none.

    What it had may be somebody else's by now, and so is the load on it.
    """
    if job.state in ENDED:
        return []
    node = picture.nodes.get(job.node or "")
    held = {card.uuid for card in job.cards}
    return [] if node is None else [card for card in node.cards if card.uuid in held]


def _what(job: JobView, *, ascii: bool) -> Line:
    return [
        Cell(f"#{job.ref} ", "strong"),
        Cell(f"{job.name or UNKNOWN}  ", "strong"),
        Cell(f"{state_cell(job, ascii=ascii)}  ", state_tone(job.state)),
        Cell(f"{job.user}  {job.pool}/{job.queue}  priority {job.priority}"),
    ]


def _how(job: JobView, now: float, zone: tzinfo | None) -> Line:
    parts = []
    if job.node is not None:
        parts.append(f"on {where(job)}")
    if job.attempt:
        times = f" (preempted {job.preemptions}x)" if job.preemptions else ""
        parts.append(f"attempt {job.attempt}{times}")
    if job.started_at is not None:
        parts.append(f"started {clock_time(job.started_at, zone)}, ran {run_time(job, now)}")
    else:
        parts.append(f"submitted {clock_time(job.created_at, zone)}")
    if job.timeout_s is not None:
        parts.append(f"limit {duration(job.timeout_s)}")
    if image(job):
        parts.append(image(job))
    return [Cell("  ".join(parts), "muted")]


def _card(card: CardView, job: JobView) -> Line:
    power = UNKNOWN if card.power_w is None else f"{card.power_w:.0f}W"
    heat = UNKNOWN if card.temperature_c is None else f"{card.temperature_c}C"
    memory = f"{mib(card.memory_used_mib)}/{mib(card.memory_total_mib)}"
    mine = next((held.memory_mib for held in job.cards if held.uuid == card.uuid), None)
    share = "" if mine is None else f"  share {mib(mine)}, {_besides(len(card.claims) - 1)}"
    return [
        Cell(f"card {card.index} ", "muted"),
        Cell(f" util {percent(card.utilization_pct):>4}  memory {memory}  {power}  {heat}{share}"),
    ]


def _besides(others: int) -> str:
    if others < 1:
        return "alone"
    return "1 other job" if others == 1 else f"{others} other jobs"
