"""How nodes and their cards stand in lines and columns: pools, then nodes side by side.

A few nodes stand one a line, their cells as wide as the space allows. Very many stand several
a line in small cells, so that a hundred of them are seen at once.
"""

from collections.abc import Collection, Mapping, Sequence
from itertools import chain
from typing import Final

import msgspec
from rich.cells import cell_len

from eaas.node_views import CardView, NodeView
from eaas.views import PoolNodeView, PoolView
from eaas_tui.model.card_cells import WIDTHS
from eaas_tui.model.picture import Picture

NO_POOL: Final = "(no pool)"
MARGIN: Final = 2
"""The selection's sign and the node's own, before its name."""
BARE_TAIL: Final = 4
"""Cells behind a node's cards: how many are free, and a gap; a state's word comes on top."""
MANY_NODES: Final = 16
"""More than this, and more than there are lines: they stand side by side."""
LONGEST_NAME: Final = 32
"""Cells that a name takes at most where there is room; of a longer one the begin stands there."""
SPARK: Final = 20
"""The columns of a sparkline, its gap among them."""


class Spot(msgspec.Struct, frozen=True):
    """Where the cursor is: on a pool's line, on a node, or on one of its cards."""

    pool: str
    node: str | None = None
    card: str | None = None


class Block(msgspec.Struct, frozen=True, kw_only=True):
    """A node within one pool, with those of its cards that belong to it."""

    pool: str
    node: NodeView
    cards: tuple[CardView, ...]


class Line(msgspec.Struct, frozen=True, kw_only=True):
    """A pool's line, or one of blocks side by side."""

    pool: str
    blocks: tuple[Block, ...] = ()
    nodes: tuple[str, ...] = ()
    """A pool's line: all of its nodes, also while it is closed."""

    @property
    def is_pool(self) -> bool:
        """Tell whether this is the line that opens and closes a pool."""
        return not self.blocks


class Measure(msgspec.Struct, frozen=True, kw_only=True):
    """How wide everything is."""

    cell: int
    name: int
    tail: int
    """For the count of free cards and, where there is room for it, the state of a node."""
    cards: int
    """The most cards a node has."""
    across: int = 1
    spark: int = 0

    @property
    def block(self) -> int:
        """Return the width of a node with its gap."""
        return MARGIN + self.name + self.cards * self.cell + self.tail + self.spark

    @property
    def is_dense(self) -> bool:
        """Tell whether several nodes share a line."""
        return self.across > 1


class Grid(msgspec.Struct, frozen=True, kw_only=True):
    """Every line there is, and the measure they were laid out with."""

    lines: tuple[Line, ...]
    measure: Measure

    def place(self, spot: Spot | None) -> tuple[int, int] | None:
        """Return the line and the block where a spot is now."""
        for at, line in enumerate(self.lines):
            if spot is None or line.pool != spot.pool:
                continue
            if spot.node is None and line.is_pool:
                return at, 0
            for across, block in enumerate(line.blocks):
                if block.node.name == spot.node:
                    return at, across
        return None


def blocks_of(picture: Picture) -> dict[str, list[Block]]:
    """Return the nodes of each pool, those of none at the end."""
    pools = {
        name: [*_blocks_in(picture.pools[name], picture.nodes)] for name in sorted(picture.pools)
    }
    placed = {block.node.name for block in chain.from_iterable(pools.values())}
    lost = [picture.nodes[name] for name in sorted(picture.nodes) if name not in placed]
    if lost:
        pools[NO_POOL] = [Block(pool=NO_POOL, node=node, cards=node.cards) for node in lost]
    return pools


def lay_out(picture: Picture, *, width: int, height: int, closed: Collection[str] = ()) -> Grid:
    """Return the lines that the picture makes in a space of that many cells."""
    pools = blocks_of(picture)
    open_pools = [blocks for name, blocks in pools.items() if name not in closed]
    measure = _measure(open_pools, width=width, height=height - len(pools))
    lines: list[Line] = []
    for name, blocks in pools.items():
        lines.append(Line(pool=name, nodes=tuple(block.node.name for block in blocks)))
        if name not in closed:
            lines += (Line(pool=name, blocks=group) for group in _groups(blocks, measure.across))
    return Grid(lines=tuple(lines), measure=measure)


def spots_of(line: Line) -> list[Spot]:
    """Return what the cursor can stand on in a line, from left to right."""
    if line.is_pool:
        return [Spot(line.pool)]
    return [
        spot
        for block in line.blocks
        for spot in (
            Spot(line.pool, block.node.name),
            *(Spot(line.pool, block.node.name, card.uuid) for card in block.cards),
        )
    ]


def sideways(grid: Grid, spot: Spot, by: int) -> Spot:
    """Return the spot so many steps to the right; it stays in its line."""
    place = grid.place(spot)
    if place is None:
        return spot
    spots = spots_of(grid.lines[place[0]])
    at = spots.index(spot) if spot in spots else 0
    return spots[max(0, min(len(spots) - 1, at + by))]


