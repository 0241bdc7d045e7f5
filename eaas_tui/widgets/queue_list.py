"""The queues, the most urgent first."""

from eaas_tui.model.picture import Picture
from eaas_tui.model.queue_rows import COLUMNS, queue_rows
from eaas_tui.widgets.row_list import RowList


class QueueList(RowList[str]):
    """Shows every queue; its keys are ``pool/queue``."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(COLUMNS, empty="no queue yet", can_mark=False, id=id)

    def draw(self, picture: Picture, now: float) -> None:
        """Show the queues of this picture; ``now``, in Unix seconds, tells how long one waits."""
        self.set_class(picture.is_stale, "-stale")
        self.show(queue_rows(picture, now))
