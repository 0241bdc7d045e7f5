"""What is to say of one card or node in a line: everything a cell has no room for."""

from eaas.booking_words import span_text
from eaas.cli.words import model
from eaas.node_views import CardProcessView, CardView, NodeView
from eaas_tui.model.card_cells import mean, state_word


def card_sentence(card: CardView) -> str:
    """Return everything about the card: model, memory, heat, power, holders, processes."""
    parts = [
        f"{card.node} card {card.index}",
        model(card),
        state_words(card),
        _load(card),
        memory_words(card),
        f"{gib(card.memory_claimed_mib)} declared" if card.state == "shared" else "",
        "" if card.temperature_c is None else f"{card.temperature_c} C",
        "" if card.power_w is None else f"{card.power_w:.0f} W",
        *holder_words(card),
        *(f"booked for {one.whose} {span_text(one.start, one.end)}" for one in card.bookings),
        *(process_words(process) for process in card.processes if process.job is None),
    ]
    return "  ".join(part for part in parts if part)


def state_words(card: CardView) -> str:
    """Return the card's state, and why it is so where a reason is known."""
    word = state_word(card)
    return f"{word}: {card.reason.text}" if card.reason is not None else word


def holder_words(card: CardView) -> list[str]:
    """Return one phrase for each job on the card."""
    return [
        f"job {claim.shown} of {claim.user}"
        + ("" if claim.memory_mib is None else f" ({gib(claim.memory_mib)})")
        for claim in card.claims
    ]


def process_words(process: CardProcessView) -> str:
    """Return whose process it is and what it runs."""
    who = f" of {process.user}" if process.user else ""
    what = f": {process.command}" if process.command else ""
    memory = "" if process.memory_mib is None else f" {gib(process.memory_mib)}"
    return f"pid {process.pid}{who}{memory}{what}"


def memory_words(card: CardView) -> str:
    """Return the memory in use of the memory there is."""
    if card.memory_total_mib is None:
        return ""
    used = "?" if card.memory_used_mib is None else gib(card.memory_used_mib)
    return f"{used} of {gib(card.memory_total_mib)}"


def node_sentence(node: NodeView) -> str:
    """Return what a node is and what is wrong with it."""
    free = sum(card.state == "free" and card.offered for card in node.cards)
    load = mean([card.utilization_pct for card in node.cards])
    parts = [
        node.name,
        node.state,
        f"{free} of {len(node.cards)} cards free" if node.cards else "no cards",
        "" if load is None else f"mean load {load}%",
        cpu_words(node),
        _jobs(len(node.jobs)),
        *(f"{condition.code}: {condition.text}" for condition in node.conditions),
    ]
    return "  ".join(part for part in parts if part)


def cpu_words(node: NodeView) -> str:
    """Return the CPUs and the memory that jobs hold, of what there is."""
    cpus = "" if node.cpus is None else f"cpus {node.cpus_used:g}/{node.cpus:g}"
    if node.memory_mib is None:
        return cpus
    used = "?" if node.memory_used_mib is None else gib(node.memory_used_mib)
    return f"{cpus}  memory {used}/{gib(node.memory_mib)}".strip()


def gib(mib: int) -> str:
    """Return a size for reading: one decimal below 10 GiB, MiB below one."""
    if mib < 1024:
        return f"{mib}M"
    return f"{mib / 1024:.1f}G" if mib < 10 * 1024 else f"{mib / 1024:.0f}G"


def _load(card: CardView) -> str:
    return "" if card.utilization_pct is None else f"load {card.utilization_pct}%"


def _jobs(count: int) -> str:
    return {0: "", 1: "1 job"}.get(count, f"{count} jobs")
