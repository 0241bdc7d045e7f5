"""Asks the controller what would become of the form, no more often than is useful."""

from collections.abc import Callable
from functools import partial
from typing import Any, Final

from textual.screen import Screen
from textual.timer import Timer
from textual.worker import Worker

from eaas.errors import EaasError
from eaas.safe_text import safe_text
from eaas_tui.model.form import SHOWN, beside
from eaas_tui.model.form_words import Verdict, verdict_of
from eaas_tui.model.picture import EMPTY, Picture
from eaas_tui.submission import Submitting
from eaas_tui.widgets.few_lines import FewLines
from eaas_tui.widgets.job_form import JobForm

EVERY_S: Final = 2.0
"""How often it is asked again while the pool changes."""

AWAY: Final = Verdict("unknown", "the controller does not answer, so nobody knows when it starts")


class VerdictLine(FewLines):
    """Shows a verdict, in two lines where it needs them."""

    shown: Verdict | None = None

    def show(self, verdict: Verdict) -> None:
        """Draw it in its colour; the words say it too."""
        if verdict == self.shown:
            return
        self.shown = verdict
        self.say(safe_text(verdict.text))
        for tone in ("good", "wait", "bad"):
            self.set_class(tone == verdict.tone, f"-{tone}")


class Verdicts:
    """Keeps the verdict on a form up to date."""

    def __init__(
        self,
        screen: Screen[None],
        client: Callable[[], Submitting | None],
        *,
        after_s: float,
    ) -> None:
        self._screen: Final = screen
        self._client: Final = client
        self._after_s: Final = after_s
        """How long nobody types before the controller is asked."""
        self._timer: Timer | None = None
        self._seen = EMPTY

    def form_changed(self) -> None:
        """Ask anew, once nobody types."""
        self._ask_after(self._after_s)

    def picture_changed(self, picture: Picture) -> None:
        """Ask again when the pool has changed or the controller has come back."""
        before, self._seen = self._seen, picture
        if picture.is_live != before.is_live:
            self._ask_after(self._after_s)
        elif picture.pools is not before.pools and self._timer is None:
            self._ask_after(EVERY_S)

    def _ask_after(self, wait_s: float) -> None:
        if self._timer is not None:
            self._timer.stop()
        self._timer = self._screen.set_timer(wait_s, self._ask)

    def _ask(self) -> None:
        self._timer = None
        form = self._fields.form
        mistakes = form.mistakes()
        client = self._client()
        if mistakes:
            key, text = next(iter(mistakes.items()))
            label = SHOWN[key].label if key in SHOWN else key
            self._line.show(Verdict("unknown", f"{label}: {text}"))
        elif client is None or not self._seen.is_live:
            self._line.show(AWAY)
        else:
            asked = partial(self._asked, client, form.job())
            _: Worker[None] = self._screen.run_worker(asked, group="verdict", exclusive=True)

    async def _asked(self, client: Submitting, job: dict[str, Any]) -> None:
        if not str(job.get("with", "")).startswith("sha256:"):
            job.pop("with", None)  # a folder has no name before it is packed
        try:
            dry = await client.dry_run(job)
        except EaasError as error:
            self._line.show(Verdict("unknown", error.sentence))
            return
        self._line.show(verdict_of(dry))
        self._fields.blame({key: safe_text(text) for key, text in beside(dry.errors).items()})

    @property
    def _line(self) -> VerdictLine:
        return self._screen.query_one(VerdictLine)

    @property
    def _fields(self) -> JobForm:
        return self._screen.query_one(JobForm)
