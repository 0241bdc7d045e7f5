"""What a card did in the last quarter of an hour, as curves."""

from eaas.views import CardView
from eaas_tui.model.curve_points import Curve
from eaas_tui.model.picture import Samples


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
            unit="%",
            top=100,
            values=tuple(samples.utilization_pct),
            every_s=samples.every_s,
        ),
        Curve(
            title=f"{name} memory",
            unit="GiB" if total_mib else "%",
            top=top,
            values=memory,
            every_s=samples.every_s,
        ),
    ]
