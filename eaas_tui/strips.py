"""Textual's strips without the seven caches that each of them is born with.

Most are never filled, a list that has been scrolled keeps thousands of strips, and in Textual
8.2.8 the empty caches are nine tenths of what a strip takes, and of the time to make one.
"""

from collections.abc import Iterable
from typing import Any, Final

from rich.segment import Segment
from textual.cache import FIFOCache
from textual.strip import Strip

CACHES: Final = {
    "_divide_cache": 4,
    "_crop_cache": 16,
    "_style_cache": 16,
    "_filter_cache": 4,
    "_line_length_cache": 4,
    "_crop_extend_cache": 4,
    "_offsets_cache": 4,
}
"""Where a strip keeps them, and for how many entries each is."""
OTHERS: Final = ("_segments", "_cell_length", "_render_cache", "_link_ids", "_cell_count")


def make_lean() -> None:
    """Let a strip get each cache when it is first asked for."""
    if is_known():
        Strip.__init__ = _begin  # type: ignore[method-assign]
        Strip.__getattr__ = _cache  # type: ignore[attr-defined]


def is_known() -> bool:
    """Tell whether Textual's strips keep what is expected here."""
    return set(Strip.__slots__) == {*CACHES, *OTHERS}


def _begin(self: Strip, segments: Iterable[Segment], cell_length: int | None = None) -> None:
    self._segments = list(segments)
    self._cell_length = cell_length
    self._render_cache = self._link_ids = self._cell_count = None


def _cache(self: Strip, name: str) -> FIFOCache[Any, Any]:
    """Return the cache that the strip does not have yet, and keep it there."""
    if name not in CACHES:
        raise AttributeError(name)
    cache = FIFOCache[Any, Any](CACHES[name])
    setattr(self, name, cache)
    return cache
