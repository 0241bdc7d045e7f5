"""Where a form's words come from and go to: another job, a job file, a person's editor."""

from collections.abc import Callable
from typing import Final, Protocol

from textual.screen import Screen

from eaas.errors import EaasError, Invalid
from eaas.problem import mistake_text
from eaas.views import JobView
from eaas_tui.job_files import NOTHING_YET, read_form, write_form
from eaas_tui.model.form import Form, form_from_yaml, form_of, hidden_in
from eaas_tui.screens.ask_path import AskPath

MISTAKES_TOLD: Final = 3
FIRST_NAME: Final = "job.yaml"


class Holder(Protocol):
    """The screen's side of it: holds the form, and can say a line."""

    @property
    def form(self) -> Form:
        """Return what is typed now."""

    def load(self, form: Form, remark: str = "", *, opened: Form | None = None) -> None:
        """Show another form; with ``opened`` it counts as changed since that one."""

    def say(self, text: str) -> None:
        """Show a line."""


class Sources:
    """Fills the form from elsewhere, and writes it there."""

    def __init__(self, holder: Holder, screen: Screen[None], edit: Callable[[str], str]) -> None:
        self._holder: Final = holder
        self._screen: Final = screen
        self._edit: Final = edit
        self._file = FIRST_NAME
        self._is_known_file = False
        """It was opened or written by this form, so it may be written again."""
        self._draft: str | None = None
        """What the editor left with mistakes in it, to be edited on."""

    def copy(self, job: JobView) -> None:
        """Fill the form with what another job asked for."""
        hidden = hidden_in(job.spec)
        remark = f"a copy of job {job.ref}"
        if hidden:
            remark += f"; only its owner can read its {', '.join(hidden)}: fill that in"
        self._holder.load(form_of(job.spec), remark)

    def open(self) -> None:
        """Ask for a file and fill the form from it."""
        lines = ["It takes the place of what is typed."] if self._holder.form.is_dirty else []
        self._ask("Open a job file", lines, self._open)

    def save(self) -> None:
        """Ask for a file and write the form there."""
        self._ask("Save as a job file", [], self._save)

    def edit(self) -> None:
        """Let the person edit the form as YAML in their own editor."""
        before = self._draft or self._holder.form.as_yaml() or NOTHING_YET
        try:
            after = self._edit(before)
        except EaasError as error:
            self._holder.say(error.sentence)
            return
        if after == before and self._draft is None:
            self._holder.say("nothing was changed")
            return
        try:
            form, count = form_from_yaml(after, name="what you wrote")
        except EaasError as error:
            self._draft = after
            self._holder.say(f"{told(error)}. Edit as YAML goes on from there")
            return
        self._draft = None
        self._holder.load(form, _first_of(count), opened=self._holder.form)

    def _ask(self, title: str, lines: list[str], then: Callable[[str], None]) -> None:
        def answered(path: str | None) -> None:
            if path is not None:
                then(path)

        self._screen.app.push_screen(AskPath(title, lines, path=self._file), answered)

    def _open(self, path: str) -> None:
        try:
            form, count = read_form(path)
        except EaasError as error:
            self._holder.say(told(error))
            return
        self._know(path)
        self._holder.load(form, f"from {path}{_first_of(count)}")

    def _save(self, path: str) -> None:
        again = self._is_known_file and path == self._file
        try:
            written = write_form(path, self._holder.form, overwrite=again)
        except EaasError as error:
            self._holder.say(error.sentence)
            return
        self._know(path)
        self._holder.say(f"saved as {written}")

    def _know(self, path: str) -> None:
        self._file, self._is_known_file, self._draft = path, True, None


def told(error: EaasError) -> str:
    """Return a file's first mistakes with their lines, and how many more there are."""
    if not isinstance(error, Invalid):
        return error.sentence
    texts = [mistake_text(one) for one in error.errors[:MISTAKES_TOLD]]
    more = len(error.errors) - len(texts)
    return "; ".join(texts) + (f"; and {more} more" if more > 0 else "")


def _first_of(count: int) -> str:
    return f" (the first of {count} jobs in it)" if count > 1 else ""
