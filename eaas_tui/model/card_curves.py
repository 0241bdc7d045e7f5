"""What a card did in the last quarter of an hour, as curves."""

from math import ceil

from msgspec.structs import replace

from eaas.node_views import CardView
from eaas_tui.model.curve_points import Curve, Value
from eaas_tui.model.picture import Samples


def card_name(uuid: str, index: int | None) -> str:
    """Return how a card is called above its curves."""
    return f"card {uuid[:12] if index is None else index}"


def since(samples: Samples | None, began: float | None, now: float) -> Samples | None:
    """Return those of the samples that are not older than the beginning (Unix seconds)."""
    if samples is None or began is None:
        return samples
    kept = max(1, ceil((now - began) / samples.every_s))
    return replace(
        samples,
        utilization_pct=tuple(samples.utilization_pct)[-kept:],
        memory_pct=tuple(samples.memory_pct)[-kept:],
    )


def card_curves(name: str, card: CardView | None, samples: Samples | None) -> list[Curve]:
    """Return the card's utilisation and memory as far as this console saw them.

    Memory is in GiB; in percent when the card is not known any more.
    """
    if samples is None:
        return []
    total_mib = None if card is None else card.memory_total_mib
    top = total_mib / 1024 if total_mib else 100.0
    memory = tuple(None if pct is None else pct * top / 100 for pct in samples.memory_pct)
    return [
        Curve(
            title=f"{name} utilisation",
            short=f"{name} util",
            unit="%",
            top=100,
            values=tuple(samples.utilization_pct),
            every_s=samples.every_s,
            now=load_now(card),
        ),
        Curve(
            title=f"{name} memory",
            short=f"{name} mem",
            unit="GiB" if total_mib else "%",
            top=top,
            values=memory,
            every_s=samples.every_s,
            now=memory_now(card) if total_mib else None,
        ),
    ]


def load_now(card: CardView | None) -> Value:
    """Return the card's newest reading of its utilisation."""
    return None if card is None else card.utilization_pct


def memory_now(card: CardView | None) -> Value:
    """Return the card's newest reading of its memory, in GiB."""
    used_mib = None if card is None else card.memory_used_mib
    return None if used_mib is None else used_mib / 1024
