"""All jobs: filtered, sorted, marked, acted on, and those that ended long ago by pages."""

from collections.abc import Mapping
from functools import cache, partial
from typing import TYPE_CHECKING, ClassVar, Final

from msgspec.structs import replace
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Container
from textual.timer import Timer
from textual.widgets import Input

from eaas.errors import EaasError
from eaas.safe_text import safe_text
from eaas.views import JobView
from eaas_tui.actions import client_of
from eaas_tui.keys import bindings_for
from eaas_tui.model.columns import Row
from eaas_tui.model.job_query import NOTHING, JobFinder, JobQuery, counts_line, next_state
from eaas_tui.model.job_table import COLUMNS, WIDE, job_row
from eaas_tui.model.order import DEFAULT
from eaas_tui.model.past_jobs import PastJobs
from eaas_tui.model.picture import Picture
from eaas_tui.model.viewport import Rows
from eaas_tui.screens.acting import ActingScreen
from eaas_tui.screens.opening import clock_of, glyphs_of
from eaas_tui.widgets.job_preview import JobPreview
from eaas_tui.widgets.key_bar import KeyBar
from eaas_tui.widgets.prompt import History, Prompt
from eaas_tui.widgets.row_list import RowList
from eaas_tui.widgets.status_bar import StatusBar
from eaas_tui.widgets.text_lines import TextLines

if TYPE_CHECKING:
    from eaas.client import Client

TICK_S: Final = 1.0
"""How often times that run are told anew."""
MANY: Final = 5000
"""From so many jobs on a filter is no more tried at every letter."""
TYPING_S: Final = 0.2
NEAR_END: Final = 60
"""So few rows left below, and the next page of the past is fetched."""

NO_JOBS: Final = """No job waits or runs.
  n  submits one here
  f  shows those that have ended
In a shell:  mini-eaas job submit --help"""
NONE_MATCH: Final = """No job matches.
  esc  clears the filter
  a    shows everybody's    F  other states    f  those that have ended"""
NOT_YET: Final = "Nothing is known yet: the controller has not answered."


