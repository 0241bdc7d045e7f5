"""What the lines of the grid say, piece by piece, in exactly the cells they were given."""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Final, TypeAlias

import msgspec
from rich.cells import cell_len

from eaas.node_views import CardView, NodeView
from eaas.views import PoolView
from eaas_tui.glyphs import BLOCKS, Glyphs
from eaas_tui.model.card_cells import (
    Piece,
    Shows,
    Tone,
    cell,
    fit,
    sparkline,
    tone,
)
from eaas_tui.model.columns import padded
from eaas_tui.model.grid import BARE_TAIL, MARGIN, NO_POOL, Block, Line, Measure, Spot
from eaas_tui.model.picture import Picture, Samples

_NODE_SIGNS: Final[Mapping[str, str]] = {
    "Ready": " ",
    "Draining": "=",
    "Unassigned": "-",
    "Offline": "!",
    "NeedsUpgrade": "^",
}
_SHORT_STATES: Final[Mapping[str, str]] = {
    "Draining": "drn",
    "Offline": "off",
    "NeedsUpgrade": "old",
}
"""What stands for the count of free cards, there are none, where the state's word has no room."""
POOL_SPARK: Final = 30

Look: TypeAlias = list[tuple[str, Tone, bool]]
"""A line's pieces: the text, what it is about, and whether the cursor stands on it."""


class Wish(msgspec.Struct, frozen=True, kw_only=True):
    """How a person wants the grid: what its cells show, drawn with what, and who is looking."""

    shows: Shows = "load"
    glyphs: Glyphs = BLOCKS
    me: str | None = None


def block_pieces(
    block: Block, measure: Measure, wish: Wish, spot: Spot | None, spark: str = ""
) -> Look:
    """Return a node's pieces; the flag says which of them the cursor stands on."""
    node = block.node
    on_node = spot is not None and spot.pool == block.pool and spot.node == node.name
    silent = node.state in ("Offline", "NeedsUpgrade")
    look: Tone = "dim" if silent else "name"
    lead = (">" if on_node else " ") + node_sign(node)
    pieces: Look = [
        (lead, "sick" if silent or node.conditions else "name", False),
        (padded(node.name, measure.name - 1), look, on_node and spot is not None and not spot.card),
        (" ", "plain", False),
    ]
    for card in block.cards:
        colour: Tone = "dim" if silent else tone(card, wish.me)
        chosen = on_node and spot is not None and spot.card == card.uuid
        pieces += _cell_pieces(card, measure.cell, wish, colour, chosen=chosen)
    missing = measure.cards - len(block.cards)
    if missing:
        pieces.append((padded(_in_place_of_cards(block), missing * measure.cell), "dim", False))
    tail = _tail(block, says_state=measure.tail > BARE_TAIL)
    pieces.append((fit(tail, measure.tail), "dim", False))
    if measure.spark:
        pieces.append((spark.rjust(measure.spark - 1) + " ", "low", False))
    return pieces


def node_sign(node: NodeView) -> str:
    """Return the one character that tells a node's state; ``!`` also for anything wrong."""
    if node.state == "Ready" and node.conditions:
        return "!"
    return _NODE_SIGNS.get(node.state, "?")


def pool_pieces(
    line: Line, picture: Picture, spot: Spot | None, *, is_closed: bool, spark: str = ""
) -> Look:
    """Return the line that opens and closes a pool, with what it has."""
    chosen = spot is not None and spot.pool == line.pool and spot.node is None
    lead = (">" if chosen else " ") + ("+ " if is_closed else "- ")
    pieces: Look = [
        (lead, "title", False),
        (line.pool, "title", chosen),
        ("  " + _pool_words(line, picture), "dim", False),
    ]
    if spark.strip():
        pieces.append(("  load, 15 min ", "dim", False))
        pieces.append((spark, "low", False))
    return pieces


