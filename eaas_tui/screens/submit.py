"""The form that asks for a job, with the controller's verdict while it is filled in."""

from collections.abc import Callable
from typing import ClassVar, Final

import msgspec
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal
from textual.message import Message
from textual.widget import Widget
from textual.widgets import Button, Static, TextArea
from textual.worker import Worker

from eaas.errors import EaasError
from eaas.safe_text import safe_text
from eaas.views import JobView
from eaas_tui.keys import bindings_for
from eaas_tui.last_submit import LastSubmit
from eaas_tui.model.form import SHOWN, Form
from eaas_tui.model.form_words import candidates, completion, help_words
from eaas_tui.model.picture import Picture
from eaas_tui.screens.base import PictureScreen
from eaas_tui.screens.confirm import Confirm, Yes
from eaas_tui.screens.submit_sources import Sources
from eaas_tui.screens.submit_verdict import VerdictLine, Verdicts
from eaas_tui.submission import Accepted, Outcome, Refused, Submission, Submitting, Unanswered
from eaas_tui.widgets.few_lines import FewLines
from eaas_tui.widgets.job_form import JobForm
from eaas_tui.widgets.key_bar import KeyBar
from eaas_tui.widgets.status_bar import StatusBar

VERDICT_AFTER_S: Final = 0.3
"""How long nobody types before the controller is asked."""
AGAIN_S: Final = 2.0
"""How long after an unanswered submit the same is sent again."""

WIDTHS: Final = [(0, "-tiny"), (40, "-narrow"), (110, "-mid")]
HEIGHTS: Final = [(0, "-short"), (12, "-tall")]

BUTTONS: Final = {"send": "Submit", "leave": "Cancel"}
"""The buttons by the action behind each; the keys of everything else are in the bottom line."""

AGAIN: Final = "It is sent again until there is one, and can't become two jobs; escape stops that"
STOPPED: Final = (
    "Stopped asking; the controller may have accepted the job. Submitted again as it is, it stays "
    "that one job"
)
ANYWAY: Final = "; submit once more to let it wait all the same"


class Desk(msgspec.Struct, frozen=True, kw_only=True):
    """What the form may use of the console around it."""

    client: Callable[[], Submitting | None]
    refusal: Callable[[], str | None]
    """Why nothing can be submitted now, or None when it can."""
    last: LastSubmit
    edit: Callable[[str], str]
    """Lets the person edit a text in their own editor; raises an EaasError where that fails."""
    verdict_after_s: float = VERDICT_AFTER_S
    again_s: float = AGAIN_S