def upright(grid: Grid, spot: Spot, by: int) -> Spot:
    """Return the spot so many lines below, in the same column as far as there is one."""
    place = grid.place(spot)
    if place is None or not grid.lines:
        return spot
    at, across = place
    column = _card_column(grid.lines[at], across, spot)
    return spot_at(grid, max(0, min(len(grid.lines) - 1, at + by)), across, column)


def spot_at(grid: Grid, at: int, across: int, column: int | None) -> Spot:
    """Return the spot at that line, block and card, or the nearest to it."""
    line = grid.lines[at]
    if line.is_pool:
        return Spot(line.pool)
    block = line.blocks[min(across, len(line.blocks) - 1)]
    if column is None or not block.cards:
        return Spot(line.pool, block.node.name)
    card = block.cards[max(0, min(column, len(block.cards) - 1))]
    return Spot(line.pool, block.node.name, card.uuid)


def kept(grid: Grid, spot: Spot | None) -> Spot | None:
    """Return the spot if it still exists, else the nearest that does: node, pool, the first."""
    if not grid.lines:
        return None
    if spot is not None and (place := grid.place(spot)):
        if spot in spots_of(grid.lines[place[0]]):
            return spot
        return Spot(spot.pool, spot.node)
    if spot is not None and grid.place(Spot(spot.pool)):
        return Spot(spot.pool)
    first = next((line for line in grid.lines if not line.is_pool), None)
    return spots_of(first)[0] if first else spots_of(grid.lines[0])[0]


def _groups(blocks: Sequence[Block], across: int) -> list[tuple[Block, ...]]:
    return [tuple(blocks[at : at + across]) for at in range(0, len(blocks), across)]


def _blocks_in(pool: PoolView, nodes: Mapping[str, NodeView]) -> list[Block]:
    return [
        Block(pool=pool.name, node=nodes[member.name], cards=_cards_in(member, nodes[member.name]))
        for member in sorted(pool.nodes, key=lambda member: member.name)
        if member.name in nodes
    ]


def _cards_in(member: PoolNodeView, node: NodeView) -> tuple[CardView, ...]:
    if member.cards is None:
        return node.cards
    return tuple(card for card in node.cards if card.uuid in member.cards)


def _measure(pools: Sequence[Sequence[Block]], *, width: int, height: int) -> Measure:
    blocks = [block for pool in pools for block in pool]
    bare = Measure(
        cell=WIDTHS[-1],
        name=_name(blocks, width),
        tail=BARE_TAIL,
        cards=max((len(block.cards) for block in blocks), default=0),
    )
    if len(blocks) > max(MANY_NODES, height):
        return _dense(bare, pools, width=width, height=height)
    cell = next((cell for cell in WIDTHS if _with(bare, cell).block <= width), WIDTHS[-1])
    measure = _with_longer_names(_with(bare, cell), blocks, width)
    measure = _with_words(measure, blocks, width)
    if cell >= 8 and measure.block + SPARK <= width:
        return msgspec.structs.replace(measure, spark=SPARK)
    return measure


def _dense(bare: Measure, pools: Sequence[Sequence[Block]], *, width: int, height: int) -> Measure:
    """Take the widest small cell with which everything is seen at once; else a narrow one."""
    fallback = bare
    for cell in (width_ for width_ in WIDTHS if width_ <= 5):
        measure = _with(bare, cell)
        across = max(1, width // measure.block)
        measure = msgspec.structs.replace(measure, across=across)
        if measure.block <= width and cell in (5, 2):
            fallback = measure
        if measure.block <= width and _lines(pools, across) <= height:
            return measure
    return fallback


def _lines(pools: Sequence[Sequence[Block]], across: int) -> int:
    return sum(-(-len(pool) // across) for pool in pools)


def _with(measure: Measure, cell: int) -> Measure:
    return msgspec.structs.replace(measure, cell=cell)


def _name(blocks: Sequence[Block], width: int) -> int:
    """As wide as the longest name, up to a fifth of the space, never narrower than the title."""
    return max(7 if width >= 40 else 5, min(width // 5, _longest(blocks))) + 1


def _longest(blocks: Sequence[Block]) -> int:
    """Return the width of the longest name; a single endless one must not take all the room."""
    longest = max((cell_len(block.node.name) for block in blocks), default=0)
    return min(longest, LONGEST_NAME)


def _with_longer_names(measure: Measure, blocks: Sequence[Block], width: int) -> Measure:
    """Give the names what room is left."""
    more = max(0, min(width - measure.block, _longest(blocks) + 1 - measure.name))
    return msgspec.structs.replace(measure, name=measure.name + more)


def _with_words(measure: Measure, blocks: Sequence[Block], width: int) -> Measure:
    """Give the states' words what room is left: names and cards stay where they are."""
    longest = max((len(b.node.state) for b in blocks if b.node.state != "Ready"), default=0)
    more = longest + 1 if longest else 0
    fits = measure.block + more <= width
    return msgspec.structs.replace(measure, tail=measure.tail + more) if fits else measure


def _card_column(line: Line, across: int, spot: Spot) -> int | None:
    if line.is_pool or spot.card is None:
        return None
    cards = [card.uuid for card in line.blocks[across].cards]
    return cards.index(spot.card) if spot.card in cards else None