def head_pieces(picture: Picture, measure: Measure, width: int, shows: Shows) -> list[Piece]:
    """Return the title line: how many nodes, and above each column the card's index."""
    room = MARGIN + measure.name
    title = f" NODES {len(picture.nodes)}"
    if measure.is_dense or measure.cell < 3:
        return [(fit(f"{title}  {_legend(shows)}", width), "title")]
    columns = "".join(f"{f'G{at}':<{measure.cell}}" for at in range(measure.cards))
    title = title if len(title) < room else " NODES"
    head = fit(title, room if measure.cards else width)
    rest = width - len(head) - len(columns)
    legend = f"free  {_legend(shows)}" if rest > 18 else "free"
    return [(head, "title"), (columns, "dim"), (fit(legend, rest), "dim")]


def changed_cells(was: Look, now: Look) -> tuple[int, int]:
    """Return the columns from the first to the last difference; equal lines have none."""
    if was == now:
        return 0, 0
    head = _equal(was, now)
    tail = _equal(was[head:][::-1], now[head:][::-1])
    left = _width(now[:head])
    before, after = (_width(look[head : len(look) - tail]) for look in (was, now))
    if before != after:
        return left, left + max(before, after) + _width(now[len(now) - tail :])
    return left, left + max(1, after)


def spark_of(
    cards: Sequence[CardView], samples: Mapping[str, Samples], width: int, glyphs: Glyphs
) -> str:
    """Return the cards' last quarter of an hour in that many columns."""
    kept = [samples[card.uuid].utilization_pct for card in cards if card.uuid in samples]
    return sparkline(kept, width, glyphs)


def _equal(one: Look, other: Look) -> int:
    """Return with how many equal pieces both begin."""
    for count, (was, now) in enumerate(zip(one, other, strict=False)):
        if was != now:
            return count
    return min(len(one), len(other))


def _width(look: Look) -> int:
    return sum(_cells(text) for text, _, _ in look)


_cells: Final = lru_cache(4096)(cell_len)
"""Mostly the same few signs; Rich's own cache is behind a function in Python."""


def _cell_pieces(card: CardView, width: int, wish: Wish, colour: Tone, *, chosen: bool) -> Look:
    text = cell(card, width, wish.shows, wish.glyphs)
    if not chosen or width < 3:
        return [(text, colour, chosen)]
    return [(text[:-1], colour, True), (text[-1:], colour, False)]


def _in_place_of_cards(block: Block) -> str:
    node = block.node
    if block.cards or node.cpus is None:
        return ""
    return f"no cards, {node.cpus_used:g} of {node.cpus:g} cpus held"


def _tail(block: Block, *, says_state: bool) -> str:
    free = sum(card.state == "free" and card.offered for card in block.cards)
    state = block.node.state
    count = f"{free:>2}" if block.cards else "  "
    if not says_state:
        return _SHORT_STATES.get(state, count)
    return count if state == "Ready" else f"{count} {state}"


def _pool_words(line: Line, picture: Picture) -> str:
    pool = picture.pools.get(line.pool)
    if pool is None:
        advice = "; mini-eaas pool add POOL NODE" if line.pool == NO_POOL else ""
        return f"{_count(len(line.nodes), 'node')}: nothing runs there{advice}"
    parts = [_count(len(line.nodes), "node")]
    if pool.cards_total:
        parts.append(_free_cards(line, pool, picture))
    if pool.cards_unavailable:
        parts.append(f"{pool.cards_unavailable} unavailable")
    return ", ".join([*parts, f"{pool.running} running", f"{pool.waiting} waiting"])


def _free_cards(line: Line, pool: PoolView, picture: Picture) -> str:
    cards = [card for name in line.nodes for card in picture.nodes[name].cards]
    simulated = sum(card.simulated for card in cards)
    kind = "simulated card" if simulated and simulated == len(cards) else "card"
    mixed = f" ({simulated} simulated)" if 0 < simulated < len(cards) else ""
    return f"{pool.cards_free} of {_count(pool.cards_total, kind)}{mixed} free"


def _count(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}s"


def _legend(shows: Shows) -> str:
    return {"load": "", "user": "shows users", "job": "shows jobs"}[shows]
