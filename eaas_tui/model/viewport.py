"""Where a list stands: which key is selected, and which part of the list is seen.

The selection is a key, not a row number, so it survives whatever update arrives; the number is
only where the key was found last.
"""

from collections.abc import Callable, Sequence
from typing import Generic, TypeVar

import msgspec

from eaas_tui.model.columns import Row

K = TypeVar("K")


class Rows(msgspec.Struct, Generic[K], frozen=True):
    """A list's keys in order, and how to draw one: only the visible ones are ever drawn."""

    keys: Sequence[K]
    row_of: Callable[[K], Row]

    def __len__(self) -> int:
        return len(self.keys)


class Viewport(msgspec.Struct, Generic[K], frozen=True, kw_only=True):
    """The selected key, its place among the keys, and the first visible place."""

    cursor: K | None = None
    """Kept while the list is empty, so that it is found again when the list comes back."""
    index: int = 0
    top: int = 0


def followed(
    view: Viewport[K], before: Sequence[K], now: Sequence[K], *, height: int
) -> Viewport[K]:
    """Return where the list stands after its keys changed.

    The selected key stays selected, on the same line of the screen if the list's ends allow it.
    When it is gone, the nearest one after it is selected, or else the nearest before it. When the
    selection is scrolled out of sight, it is the first visible row that stays in place.
    """
    if not now:
        return msgspec.structs.replace(view, index=0, top=0)
    index = _place_after(view, before, now)
    line = view.index - view.top
    if not before or 0 <= line < height:
        top = index - max(line, 0)
    else:
        top = _found(now, before[min(view.top, len(before) - 1)], otherwise=view.top)
    return Viewport(cursor=now[index], index=index, top=within(top, len(now), height))


def moved(view: Viewport[K], keys: Sequence[K], to: int, *, height: int) -> Viewport[K]:
    """Return the view with the row at ``to`` (or the nearest end) selected and in sight."""
    if not keys:
        return view
    index = max(0, min(to, len(keys) - 1))
    top = max(index - height + 1, min(view.top, index))
    return Viewport(cursor=keys[index], index=index, top=within(top, len(keys), height))


def within(top: int, count: int, height: int) -> int:
    """Return the first visible place that leaves no needless blank lines at the end."""
    return max(0, min(top, count - height))


def _place_after(view: Viewport[K], before: Sequence[K], now: Sequence[K]) -> int:
    if view.cursor is None:
        return min(view.index, len(now) - 1)
    found = _found(now, view.cursor, otherwise=-1)
    if found >= 0:
        return found
    left = {key: place for place, key in enumerate(now)}
    for key in (*before[view.index + 1 :], *reversed(before[: view.index])):
        if key in left:
            return left[key]
    return min(view.index, len(now) - 1)


def _found(keys: Sequence[K], key: K, *, otherwise: int) -> int:
    try:
        return keys.index(key)
    except ValueError:
        return otherwise
