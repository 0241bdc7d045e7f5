"""What is wrong with the whole pool, as the status and then the journal say it; and its banner."""

from collections.abc import Iterable, Sequence
from typing import Final

from eaas.views import ConditionView, EventView
from eaas_tui.model.text_lines import within

BEGINS: Final = {"controller.mass_loss": "mass_loss"}
"""Lines of the journal with which a condition begins; the line's words are the condition's."""
ENDS: Final = {"controller.mass_loss_over": "mass_loss"}
SIGN: Final = "! "


class Whole:
    """The conditions of the whole. Lines of the journal count from the status on."""

    def __init__(self) -> None:
        self.conditions: tuple[ConditionView, ...] = ()
        self._seq = 0

    def start(self, conditions: Iterable[ConditionView], seq: int) -> bool:
        """Believe a status that was asked at this number; tell whether that is new."""
        self._seq = seq
        now = tuple(conditions)
        if now == self.conditions:
            return False
        self.conditions = now
        return True

    def hear(self, events: Iterable[EventView]) -> None:
        """Take lines of the journal, of which the status may know some already."""
        for event in events:
            if event.seq <= self._seq:
                continue
            self._seq = event.seq
            if code := BEGINS.get(event.kind) or ENDS.get(event.kind):
                self.conditions = tuple(one for one in self.conditions if one.code != code)
            if code := BEGINS.get(event.kind):
                began = ConditionView(code=code, text=event.text, since=event.at)
                self.conditions = (*self.conditions, began)


def banner(conditions: Sequence[ConditionView], width: int, most: int) -> list[str]:
    """Return the conditions in ``most`` lines at most; what is left out of one ends in a mark."""
    rows: list[str] = []
    for one in conditions:
        if len(rows) < most:
            rows += within(f"{SIGN}{one.text}", width, most - len(rows), indent=len(SIGN))
    return rows
