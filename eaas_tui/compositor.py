"""Asks widgets only for the lines that have changed.

Textual's own compositor asks every widget near a change for all of its lines, and cuts up what
stands in the same line as one. Two lines of a list that change cost as much as the whole screen
then, and each key changes two.
"""

from collections.abc import Iterator, Sequence
from inspect import signature
from itertools import pairwise
from typing import Final

from textual._compositor import ChopsUpdate, Compositor
from textual.geometry import Region
from textual.strip import Strip

Chops = list[dict[int, Strip | None]]
"""For each line of the screen its pieces, by the column where they begin."""
Span = tuple[int, int, int]
"""Row, and the columns from the first that has changed to the one behind the last."""


class LeanCompositor(Compositor):
    """Makes the same updates of fewer lines."""

    def render_partial_update(self) -> ChopsUpdate | None:
        """Return what has changed; the pieces beside it are left out."""
        regions, self._dirty_regions = self._dirty_regions, set()
        if not regions:
            return None
        spans = list(self._regions_to_spans(regions))
        ends = [line[1:] for line in self.cuts]
        return ChopsUpdate(self._chops_in(spans), spans, ends)

    def _chops_in(self, spans: Sequence[Span]) -> Chops:
        """Return the pieces that the spans touch, of whatever is in front there."""
        chops: Chops = [dict.fromkeys(line[:-1]) for line in self.cuts]
        missing = self._touched(spans)
        for widget, (region, clip) in self.visible_widgets.items():
            if not missing:
                break
            area = region.intersection(clip)
            rows = sorted(
                y
                for y, begins in missing.items()
                if area.y <= y < area.bottom and _is_in(area, begins)
            )
            for first, count in _runs(rows):
                part = Region(area.x - region.x, first - region.y, area.width, count)
                for y, strip in enumerate(widget.render_lines(part), first):
                    self._put(chops[y], strip, y, area, missing)
        return chops

    def _touched(self, spans: Sequence[Span]) -> dict[int, set[int]]:
        """Return where the touched pieces of each line begin."""
        touched: dict[int, set[int]] = {}
        for y, left, right in spans:
            begins = (x for x, end in pairwise(self.cuts[y]) if x < right and end > left)
            touched.setdefault(y, set()).update(begins)
        return touched

    def _put(
        self,
        line: dict[int, Strip | None],
        strip: Strip,
        y: int,
        area: Region,
        missing: dict[int, set[int]],
    ) -> None:
        """Put in place what is missing in this line; what is there already is in front."""
        cuts = [cut for cut in self.cuts[y] if area.x <= cut <= area.right]
        pieces = strip.divide([cut - area.x for cut in cuts[1:]])
        for x, piece in zip(cuts, pieces, strict=False):
            if x in missing[y]:
                line[x] = piece
        missing[y].difference_update(cuts[:-1])
        if not missing[y]:
            del missing[y]


def is_known() -> bool:
    """Tell whether Textual's compositor works as is expected here."""
    chops = ["self", "crop", "is_rendered_line"]
    return list(signature(Compositor._render_chops).parameters) == chops


def _is_in(area: Region, begins: set[int]) -> bool:
    left, right = area.x, area.right
    return any(left <= x < right for x in begins)


def _runs(rows: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Yield the first of each run of successive rows, and how many they are."""
    begin = 0
    for at in range(1, len(rows) + 1):
        if at == len(rows) or rows[at] != rows[at - 1] + 1:
            yield rows[begin], at - begin
            begin = at


KNOWN: Final = is_known()
