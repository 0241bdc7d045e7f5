"""One job beside a list: its facts, its cards, the end of its log. Follows whatever is selected."""

import asyncio
from collections.abc import Callable, Sequence
from typing import Final

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.timer import Timer

from eaas.errors import EaasError
from eaas.safe_text import safe_text
from eaas.views import JobView
from eaas_tui.log_source import LogClient, LogSource
from eaas_tui.model.columns import Cell
from eaas_tui.model.job_facts import facts
from eaas_tui.model.log_pages import LogPages
from eaas_tui.model.picture import EMPTY, Picture
from eaas_tui.widgets.log_view import LogView
from eaas_tui.widgets.text_lines import TextLines

REST_S: Final = 0.2
"""How long a job stays selected before it is shown: who runs through a list reads none of them."""
AGAIN_S: Final = 2.0
"""When a log that could not be had is asked for again."""

Asked = tuple[JobView | None, Picture, float]


class JobPreview(Vertical):
    """Shows a job. It asks the controller for the log's end alone."""

    DEFAULT_CSS = """
    JobPreview { height: 1fr; width: 1fr; }
    JobPreview > TextLines { height: 4; }
    JobPreview > LogView { height: 1fr; }
    """

    def __init__(
        self, client: Callable[[], LogClient | None], *, ascii: bool = False, id: str | None = None
    ) -> None:
        super().__init__(id=id)
        self._client: Final = client
        self._ascii: Final = ascii
        self._asked: Asked = (None, EMPTY, 0.0)
        self._shown: int | None = None
        """The job whose facts are shown."""
        self._log: tuple[int, int] | None = None
        """Job and attempt whose log is shown."""
        self._rest: Timer | None = None

    def compose(self) -> ComposeResult:
        """Compose the facts and the log."""
        yield TextLines(id="preview-facts")
        log = LogView(id="preview-log")
        log.can_focus = False
        yield log

    def on_mount(self) -> None:
        """Show what was asked for before there was anything to show it in."""
        if self._asked[0] is not None:
            self.call_after_refresh(self._show_asked)

    def show(self, job: JobView | None, picture: Picture, now: float) -> None:
        """Show the job as the picture has it, or nothing; another one than before once it rests."""
        before, self._asked = self._asked[0], (job, picture, now)
        if not self.is_mounted:
            return
        if job is None or self._shown in (None, job.id):
            self._show_asked()
        elif before is None or before.id != job.id:
            self._begin_rest()

    def _begin_rest(self) -> None:
        """Begin to wait, or to wait again."""
        if self._rest is None:
            self._rest = self.set_timer(REST_S, self._show_asked)
        else:
            self._rest.reset()

    def _show_asked(self) -> None:
        """Show what was asked for last."""
        if self._rest is not None:
            self._rest.stop()
            self._rest = None
        job, picture, now = self._asked
        self._shown = None if job is None else job.id
        lines: Sequence[Sequence[Cell]] = ()
        if job is not None:
            lines = facts(job, picture, now, ascii=self._ascii)
        text = self.query_one(TextLines)
        text.show(lines)
        if text.styles.height is None or text.styles.height.value != max(3, len(lines)):
            text.styles.height = max(3, len(lines))
        self._show_log_of(None if job is None or not job.attempt else (job.id, job.attempt))

    def _show_log_of(self, log: tuple[int, int] | None) -> None:
        if not self.query_one(LogView).is_on_screen or log == self._log:
            return
        self._log = log
        self.workers.cancel_node(self)
        self.query_one(LogView).show(LogPages())
        if log is not None:
            self.run_worker(self._follow(*log), group="log", exclusive=True)

    async def _follow(self, job: int, attempt: int) -> None:
        """Show the log's end, and what comes, until another is selected or nothing comes."""
        while True:
            client = self._client()
            try:
                if client is not None:
                    await self._read(LogSource(client, job, attempt, "both"))
                    return
            except EaasError as error:
                self._say(error.sentence)
            await asyncio.sleep(AGAIN_S)

    async def _read(self, source: LogSource) -> None:
        view = self.query_one(LogView)
        await source.open()
        view.show(source.pages)
        while not (source.pages.complete and source.pages.reaches_end):
            await source.poll(lambda: None)
            view.grew()

    def _say(self, sentence: str) -> None:
        pages = LogPages()
        pages.put(0, safe_text(sentence).encode(errors="replace"))
        self.query_one(LogView).show(pages)
