"""A node as lists: its cards, what runs on them, its images; and what it is, in a few lines."""

from typing import Final

from eaas.cli.words import link_end_from, model, moment, mount
from eaas.lifecycle import NodeState
from eaas.node_views import CardProcessView, CardView, ImageView, MountView, NodeView
from eaas_tui.glyphs import BLOCKS, Glyphs
from eaas_tui.model.card_cells import is_shut, lying_bar, sign, state_word
from eaas_tui.model.card_facts import cpu_words, holder_words, state_words
from eaas_tui.model.columns import Cell, Column, Row, Tone
from eaas_tui.model.format import UNKNOWN, age, mib, percent
from eaas_tui.model.picture import Picture
from eaas_tui.model.viewport import Rows

CARDS: Final = (
    Column(key="index", title="GPU", width=3, align="right"),
    Column(key="state", title="STATE", width=10),
    Column(key="bar", title="LOAD", width=10, rank=6),
    Column(key="load", title="", width=4, align="right", rank=1),
    Column(key="used", title="MEMORY", width=8, align="right", rank=2),
    Column(key="total", title="OF", width=8, align="right", rank=4),
    Column(key="heat", title="TEMP", width=5, align="right", rank=3),
    Column(key="power", title="POWER", width=6, align="right", rank=5),
    Column(key="who", title="HOLDER", width=16, min_width=8, flex=2, rank=1),
    Column(key="model", title="MODEL", width=16, min_width=8, flex=1, rank=7),
)
PROCESSES: Final = (
    Column(key="gpu", title="PROCESSES", width=9),
    Column(key="pid", title="PID", width=8, align="right", rank=2),
    Column(key="user", title="USER", width=10, min_width=6),
    Column(key="memory", title="MEMORY", width=8, align="right", rank=3),
    Column(key="job", title="JOB", width=6, align="right"),
    Column(key="container", title="CONTAINER", width=20, min_width=12, rank=4),
    Column(key="command", title="COMMAND", width=20, min_width=6, flex=1),
)
IMAGES: Final = (
    Column(key="name", title="IMAGES", width=20, min_width=16, flex=1),
    Column(key="size", title="SIZE", width=8, align="right"),
    Column(key="digest", title="DIGEST", width=19, rank=1),
)
HARD_PCT: Final = 80
MOST_MOUNTS: Final = 4
"""So many lines say what the node has to mount; the cards need the rest."""

_TONES: Final[dict[str, Tone]] = {
    "free": "muted",
    "held": "good",
    "shared": "busy",
    "foreign": "warn",
    "dirty": "warn",
    "freed": "muted",
    "sick": "bad",
    "excluded": "muted",
    "unknown": "muted",
}


def card_rows(node: NodeView, glyphs: Glyphs = BLOCKS) -> Rows[str]:
    """Return the node's cards by UUID, in the order of their indices."""
    cards = {card.uuid: card for card in sorted(node.cards, key=lambda card: card.index)}
    return Rows(list(cards), lambda uuid: card_row(cards[uuid], glyphs))


def card_row(card: CardView, glyphs: Glyphs = BLOCKS) -> Row:
    """Return one card's row; its state stands there as a sign and as a word."""
    word = state_word(card)
    return Row(
        (
            str(card.index),
            Cell(f"{sign(card, glyphs)} {word}", _TONES.get(word, "plain")),
            Cell(lying_bar(card.utilization_pct, 10, glyphs), load_tone(card)),
            percent(card.utilization_pct),
            mib(card.memory_used_mib),
            mib(card.memory_total_mib),
            UNKNOWN if card.temperature_c is None else f"{card.temperature_c} C",
            UNKNOWN if card.power_w is None else f"{card.power_w:.0f} W",
            who(card),
            model(card),
        )
    )


def load_tone(card: CardView) -> Tone:
    """Return how a card's load is meant: as its state, and one that works hard stands out."""
    if card.state == "held" and (card.utilization_pct or 0) >= HARD_PCT:
        return "busy"
    return _TONES.get(state_word(card), "plain")


