"""What a person has marked in a list: single keys, and a range that is still being drawn."""

from collections.abc import Collection, Sequence
from typing import Generic, TypeVar

import msgspec

K = TypeVar("K")


class Marks(msgspec.Struct, Generic[K], frozen=True, kw_only=True):
    """The marked keys; while ``since`` is set, moving the cursor draws a range from there."""

    keys: frozenset[K] = frozenset()
    since: K | None = None
    before: frozenset[K] = frozenset()
    """What was marked when the range began."""

    def toggled(self, key: K) -> "Marks[K]":
        """Return the marks with this key marked, or not any more; a range just ends here."""
        if self.since is not None:
            return Marks(keys=self.keys)
        return Marks(keys=self.keys ^ {key})

    def begun(self, key: K) -> "Marks[K]":
        """Begin a range at the key, or end the one that is being drawn."""
        if self.since is not None:
            return Marks(keys=self.keys)
        return Marks(keys=self.keys | {key}, since=key, before=self.keys)

    def drawn_to(self, key: K, keys: Sequence[K]) -> "Marks[K]":
        """Return the marks when the cursor has come to the key; nothing without a range."""
        if self.since is None:
            return self
        if self.since not in keys:
            return Marks(keys=self.keys)
        one, other = sorted((keys.index(self.since), keys.index(key)))
        within = self.before.union(keys[one : other + 1])
        return Marks(keys=within, since=self.since, before=self.before)

    def with_all(self, keys: Sequence[K]) -> "Marks[K]":
        """Mark everything shown, or nothing of it when all of it was marked already."""
        shown = frozenset(keys)
        return Marks(keys=self.keys - shown if shown <= self.keys else self.keys | shown)

    def retained(self, known: Collection[K]) -> "Marks[K]":
        """Return the marks without keys that no longer exist."""
        kept = frozenset(key for key in self.keys if key in known)
        if len(kept) == len(self.keys):
            return self
        return Marks(keys=kept, since=self.since, before=self.before & kept)

    def in_order(self, keys: Sequence[K]) -> list[K]:
        """Return the marked keys as they stand in the list, then those it does not show."""
        if not self.keys:
            return []
        shown = [key for key in keys if key in self.keys]
        hidden = self.keys.difference(shown)
        return [*shown, *sorted(hidden, key=str)]
