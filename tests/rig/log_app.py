"""An app with one log, whose pages a test puts in."""

from typing import Final

from eaas_tui.model.log_pages import LogPages
from eaas_tui.widgets.log_scroll import LogScroll
from eaas_tui.widgets.log_view import LogView
from tests.rig.pilots import OneWidget, lines_of

LINES: Final = b"".join(b"line %03d\n" % number for number in range(100))


class LogApp(OneWidget):
    """Shows one log, and keeps what it asked for."""

    def __init__(self, log: bytes, begin: int = 0) -> None:
        self.view = LogView()
        super().__init__(self.view)
        self.pages = LogPages()
        self.pages.put(begin, log)
        self.wishes: list[str] = []

    def on_mount(self) -> None:
        super().on_mount()
        self.view.show(self.pages)

    def on_log_scroll_wants(self, event: LogScroll.Wants) -> None:
        self.wishes.append(event.wish)

    def add(self, data: bytes) -> None:
        self.pages.put(self.pages.end, data)
        self.view.paint()

    @property
    def lines(self) -> list[str]:
        return [line.rstrip() for line in lines_of(self.view)]
