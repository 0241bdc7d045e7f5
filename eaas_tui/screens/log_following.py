"""Follows one attempt's log while somebody looks, and brings the pages they look at."""

import asyncio
from collections.abc import Callable
from typing import Any, Final

from textual.app import ComposeResult
from textual.widget import Widget
from textual.worker import Worker

from eaas.errors import EaasError
from eaas.safe_text import safe_text
from eaas.views import JobView
from eaas_tui.log_source import LogClient, LogSource, Stream
from eaas_tui.model.columns import Cell
from eaas_tui.model.job_page import bytes_words
from eaas_tui.model.log_pages import HEAD, TAIL, Ask, LogPages
from eaas_tui.model.log_times import AROUND_BYTES
from eaas_tui.widgets.log_scroll import PAINT_S, LogScroll
from eaas_tui.widgets.log_view import LogView
from eaas_tui.widgets.text_pane import TextRow

STREAMS: Final[tuple[Stream, ...]] = ("both", "stdout", "stderr")
AGAIN_S: Final = 2.0
"""How long after a refusal or a cut the log is asked for again."""


class LogFollowing(Widget):
    """Shows one attempt's log. Asks the controller only while it is ``start``ed."""

    DEFAULT_CSS = "LogFollowing { height: 1fr; layout: vertical; }"

    def __init__(self, client: Callable[[], LogClient | None], *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._client: Final = client
        self._job: JobView | None = None
        self._attempt: int | None = None
        """None is always the newest one."""
        self._stream: Stream = "both"
        self._source: LogSource | None = None
        self._is_on = False
        self._trouble = ""
        self._doing = ""

    def compose(self) -> ComposeResult:
        """Lay out the line above the log, and the log."""
        yield TextRow(id="log-bar")
        yield LogView(id="log-view")

    @property
    def view(self) -> LogView:
        """Return the log's window."""
        return self.query_one(LogView)

    # --- which log

    def show_job(self, job: JobView) -> None:
        """Show this job's log; a new attempt takes over unless another one was chosen."""
        self._job = job
        self._choose()

    def start(self) -> None:
        """Begin to ask the controller: somebody looks now."""
        self._is_on = True
        self._choose()

    def stop(self) -> None:
        """Ask for nothing more: nobody looks. What is being saved or searched for goes on."""
        self._is_on = False
        self._cancel("follow", "page", "times")

    @property
    def attempt(self) -> int:
        """Return the number of the attempt that is shown."""
        newest = 1 if self._job is None else max(1, self._job.attempt)
        return newest if self._attempt is None else self._attempt

    def turn_attempt(self, by: int) -> None:
        """Show an earlier or a later attempt."""
        if self._job is None:
            return
        newest = max(1, self._job.attempt)
        wanted = max(1, min(newest, self.attempt + by))
        self._attempt = None if wanted == newest else wanted
        self._choose()

    def turn_stream(self) -> None:
        """Show the other stream, or both."""
        self._stream = STREAMS[(STREAMS.index(self._stream) + 1) % len(STREAMS)]
        self._choose()

    def _choose(self) -> None:
        """Begin with another log if another one is wanted, and follow it while it is seen."""
        client = self._client()
        if self._job is None or not self._is_on:
            return
        if client is None:
            self.view.empty = "a log comes from the controller, and there is none here"
            self.view.grew()
            return
        wanted = (self._job.id, self.attempt, self._stream)
        source = self._source
        if source is None or (source.job, source.attempt, source.stream) != wanted:
            self._cancel("follow", "page", "search", "times")
            source = self._source = LogSource(client, *wanted)
            self._trouble, self._doing = "", ""
            self.begins_anew()
            self.view.empty = "bringing the log ..."
            self.view.show(source.pages)
        elif any(worker.group == "follow" for worker in self._workers()):
            return
        if not source.pages.complete or not source.pages.count:
            self.run_worker(self._followed(source), group="follow", exclusive=True)

    def _cancel(self, *groups: str) -> None:
        for worker in self._workers():
            if worker.group in groups:
                worker.cancel()

    def _workers(self) -> list[Worker[Any]]:
        own = [one for one in self.workers if one.node is self]
        return [one for one in own if not one.is_finished and not one.is_cancelled]

    async def _followed(self, source: LogSource) -> None:
        """Bring the log's end, then what is added, until nothing more will come."""
        is_open = bool(source.pages.size)
        while True:
            try:
                if not is_open:
                    await source.open()
                    await self._time_end(source)
                    is_open = True
                    self._opened(source)
                while not self._is_all(source):
                    await source.poll(self._reads_from)
                    await self._time_end(source)
                    self._trouble = ""
                    self._opened(source)
                    await asyncio.sleep(PAINT_S)
                return
            except EaasError as error:
                self._trouble = safe_text(error.sentence)
                self._tell()
            await asyncio.sleep(AGAIN_S)

    def _opened(self, source: LogSource) -> None:
        self.view.empty = self._nothing(source)
        self.view.grew()
        self._tell()

    def _nothing(self, source: LogSource) -> str:
        """Say that there are no lines, and of a job that waits why."""
        if source.pages.complete:
            return "nothing was written"
        job = self._job
        if job is None or job.attempt or job.reason is None:
            return "nothing yet"
        return f"nothing yet; it waits: {job.reason.text}"

    def _is_all(self, source: LogSource) -> bool:
        held = source.pages.reaches_end or self._reads_from() is not None
        return source.pages.complete and held

    def _reads_from(self) -> int | None:
        return None if self.view.follow else self.view.top.offset

    def begins_anew(self) -> None:
        """Forget what was about the log shown before."""

    # --- pages

    def on_log_scroll_wants(self, event: LogScroll.Wants) -> None:
        """Bring the page that is looked at next."""
        event.stop()
        if self._source is None or any(one.group == "page" for one in self._workers()):
            return
        self.run_worker(self._paged(self._source, event.wish), group="page")

    async def _paged(self, source: LogSource, wish: str) -> None:
        pages = source.pages
        held = (pages.begin, pages.end)
        asks = {"before": pages.before(), "after": pages.after(), "top": HEAD, "end": TAIL}
        ask = asks[wish]
        if ask is None:
            return
        try:
            await source.fetch(ask)
        except EaasError as error:
            self._say(error.sentence)
            return
        if wish == "top":
            self.view.look_at(0)
        elif wish == "end" or held != (pages.begin, pages.end):
            self.view.paint()

    def on_log_scroll_jumped(self, event: LogScroll.Jumped) -> None:
        """Go where the scrollbar was pressed."""
        event.stop()
        if self._source is not None:
            self.run_worker(self._jump(self._source, event.offset), group="page", exclusive=True)

    async def _jump(self, source: LogSource, offset: int) -> None:
        try:
            await source.show(offset)
        except EaasError as error:
            self._say(error.sentence)
            return
        self.view.look_at(offset)

    # --- telling

    def on_log_scroll_changed(self, event: LogScroll.Changed) -> None:
        """Tell the new place, and bring the times of what is in sight."""
        event.stop()
        self._tell()
        source = self._source
        if source is None or self._times_lacking(source.pages) is None:
            return
        if not any(one.group == "times" for one in self._workers()):
            self.run_worker(self._timed(source), group="times")

    def _times_lacking(self, pages: LogPages) -> Ask | None:
        view = self.view
        if view.times is None or view.pages is not pages or (seen := view.in_sight) is None:
            return None
        first, last = seen
        last = max(last, min(first + 1, pages.end))  # an empty line has a time as well
        return view.times.lacks(first, last, (pages.begin, pages.end))

    async def _timed(self, source: LogSource) -> None:
        """Bring times until those of all that is in sight are there."""
        while (ask := self._times_lacking(source.pages)) is not None:
            await self._bring_times(source, ask)
            self.view.lay_out()

    async def _time_end(self, source: LogSource) -> None:
        """Bring the times of the log's end before it is painted, so that they don't come after."""
        times, pages = self.view.times, source.pages
        if times is None or not self.view.follow:
            return
        begin = max(pages.begin, pages.end - AROUND_BYTES)
        if (ask := times.lacks(begin, pages.end, (pages.begin, pages.end))) is not None:
            await self._bring_times(source, ask)

    async def _bring_times(self, source: LogSource, ask: Ask) -> None:
        times = self.view.times
        try:
            told = await source.times(ask)
        except EaasError as error:
            self._say(f"the times can't be told: {error.sentence}")
            self.view.set_times(shown=False)
        else:
            if times is not None:
                times.put(ask, told)

    def _tell(self) -> None:
        if not self.is_attached:
            return
        attempts = 0 if self._job is None else self._job.attempt
        which = f"attempt {self.attempt} of {attempts}" if attempts > 1 else ""
        follow = Cell("follow", "good") if self.view.follow else Cell("held", "muted")
        parts = [
            Cell("LOG", "strong"),
            Cell(self._stream),
            Cell(which),
            follow,
            Cell("wrap" if self.view.lines.wrap else ""),
            *self._place(),
            Cell(self._told_of_search()),
            Cell(self._doing, "busy"),
            Cell(self._trouble, "bad"),
        ]
        self.query_one("#log-bar", TextRow).say(
            *(Cell(f"{part.text}  ", part.tone) for part in parts if part.text)
        )

    def _told_of_search(self) -> str:
        """Return which hit of a search is shown; nothing where none is."""
        return ""

    def _place(self) -> list[Cell]:
        pages = self.view.pages
        if not pages.count:
            return []
        index = self.view.top_row.line
        number = pages.number(index)
        offset = pages.start(index)
        at = f"line {number:,}" if number is not None else f"at {bytes_words(offset)}"
        done = "" if pages.complete else "growing"
        return [Cell(bytes_words(pages.size)), Cell(at), Cell(done, "muted")]

    def _say(self, sentence: str) -> None:
        self.app.notify(safe_text(sentence), severity="warning", markup=False)
