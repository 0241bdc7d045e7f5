"""The indices of a job array and how many of its tasks may run at once, in their short form."""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import msgspec


class Span(NamedTuple):
    """Indices from ``first`` to ``last``, both of them in it, ``step`` apart."""

    first: int
    last: int
    step: int = 1

    @property
    def indices(self) -> range:
        """Return the indices."""
        return range(self.first, self.last + 1, self.step)

    @property
    def text(self) -> str:
        """Return it as people type it: ``7``, ``0-9`` or ``0-10:2``."""
        if self.first == self.last:
            return str(self.first)
        step = f":{self.step}" if self.step != 1 else ""
        return f"{self.first}-{self.last}{step}"


class JobArray(msgspec.Struct, frozen=True, array_like=True):
    """Ascending indices in spans; a job that is no array has none.

    Every task carries this, thousands of times, so it is short. Stored as a list, which is what a
    job had here before there were arrays.
    """

    spans: tuple[Span, ...] = ()
    at_most: int | None = None
    """How many tasks may run at once; None is as many as there is room for."""

    def __bool__(self) -> bool:
        return bool(self.spans)

    def __len__(self) -> int:
        return sum(len(span.indices) for span in self.spans)

    def __iter__(self) -> Iterator[int]:
        """Yield the indices, ascending."""
        return (index for span in self.spans for index in span.indices)

    def place(self, index: int) -> int | None:
        """Return how many indices come before this one; None if it is none of them."""
        before = 0
        for span in self.spans:
            if index in span.indices:
                return before + span.indices.index(index)
            before += len(span.indices)
        return None

    @property
    def text(self) -> str:
        """Return it as people type it: ``0-9,12%4``."""
        limit = f"%{self.at_most}" if self.at_most is not None else ""
        return ",".join(span.text for span in self.spans) + limit


def array_of(indices: Iterable[int], at_most: int | None = None) -> JobArray:
    """Return the array of these indices, in as few spans as reading them upwards gives."""
    left = sorted(set(indices))
    spans: list[Span] = []
    at = 0
    while at < len(left):
        size = _run(left, at)
        step = left[at + 1] - left[at] if size > 1 else 1
        spans.append(Span(left[at], left[at + size - 1], step))
        at += size
    return JobArray(tuple(spans), at_most)


def ranks_of(num_nodes: int) -> JobArray:
    """Return the ranks of a job on that many nodes; none where it is one."""
    return JobArray((Span(0, num_nodes - 1),)) if num_nodes > 1 else JobArray()


def _run(indices: Sequence[int], at: int) -> int:
    """Return how many indices from there on are equally far apart; two alone only if neighbours."""
    if at + 1 == len(indices):
        return 1
    step = indices[at + 1] - indices[at]
    end = at + 2
    while end < len(indices) and indices[end] - indices[end - 1] == step:
        end += 1
    return end - at if step == 1 or end - at > 2 else 1