class JobsScreen(ActingScreen):
    """The list of all jobs; on a large terminal with the selected one beside it."""

    view_name: ClassVar[str] = "jobs"
    CSS_PATH = "jobs.tcss"
    AUTO_FOCUS = "#jobs-list"
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (110, "-mid"), (160, "-wide")]  # noqa: RUF012
    VERTICAL_BREAKPOINTS = [(0, "-short"), (30, "-tall")]  # noqa: RUF012 - as Textual has it
    BINDINGS: ClassVar[list[BindingType]] = [
        *bindings_for("jobs"),
        Binding("escape", "clear", "Clear", show=False),
    ]

    def __init__(self, *, query: JobQuery | None = None) -> None:
        super().__init__()
        self.query_now = query or JobQuery()
        self._finder: Final = JobFinder()
        self._past = PastJobs()
        self._typed: Final = History()
        self._shown: Mapping[int, JobView] = NOTHING
        self._is_wide = False
        self._is_loading = False
        self._typing_ends: Timer | None = None

    def compose(self) -> ComposeResult:
        """Compose the counts, the list and the preview between the two bars."""
        yield StatusBar()
        yield TextLines(id="jobs-counts")
        with Container(id="jobs-work"):
            yield RowList[int](COLUMNS, id="jobs-list")
            yield JobPreview(lambda: client_of(self.app), ascii=self._ascii, id="jobs-preview")
        yield KeyBar()

    def on_mount(self) -> None:
        """Let the times run."""
        self.set_interval(TICK_S, self._tick)

    # --- what is shown

    @property
    def job_list(self) -> RowList[int]:
        """The list."""
        return self.query_one("#jobs-list", RowList)

    def draw(self, picture: Picture) -> None:
        """Show the jobs of the picture."""
        self._show()

    def ask(self, query: JobQuery) -> None:
        """Show what this query finds."""
        served = (query.mine, query.state)
        if served != (self.query_now.mine, self.query_now.state):
            self._past = PastJobs()
        self.query_now = query
        is_default = query.sort == DEFAULT
        self.job_list.show_sort(None if is_default else query.sort, is_reverse=query.reverse)
        self._show(kept=False)

    def filter_by(self, text: str) -> None:
        """Show what this filter leaves, as if it had been typed."""
        self.ask(replace(self.query_now, text=text))

    def _tick(self) -> None:
        if self.is_current and self._is_fresh:
            self._show_rows()

    def _show(self, *, kept: bool = True) -> None:
        picture, selected = self.picture, self.job_list.selected
        found = self._finder.find(
            self.query_now,
            picture.jobs,
            self._past.jobs,
            user=picture.user,
            now=self._now,
            kept=() if selected is None or not kept else (selected,),
        )
        if found is not self._shown:
            self._shown = found
            if self.job_list.marks.keys:
                self.job_list.retain_marks(picture.jobs.keys() | self._past.jobs.keys())
        self._show_rows()
        self._load_more()

    def _show_rows(self) -> None:
        now, pools = self._now, len(self.picture.pools) > 1
        shown = self._shown

        @cache  # a key moves the selection between rows that stay as they are
        def row_of(id: int) -> Row:
            return job_row(shown[id], now, ascii=self._ascii, several_pools=pools)

        self.job_list.set_class(not self._is_fresh, "-stale")
        self.job_list.show(Rows(tuple(shown), row_of), empty=self._empty())
        self._show_counts()
        self._show_preview()

    def _show_counts(self) -> None:
        doing = ""
        if self.query_now.shows_ended and not self._past.is_complete:
            doing = "loading" if self._is_loading else "more below"
        line = counts_line(self._finder, marked=len(self.job_list.marks.keys), doing=doing)
        self.query_one("#jobs-counts", TextLines).show([line])

    def _show_preview(self) -> None:
        preview = self.query_one(JobPreview)
        if preview.display and not self.has_class("-narrow"):
            preview.show(self.selected_job(), self.picture, self._now)

    def _empty(self) -> str:
        if self._finder.count and not self._shown:
            return NONE_MATCH if self.query_now.is_narrowed else NO_JOBS
        return NO_JOBS if self.picture.seq or self.picture.is_live else NOT_YET

    @property
    def _is_fresh(self) -> bool:
        return self.picture.link.state in ("live", "replay")

    @property
    def _ascii(self) -> bool:
        return glyphs_of(self.app).name == "ascii"

    @property
    def _now(self) -> float:
        """The time, which stands still while nothing is known of what happens."""
        return clock_of(self.app)() if self._is_fresh else self.picture.link.since

    # --- what is chosen

    def selected_job(self) -> JobView | None:
        """Return the job that the keys look at."""
        return self._shown.get(self.job_list.selected or 0)

    def chosen_jobs(self) -> list[JobView]:
        """Return the marked jobs, shown or not, or else the selected one."""
        views = (
            self.picture.jobs.get(id) or self._past.jobs.get(id) for id in self.job_list.chosen
        )
        return [job for job in views if job is not None]

    def acted(self) -> None:
        """Forget the marks: what they were for is done."""
        self.job_list.action_unmark()

    # --- keys

    def action_filter(self) -> None:
        """Type a filter; the list follows while one types."""
        if not self.query(Prompt):
            prompt = Prompt(
                value=self.query_now.text,
                placeholder="words  user:x  state:wait  gpu:>=4  !not  ~regex",
                history=self._typed,
                id="jobs-filter",
            )
            self.mount(prompt)
            prompt.focus()

    @on(Input.Changed, "#jobs-filter")
    def _typing(self, event: Input.Changed) -> None:
        """Follow what is typed; where that is much work, only once nobody types for a moment."""
        if self._finder.count <= MANY:
            self.filter_by(event.value)
            return
        self._forget_typing()
        self._typing_ends = self.set_timer(TYPING_S, partial(self.filter_by, event.value))

    def _forget_typing(self) -> None:
        if self._typing_ends is not None:
            self._typing_ends.stop()
            self._typing_ends = None

    @on(Prompt.Taken, "#jobs-filter")
    async def _typed_it(self, event: Prompt.Taken) -> None:
        self._forget_typing()
        if event.line != self.query_now.text:
            self.filter_by(event.line)
        await self._close_prompt()

    @on(Prompt.Left, "#jobs-filter")
    async def _left_it(self) -> None:
        self._forget_typing()
        self.filter_by("")
        await self._close_prompt()

    async def _close_prompt(self) -> None:
        await self.query(Prompt).remove()
        self.job_list.focus()

    def action_clear(self) -> None:
        """Take back the last thing that narrows or marks: range and marks, then the filter."""
        if self.job_list.marks.keys:
            self.job_list.action_unmark()
        else:
            self.ask(replace(self.query_now, text="", mine=False, state=None))

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Leave ``escape`` to the app when there is nothing to clear."""
        if action == "clear":
            return bool(self.job_list.marks.keys) or self.query_now.is_narrowed
        return super().check_action(action, parameters)

    def action_toggle_mine(self) -> None:
        """Show my jobs, or everybody's."""
        self.ask(replace(self.query_now, mine=not self.query_now.mine))

    def action_next_state(self) -> None:
        """Show only jobs of the next state that there are any of."""
        self.ask(next_state(self.query_now, self.picture.jobs.values()))

    def action_toggle_finished(self) -> None:
        """Show jobs that have ended too, or no more."""
        self.ask(replace(self.query_now, ended=not self.query_now.ended))

    def action_toggle_wide(self) -> None:
        """Show more columns, or fewer."""
        self._is_wide = not self._is_wide
        self.job_list.show_columns(WIDE if self._is_wide else COLUMNS)

    # --- what the list says

    @on(RowList.Selected, "#jobs-list")
    def _selected(self) -> None:
        self._show_preview()
        self._load_more()

    @on(RowList.MarksChanged, "#jobs-list")
    def _marks_changed(self) -> None:
        self._show_counts()

    @on(RowList.SortAsked, "#jobs-list")
    def _sort(self, event: RowList.SortAsked) -> None:
        self.ask(replace(self.query_now, sort=event.key, reverse=event.is_reverse))

    @on(RowList.Opened, "#jobs-list")
    def _opened(self) -> None:
        self.action_log()

    # --- the past

    def _load_more(self) -> None:
        """Fetch the next page of what has ended when the end of the list comes near."""
        is_wanted = self.query_now.shows_ended and not self._past.is_complete
        if is_wanted and not self._is_loading and self.picture.is_live:
            client = client_of(self.app)
            if client is not None and self.job_list.places_left < NEAR_END:
                self._is_loading = True
                self.run_worker(self._load(client, self._past), group="past")

    async def _load(self, client: "Client", past: PastJobs) -> None:
        query, is_well = self.query_now, True
        try:
            page = await client.jobs(
                all=True,
                state=query.state,
                user=self.picture.user if query.mine else None,
                limit=past.page_jobs,
                cursor=past.cursor,
            )
            past.add(page.items, page.next)
        except EaasError as error:
            is_well = False
            self.app.notify(safe_text(error.sentence), severity="warning", markup=False)
        finally:
            self._is_loading = False
        if is_well and self.is_current:
            self._show()
