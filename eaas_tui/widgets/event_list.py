"""What happened, the newest last."""

from eaas_tui.model.event_rows import COLUMNS, event_rows
from eaas_tui.model.picture import Picture
from eaas_tui.widgets.row_list import RowList


class EventList(RowList[int]):
    """Shows events. Stays at the newest until a person goes up, and again from the end on."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(COLUMNS, empty="nothing happened yet", can_mark=False, id=id)

    def draw(self, picture: Picture) -> None:
        """Show the events of this picture."""
        self.set_class(picture.is_stale, "-stale")
        keys = self.rows.keys
        follows = not keys or self.selected in (None, keys[-1])
        self.show(event_rows(picture))
        if follows:
            self.action_to_end()