class SubmitScreen(PictureScreen):
    """A form, a verdict, and one job whatever happens to the connection."""

    view_name: ClassVar[str] = "submit"
    CSS_PATH = "submit.tcss"
    AUTO_FOCUS = ""
    HORIZONTAL_BREAKPOINTS = WIDTHS
    VERTICAL_BREAKPOINTS = HEIGHTS
    BINDINGS: ClassVar[list[BindingType]] = [*bindings_for("submit")]

    class Submitted(Message):
        """There is a job now; whoever opened the form closes it and opens the job."""

        def __init__(self, job: JobView) -> None:
            self.job: Final = job
            super().__init__()

    def __init__(
        self, desk: Desk, *, form: Form | None = None, like: JobView | None = None
    ) -> None:
        """Begin with this form, with a copy of a job, or with what the last submit said."""
        super().__init__()
        self._desk: Final = desk
        self._like: Final = like
        self._begin: Final = form
        self._sources: Final = Sources(self, self, desk.edit)
        self._submission = Submission()
        self._verdicts: Final = Verdicts(self, desk.client, after_s=desk.verdict_after_s)
        self._is_sending = False
        self._was_in: Widget | None = None
        self._may_force = False

    def compose(self) -> ComposeResult:
        """Lay out the verdict, the form, the help of the focused field, and the buttons."""
        yield StatusBar()
        with Horizontal(id="form-head"):
            yield Static("NEW JOB", id="form-title", markup=False)
            yield VerdictLine(id="verdict")
        yield FewLines(id="remark")
        yield JobForm(self._complete, id="fields")
        yield Static(id="form-help", markup=False)
        with Horizontal(id="form-buttons"):
            for action, label in BUTTONS.items():
                yield Button(label, id=action, action=f"screen.{action}", compact=True)
        yield KeyBar()

    def on_mount(self) -> None:
        """Fill the form in."""
        if self._like is not None:
            self._sources.copy(self._like)
            self.run_worker(self._copy_exactly(self._like.id), group="copy")
        else:
            self.load(self._begin or self._desk.last.form())
        self.job_form.begin()

    # --- the form

    @property
    def form(self) -> Form:
        """Return what is typed now."""
        return self.job_form.form

    @property
    def job_form(self) -> JobForm:
        """Return the form's fields."""
        return self.query_one(JobForm)

    def load(self, form: Form, remark: str = "", *, opened: Form | None = None) -> None:
        """Show another form; with ``opened`` it is that one, changed, and keeps its key."""
        clean, lost = form.cleaned()
        if opened is not None:
            clean = msgspec.structs.replace(clean, opened=opened.opened)
        hints = [remark] if remark else []
        if lost:
            labels = ", ".join(SHOWN[key].label for key in lost)
            hints.append(f"left out what can't be seen in: {labels}")
        if opened is None or form.key is not None:
            self._submission = Submission(form.key)
        self.job_form.load(clean)
        self.say("; ".join(hints))
        self._changed()

    def say(self, text: str) -> None:
        """Show a line above the form; an empty one hides it."""
        remark = self.query_one("#remark", FewLines)
        if not text and not remark.has_class("-shown"):
            return  # an update is a layout of the whole form
        remark.set_class(bool(text), "-shown")
        remark.say(safe_text(text))

    def on_job_form_changed(self) -> None:
        """Ask anew what would become of the job, once nobody types."""
        self.say("")
        self._changed()

    def on_job_form_reached(self, event: JobForm.Reached) -> None:
        """Say what the field wants."""
        found = candidates(event.key, self.form, self.picture)
        self.query_one("#form-help", Static).update(help_words(event.key, found), layout=False)

    def _changed(self) -> None:
        self._may_force = False
        self._verdicts.form_changed()

    def _complete(self, key: str, text: str) -> str | None:
        return completion(key, text, candidates(key, self.form, self.picture))

    async def _copy_exactly(self, id: int) -> None:
        """Copy the job as it was submitted: the picture has its texts cut and cleaned."""
        client = self._desk.client()
        if client is None:
            return
        try:
            job = await client.job(id)
        except EaasError:
            return  # what the picture has is a copy as well
        if not self.form.is_dirty and not self._is_sending:
            self._sources.copy(job)

    def draw(self, picture: Picture) -> None:
        """Ask again what would become of the job."""
        self._verdicts.picture_changed(picture)

    # --- submitting

    def on_job_form_finished(self) -> None:
        """Submit from the last field."""
        self.action_send()

    def action_send(self) -> None:
        """Submit the form, once; say why if that can't be."""
        if self._is_sending:
            return
        if (refusal := self._desk.refusal()) is not None:
            self.say(f"Not submitted: {refusal}")
        elif self.form.mistakes():
            self.job_form.show_all_mistakes()
            self.say("Not submitted: see what is marked")
        else:
            self._set_sending(True)
            self._send()

    def _send(self) -> None:
        _: Worker[None] = self.run_worker(self._sent, group="send", exclusive=True)

    async def _sent(self) -> None:
        client, refusal = self._desk.client(), self._desk.refusal()
        if client is None or refusal is not None:
            self._answered(Unanswered(refusal or "there is no connection"))
            return
        job, force = self.form.job(), self._may_force
        self._answered(await self._submission.send(client, job, force=force, say=self.say))

    def _answered(self, outcome: Outcome) -> None:
        if isinstance(outcome, Accepted):
            self._accepted(outcome.job)
            return
        if isinstance(outcome, Refused):
            self._set_sending(False)
            self._refused(outcome)
            return
        self.say(f"No answer yet: {outcome.text}. {AGAIN}")
        self.set_timer(self._desk.again_s, self._again)

    def _accepted(self, job: JobView) -> None:
        self._desk.last.keep(self.form)
        while self in self.app.screen_stack and not self.is_current:
            self.app.pop_screen()  # a help or palette that was opened above
        self.post_message(self.Submitted(job))

    def _again(self) -> None:
        if self._is_sending:
            self._send()

    def _refused(self, refused: Refused) -> None:
        self._may_force = refused.may_force
        self.say(f"Not submitted: {refused.text}" + (ANYWAY if refused.may_force else ""))
        self.job_form.blame(refused.mistakes)
        if refused.mistakes:
            self.job_form.show_all_mistakes()

    def _set_sending(self, sending: bool) -> None:
        if sending:
            self._was_in = self.focused
        self._is_sending = sending
        self.job_form.disabled = sending
        if not sending and self._was_in is not None:
            self._was_in.focus()

    # --- files, and the way out

    def action_open(self) -> None:
        """Fill the form from a job file."""
        if not self._is_sending:
            self._sources.open()

    def action_save(self) -> None:
        """Write the form as a job file."""
        if not self._is_sending:
            self._sources.save()

    def action_edit(self) -> None:
        """Edit the form as YAML in the person's own editor."""
        if not self._is_sending:
            self._sources.edit()

    def action_leave(self) -> None:
        """Stop what is under way; else close the form, and ask first if it was changed."""
        if self._is_sending:
            self.workers.cancel_group(self, "send")
            self._set_sending(False)
            self.say(STOPPED)
        elif self.form.is_dirty:
            lines = ["What is typed in it is lost."]
            question = Confirm("Leave the form?", lines, yes="Leave it", no="Go on typing")
            self.app.push_screen(question, self._close)
        else:
            self.app.pop_screen()

    def _close(self, yes: Yes | None) -> None:
        if yes is not None:
            self.app.pop_screen()

    def acts_on(self, key: str) -> bool:
        """Tell whether the key may submit; of a paste that comes as keys none does."""
        return key == "ctrl+s" or (key == "enter" and not isinstance(self.focused, TextArea))

    def check_leave(self) -> bool:
        """Tell whether nothing would be lost."""
        return not self.form.is_dirty and not self._is_sending