def who(card: CardView) -> str:
    """Return who has the card, or why nobody may; of one that is held and shut both, and of one
    that is shared what is to be known of it. For whom it is booked comes last.
    """
    booked = [f"booked for {one.whose} from {moment(one.start)}" for one in card.bookings]
    if card.claims:
        tells = card.reason is not None and (is_shut(card) or card.state == "shared")
        more = [card.reason.text] if card.reason is not None and tells else []
        return ", ".join([*holder_words(card), *more, *booked])
    if card.reason is not None:
        return state_words(card).partition(": ")[2]
    users = sorted({process.user or "?" for process in card.processes})
    return ", ".join([*users, *booked]) or UNKNOWN


def process_rows(node: NodeView, card: str | None = None) -> Rows[tuple[str, int]]:
    """Return the processes on every card, or on one, by card and process number."""
    found = {
        (each.uuid, process.pid): (each, process)
        for each in node.cards
        if card is None or each.uuid == card
        for process in each.processes
    }
    return Rows(list(found), lambda key: process_row(*found[key]))


def process_row(card: CardView, process: CardProcessView) -> Row:
    """Return one process; what no job started is marked as from outside the pool."""
    outside = process.job is None
    return Row(
        (
            f"GPU {card.index}",
            str(process.pid),
            process.user or UNKNOWN,
            mib(process.memory_mib),
            Cell("none", "warn") if outside else str(process.job),
            process.container or UNKNOWN,
            process.command or UNKNOWN,
        )
    )


def image_rows(node: NodeView) -> Rows[str]:
    """Return the images that are on the node, by name and digest."""
    images = {f"{image.name}@{image.digest}": image for image in node.images}
    return Rows(sorted(images), lambda key: image_row(images[key]))


def image_row(image: ImageView) -> Row:
    """Return one image's row."""
    return Row((image.name, mib(image.size_mib), (image.digest or UNKNOWN)[:19]))


def node_facts(node: NodeView, now: float) -> list[str]:
    """Return what the node is, how its last connection ended, what is wrong, what it can mount."""
    labels = ", ".join(f"{key}={value}" for key, value in sorted(node.labels.items()))
    what = [
        f"{node.name}  {node.state}",
        node.engine or node.runtime or "",
        f"version {node.version}" if node.version else "",
        f"at {node.address}" if node.address else "",
        _seen(node, now),
    ]
    where = [
        cpu_words(node),
        f"pools {', '.join(node.pools)}" if node.pools else "in no pool",
        f"labels {labels}" if labels else "",
    ]
    wrong = [f"! {condition.code}: {condition.text}" for condition in node.conditions]
    ended = link_end_from(node.last_end, now)
    return [
        "  ".join(filter(None, what)),
        "  ".join(filter(None, where)),
        *([f"last connection {ended}"] if ended else []),
        *wrong,
        *_mounts(node),
    ]


def _mounts(node: NodeView) -> list[str]:
    """Return the named mounts, first those that nobody can have now; many are only counted."""
    told = [_mount(view) for view in sorted(node.mounts, key=lambda view: view.available)]
    if len(told) <= MOST_MOUNTS:
        return told
    shown = told[: MOST_MOUNTS - 1]
    left = len(told) - len(shown)
    return [*shown, f"{left} more mounts: mini-eaas node show {node.name} lists them"]


def _mount(view: MountView) -> str:
    name, whom, mode, available = mount(view)
    said = f"mount {name}: for {whom}, {mode}"
    return f"{said}, available" if view.available else f"! {said}, not available{available[2:]}"


def _seen(node: NodeView, now: float) -> str:
    """Return when a node was heard of that is silent; readings tell nothing of when they came."""
    if node.state not in (NodeState.OFFLINE, NodeState.NEEDS_UPGRADE):
        return "connected"
    return f"seen {age(node.last_seen_at, now)} ago" if node.last_seen_at else "never seen"


def neighbour(picture: Picture, name: str | None, by: int) -> str | None:
    """Return the node so many places after this one, by name, round the end."""
    names = sorted(picture.nodes)
    if not names:
        return name
    return names[(names.index(name) + by) % len(names)] if name in names else names[0]
