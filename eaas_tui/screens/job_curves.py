"""What the cards of a job's attempt did, asked of the controller while somebody looks."""

from collections.abc import Callable
from typing import Final, Protocol

import msgspec
from textual.widget import Widget

from eaas.errors import EaasError, Unreachable
from eaas.lifecycle import ENDED
from eaas.node_views import CardView
from eaas.safe_text import safe_text
from eaas.sample_views import JobSamplesView
from eaas.views import AttemptView, JobView
from eaas_tui.model.card_curves import card_curves, card_name, since
from eaas_tui.model.cleaning import Cleaner
from eaas_tui.model.curve_points import Curve
from eaas_tui.model.format import unix
from eaas_tui.model.picture import Picture
from eaas_tui.model.run_curves import run_caption, run_curves

ASK_EVERY_S: Final = 5.0
"""How often the run of a live attempt is asked for: as often as there may be a new point."""


class SamplesClient(Protocol):
    """What is asked of the client."""

    async def job_samples(self, id: int, *, attempt: int | None = None) -> JobSamplesView:
        """Return the attempt's whole run."""
        ...


class Shown(msgspec.Struct, frozen=True, kw_only=True):
    """What is to be drawn."""

    curves: list[Curve]
    caption: str
    empty: str
    """What is said instead of no curves."""


class JobCurves:
    """Keeps the run of one attempt as the controller told it last.

    Where the controller tells nothing (a recording, an older version, a job of somebody else) the
    readings that this console saw stand in, and it says so.
    """

    def __init__(
        self,
        owner: Widget,
        id: int,
        client: Callable[[], SamplesClient | None],
        on_change: Callable[[], None],
    ) -> None:
        self._id: Final = id
        self._owner: Final = owner
        self._client: Final = client
        self._on_change: Final = on_change
        self._clean: Final = Cleaner()
        self._run: JobSamplesView | None = None
        self._asked: tuple[int, bool] | None = None
        """Attempt, and whether it was live, that was asked for last."""
        self._asked_at = float("-inf")
        self._trouble = ""
        self._was_away = False

    def ask(self, job: JobView, number: int, now: float) -> None:
        """Ask for the attempt's run: at once for another one, now and then while it lives."""
        client, attempt = self._client(), _attempt(job, number)
        if client is None or attempt is None:
            return
        wanted = number, attempt.finished_at is None
        is_due = now - self._asked_at >= ASK_EVERY_S or now < self._asked_at
        if wanted != self._asked or (is_due and (wanted[1] or self._was_away)):
            self._asked, self._asked_at = wanted, now
            self._owner.run_worker(self._ask(client, number), group="curves", exclusive=True)

    async def _ask(self, client: SamplesClient, number: int) -> None:
        try:
            self._run = self._clean(await client.job_samples(self._id, attempt=number))
            self._trouble, self._was_away = "", False
        except EaasError as error:
            self._trouble = safe_text(error.sentence)
            self._was_away = isinstance(error, Unreachable)
        self._on_change()

    def shown(self, job: JobView, number: int, picture: Picture, now: float) -> Shown:
        """Return what is known of the attempt by now."""
        attempt = _attempt(job, number)
        if attempt is None:
            return Shown(curves=[], caption="", empty=_why_none(job))
        run = self._run
        if run is not None and run.attempt == number and run.cards:
            caption = run_caption(run, attempt, len(job.attempts))
            curves = run_curves(run, attempt, cards=_cards(picture))
            return Shown(curves=curves, caption=caption, empty="")
        return self._seen_here(attempt, picture, now)

    def _seen_here(self, attempt: AttemptView, picture: Picture, now: float) -> Shown:
        """Return what this console saw itself of a live attempt."""
        if attempt.finished_at is not None:
            why = self._trouble or "nothing is kept of what its cards did"
            return Shown(curves=[], caption="", empty=why if attempt.cards else NO_CARD)
        known = _cards(picture)
        began, curves = unix(attempt.started_at), []
        for held in attempt.cards:
            samples = since(picture.samples.get(held.uuid), began, now)
            name = card_name(held.uuid, held.index)
            curves += card_curves(name, known.get(held.uuid), samples)
        caption = "only what this console saw" if curves else ""
        caption += f": {self._trouble}" if caption and self._trouble else ""
        return Shown(
            curves=curves,
            caption=caption,
            empty="nothing was measured yet" if attempt.cards else NO_CARD,
        )


NO_CARD: Final = "the job holds no card"


def _cards(picture: Picture) -> dict[str, CardView]:
    return {card.uuid: card for node in picture.nodes.values() for card in node.cards}


def _attempt(job: JobView, number: int) -> AttemptView | None:
    return next((one for one in job.attempts if one.number == number), None)


def _why_none(job: JobView) -> str:
    return "the job never ran" if job.state in ENDED else "the job has not begun yet"
