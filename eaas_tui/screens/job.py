"""One job: everything about it, why it waits, its log, its cards' curves, its journal, its spec."""

from typing import TYPE_CHECKING, Any, ClassVar, Final, Literal, get_args

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.widget import Widget
from textual.widgets import ContentSwitcher

from eaas.views import JobView
from eaas_tui import keys
from eaas_tui.actions import client_of
from eaas_tui.clipboard import copy
from eaas_tui.model.columns import Cell
from eaas_tui.model.job_page import event_lines, overview, spec_lines, title
from eaas_tui.model.picture import Picture
from eaas_tui.model.text_lines import text
from eaas_tui.screens.job_curves import JobCurves
from eaas_tui.screens.job_facts import JobFacts
from eaas_tui.screens.job_log import LogPane
from eaas_tui.screens.log_keys import LogKeys
from eaas_tui.screens.opening import clock_of, glyphs_of
from eaas_tui.widgets.curve import CurveGrid
from eaas_tui.widgets.key_bar import KeyBar
from eaas_tui.widgets.status_bar import StatusBar
from eaas_tui.widgets.tab_row import TabRow
from eaas_tui.widgets.text_pane import TextPane

if TYPE_CHECKING:
    from eaas.client import Client

Tab = Literal["Overview", "Log", "Curves", "Events", "Spec"]

TABS: Final[tuple[Tab, ...]] = get_args(Tab)
WIDTHS: Final = [(0, "-narrow"), (60, "-mid"), (160, "-wide")]
HEIGHTS: Final = [(0, "-low"), (8, "-tall")]
TICK_S: Final = 1.0
"""How often the times run on."""
WHY_AFTER_S: Final = 10.0
"""How often it is asked anew why a job waits, when nothing about it changed."""
KEEP_S: Final = 7 * 86400.0


