"""An undo log: what a step has changed can be taken back, the newest change first."""

from collections.abc import Callable
from typing import Any


class Undo:
    """Something whose every change can be undone until the step ends."""

    def __init__(self) -> None:
        self._undo: list[Callable[[], Any]] = []

    def mark(self) -> int:
        """Return a place in the undo log to go back to."""
        return len(self._undo)

    def undo_to(self, mark: int) -> None:
        """Take back everything since the mark."""
        while len(self._undo) > mark:
            self._undo.pop()()

    def _note(self, rows: list[Any], row: Any) -> None:
        rows.append(row)
        self._undo.append(rows.pop)

    def _put(self, name: str, value: Any) -> None:
        old = getattr(self, name)
        self._undo.append(lambda: setattr(self, name, old))
        setattr(self, name, value)

    def _enter(self, table: dict[Any, Any], key: Any, value: Any) -> None:
        old = table.get(key)
        self._undo.append(lambda: self._set(table, key, old))
        self._set(table, key, value)

    @staticmethod
    def _set(table: dict[Any, Any], key: Any, value: Any) -> None:
        if value is None:
            table.pop(key, None)
        else:
            table[key] = value
