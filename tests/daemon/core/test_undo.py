"""Whatever a step has changed can be taken back, whole."""

from typing import Any

from eaas_daemon.core.undo import Undo


class Notes(Undo):
    def __init__(self) -> None:
        super().__init__()
        self.mood = "calm"
        self.rows: list[str] = []
        self.table: dict[str, int] = {}

    def set(self, key: str, value: int | None) -> None:
        old = self.table.get(key)
        self._undo.append(lambda: self._set(self.table, key, old))
        self._set(self.table, key, value)

    def change(self, mood: str, row: str) -> None:
        self._put("mood", mood)
        self._note(self.rows, row)

    @property
    def all(self) -> tuple[Any, ...]:
        return self.mood, list(self.rows), dict(self.table)


def test_going_back_to_a_mark_takes_back_what_came_after_it_and_nothing_else() -> None:
    notes = Notes()
    notes.change("busy", "first")
    notes.set("cards", 1)
    mark, before = notes.mark(), notes.all

    notes.change("tired", "second")
    notes.set("cards", 2)
    notes.set("cards", None)
    notes.set("nodes", 3)
    notes.undo_to(mark)

    assert notes.all == before


def test_the_order_of_undoing_is_the_reverse_of_doing() -> None:
    notes = Notes()

    for mood in ("busy", "tired", "angry"):
        notes.change(mood, mood)
    notes.undo_to(2)
    halfway = notes.all
    notes.undo_to(0)

    assert halfway == ("busy", ["busy"], {})
    assert notes.all == ("calm", [], {})