class JobScreen(LogKeys):
    """Shows one job, ended or not; the keys that act are about it."""

    view_name: ClassVar[str] = "job"
    CSS_PATH = "job.tcss"
    AUTO_FOCUS = ""
    HORIZONTAL_BREAKPOINTS = WIDTHS
    VERTICAL_BREAKPOINTS = HEIGHTS
    BINDINGS: ClassVar[list[BindingType]] = [*keys.bindings_for("job")]

    def __init__(self, id: int, *, tab: Tab = "Overview") -> None:
        super().__init__()
        self._number: Final = id
        self._tab: Tab = tab
        self._facts: Final = JobFacts(self, id, self._client, self._show)
        self._curves: Final = JobCurves(self, id, self._client, self._show)
        self._seen: JobView | None = None
        self._why_asked_at = float("-inf")
        self._was_live = False

    def compose(self) -> ComposeResult:
        """Lay out the title, the tabs, and a pane for each."""
        yield StatusBar()
        yield TextPane(id="job-title")
        yield TabRow(TABS, id="job-tabs")
        with ContentSwitcher(id="job-panes", initial=self._tab):
            yield TextPane(id="Overview")
            yield LogPane(self._client, id="Log")
            yield CurveGrid(id="Curves")
            yield TextPane(id="Events", at_end=True)
            yield TextPane(id="Spec")
        yield KeyBar()

    def on_mount(self) -> None:
        """Ask for what the stream does not tell, and let the times run."""
        super().on_mount()
        self.query_one("#job-title", TextPane).can_focus = False
        self._facts.look_up()
        self.set_interval(TICK_S, self._tick)
        self.action_tab(self._tab)
        self._note_link(self.picture)

    # --- what is known

    @property
    def job(self) -> JobView | None:
        """Return the job as it stands; None before anything is known of it."""
        return self.picture.jobs.get(self._number) or self._facts.job

    def chosen_jobs(self) -> list[JobView]:
        """Return what the keys are about: this job."""
        return [] if self.job is None else [self.job]

    def facts(self) -> dict[str, Any]:
        """Return what the command line may mean by ``this``."""
        return {"job": self._number}

    def draw(self, picture: Picture) -> None:
        """Show what is new of the job; ask why it waits when something about it changed."""
        if not self.is_mounted:
            return
        job = self.job
        self._facts.heard(picture.events)
        self._note_link(picture)
        if job is None and self._facts.job is None:
            self._facts.look_up()
        elif job != self._seen:
            if self._seen is not None and self._number not in picture.jobs:
                self._facts.look_up()
            self._why_asked_at = float("-inf")
            self._seen = job
        self._ask_why()
        self._show()

    def _note_link(self, picture: Picture) -> None:
        """Dim what is old; when the controller is back, ask for what was missed meanwhile."""
        if picture.is_live and not self._was_live:
            self._facts.ask_events()
            self._why_asked_at = float("-inf")
        self._was_live = picture.is_live
        self.set_class(picture.link.state == "away", "-stale")

    def _ask_why(self) -> None:
        now, job = self._now(), self.job
        if job is not None and self.is_current and now - self._why_asked_at >= WHY_AFTER_S:
            self._why_asked_at = now
            self._facts.ask_why(job)

    def _tick(self) -> None:
        if self.is_current:
            self._ask_why()
            self._show()

    # --- what is shown

    def _show(self) -> None:
        """Fill the title and the pane in sight."""
        if not self.is_mounted or not self.query("#Spec"):
            return
        job = self.job
        head = self.query_one("#job-title", TextPane)
        if job is None:
            words = self._facts.trouble or f"asking for job {self._number} ..."
            head.show([text(Cell(words, "bad" if self._facts.trouble else "muted"))])
            return
        now = self._now()
        head.show([title(job, now)])
        self.query_one(LogPane).show_job(job)
        if self._tab == "Overview":
            self._pane("Overview").show(overview(job, self._facts.why, now, self.picture))
        elif self._tab == "Curves":
            self._show_curves(job)
        elif self._tab == "Events":
            self._pane("Events").show(event_lines(self._facts.events))
        elif self._tab == "Spec":
            self._pane("Spec").show(spec_lines(job))

    def _show_curves(self, job: JobView) -> None:
        number, now = self.query_one(LogPane).attempt, self._now()
        if self.is_current:
            self._curves.ask(job, number, now)
        shown = self._curves.shown(job, number, self.picture, now)
        self.query_one(CurveGrid).show(
            shown.curves, glyphs=glyphs_of(self.app), empty=shown.empty, caption=shown.caption
        )

    def _pane(self, tab: Tab) -> TextPane:
        return self.query_one(f"#{tab}", TextPane)

    # --- tabs

    def action_tab(self, tab: Tab) -> None:
        """Show a tab; the log is asked for only while it is in sight."""
        self._tab = tab
        self.query_one(ContentSwitcher).current = tab
        self.query_one(TabRow).choose(tab)
        self.query_one(KeyBar).tab = tab
        log = self.query_one(LogPane)
        pane: Widget = log.view if tab == "Log" else self.query_one(f"#{tab}")
        pane.focus()
        self._show()
        if tab == "Log":
            log.start()
        else:
            log.stop()

    def on_tab_row_chosen(self, event: TabRow.Chosen) -> None:
        """Show the tab that was clicked."""
        self.action_tab(event.name)  # type: ignore[arg-type]

    def action_next_tab(self) -> None:
        """Show the tab to the right, after the last one the first."""
        self.action_tab(TABS[(TABS.index(self._tab) + 1) % len(TABS)])

    def action_previous_tab(self) -> None:
        """Show the tab to the left."""
        self.action_tab(TABS[TABS.index(self._tab) - 1])

    def on_screen_resume(self) -> None:
        """Ask at once why the job waits; look at the log again, if it is in sight."""
        super().on_screen_resume()
        if self.is_mounted:
            self._ask_why()
        if self._tab == "Log" and self.query(LogPane):
            self.query_one(LogPane).start()

    def on_screen_suspend(self) -> None:
        """Ask for no log that nobody sees."""
        for log in self.query(LogPane):
            log.stop()

    @property
    def log_pane(self) -> LogPane:
        """Return the log, which comes into sight: its keys work from every tab."""
        if self._tab != "Log":
            self.action_tab("Log")
        return self.query_one(LogPane)

    def action_next_attempt(self) -> None:
        """Show the attempt after: its log, or its curves where those are in sight."""
        self._turn_attempt(1)

    def action_previous_attempt(self) -> None:
        """Show the attempt before."""
        self._turn_attempt(-1)

    def _turn_attempt(self, by: int) -> None:
        log = self.query_one(LogPane) if self._tab == "Curves" else self.log_pane
        log.turn_attempt(by)
        self._show()

    # --- the job's own keys

    def action_copy_uid(self) -> None:
        """Copy the job's uid."""
        if self.job is not None:
            uid = self.job.uid
            self.run_worker(copy(self.app, uid, said=f"Copied {uid}"), group="clipboard")

    def action_keep(self) -> None:
        """Keep the job's workspace for a week from now."""
        if self.job is not None:
            self.actions.keep([self._number], for_s=KEEP_S)

    # --- the app around it

    def _client(self) -> "Client | None":
        return client_of(self.app)

    def _now(self) -> float:
        return clock_of(self.app)()
