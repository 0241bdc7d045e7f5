"""What of the grid is seen at one moment, from its title to the line about the selection."""

from collections.abc import Collection, Mapping, Sequence
from typing import Final

import msgspec
from rich.cells import cell_len

from eaas.node_views import CardView
from eaas_tui.model.card_facts import card_sentence, node_sentence
from eaas_tui.model.columns import padded
from eaas_tui.model.grid import Grid, Line, Spot
from eaas_tui.model.grid_text import (
    POOL_SPARK,
    Look,
    Wish,
    block_pieces,
    head_pieces,
    pool_pieces,
    spark_of,
)
from eaas_tui.model.picture import Picture, Samples

SPARK_FROM: Final = 110
"""The least width for a pool's sparkline."""


class Scene(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that decides what is drawn."""

    picture: Picture
    grid: Grid
    wish: Wish
    width: int
    height: int
    top: int = 0
    spot: Spot | None = None
    closed: Collection[str] = ()
    empty: str = ""
    """What is said where there is no node."""

    @property
    def has_info(self) -> bool:
        """Tell whether there is room for a line about the selection."""
        return self.height >= 4

    @property
    def lines_seen(self) -> int:
        """Return how many lines of the grid are seen between title and selection."""
        return max(0, self.height - 1 - self.has_info)

    @property
    def card(self) -> CardView | None:
        """The card under the cursor."""
        node = self.picture.nodes.get(self.spot.node or "") if self.spot else None
        if node is None or self.spot is None:
            return None
        return next((card for card in node.cards if card.uuid == self.spot.card), None)


class Sparks:
    """Sparklines, each made anew only when one of its cards was sampled again."""

    def __init__(self) -> None:
        self._samples: Mapping[str, Samples] | None = None
        self._known: dict[tuple[str, str], tuple[list[Samples | None], int, str]] = {}
        self._fresh: dict[tuple[Sequence[str], int, int], str] = {}
        """What was asked for since the samples were others: most pictures share them."""

    def of(self, scene: Scene, line: Line, node: str | None, width: int) -> str:
        """Return the last quarter of an hour of a pool, or of one node of it."""
        names = tuple(line.nodes) if node is None else (node,)
        if self._samples is not scene.picture.samples:
            self._samples, self._fresh = scene.picture.samples, {}
        asked = (names, sum(len(scene.picture.nodes[name].cards) for name in names), width)
        text = self._fresh.get(asked)
        if text is None:
            text = self._fresh[asked] = self._made(scene, line.pool, node, names, width)
        return text

    def _made(
        self, scene: Scene, pool: str, node: str | None, names: Sequence[str], width: int
    ) -> str:
        cards = [card for name in names for card in scene.picture.nodes[name].cards]
        samples = [scene.picture.samples.get(card.uuid) for card in cards]
        known = self._known.get((pool, node or ""))
        if known and known[1] == width and _are_the_same(known[0], samples):
            return known[2]
        text = spark_of(cards, scene.picture.samples, width, scene.wish.glyphs)
        self._known[pool, node or ""] = (samples, width, text)
        return text

    def forget(self) -> None:
        """Drop all of them: they are to be drawn with other signs."""
        self._known.clear()
        self._fresh.clear()


def seen(scene: Scene, sparks: Sparks) -> list[Look]:
    """Return every line that is seen, and make no other."""
    grid, bottom = scene.grid, scene.top + scene.lines_seen
    title: Look = [
        (text, tone, False)
        for text, tone in head_pieces(scene.picture, grid.measure, scene.width, scene.wish.shows)
    ]
    lines = [_look(scene, line, sparks) for line in grid.lines[scene.top : bottom]]
    told: list[Look] = [[(f" {line}", "name", False)] for line in scene.empty.splitlines()]
    lines += [_within(line, scene.width) for line in told]
    lines = lines[: scene.lines_seen]
    blank: list[Look] = [[] for _ in range(scene.lines_seen - len(lines))]
    info: list[Look] = (
        [[(padded(f" {_info(scene)}", scene.width), "name", False)]] if scene.has_info else []
    )
    return [title, *lines, *blank, *info][: scene.height]


def _look(scene: Scene, line: Line, sparks: Sparks) -> Look:
    measure = scene.grid.measure
    if line.is_pool:
        spark = sparks.of(scene, line, None, POOL_SPARK) if scene.width >= SPARK_FROM else ""
        closed = line.pool in scene.closed
        pieces = pool_pieces(line, scene.picture, scene.spot, is_closed=closed, spark=spark)
        return _within(pieces, scene.width)
    look: Look = []
    for block in line.blocks:
        width = measure.spark - 1
        spark = sparks.of(scene, line, block.node.name, width) if measure.spark else ""
        look += block_pieces(block, measure, scene.wish, scene.spot, spark)
    return look


def _within(look: Look, width: int) -> Look:
    """Return the line, with a tilde at its end where it is cut."""
    if sum(cell_len(text) for text, _, _ in look) <= width:
        return look
    kept: Look = []
    for text, tone, chosen in look:
        cells = cell_len(text)
        if cells >= width:
            return [*kept, (padded(text + " ", width), tone, chosen)]
        kept.append((text, tone, chosen))
        width -= cells
    return kept


def _info(scene: Scene) -> str:
    if (card := scene.card) is not None:
        return card_sentence(card)
    if scene.spot is None:
        return ""
    node = scene.picture.nodes.get(scene.spot.node or "")
    return "enter opens and closes the pool" if node is None else node_sentence(node)


def _are_the_same(one: list[Samples | None], other: list[Samples | None]) -> bool:
    return len(one) == len(other) and all(a is b for a, b in zip(one, other, strict=True))
