"""The keys that act on jobs, for every screen that shows some: questions first, then the wish."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from rich.cells import cell_len
from textual.message import Message

from eaas.lifecycle import ENDED, JobState
from eaas.views import JobView
from eaas_tui.actions import PRIORITY_LEAST, PRIORITY_MOST, Actions, actions_of
from eaas_tui.model.picture import Picture
from eaas_tui.screens.base import PictureScreen
from eaas_tui.screens.opening import opening_of

if TYPE_CHECKING:  # each question is imported when it is asked: nothing is at the start
    from eaas_tui.screens.confirm import Confirm, TypeToConfirm, Yes

NONE_SELECTED: Final = "No job is selected"
IS_LIVE: Final = "r runs ended jobs once more; the picture is live by itself"

STEP: Final = 5
"""What ``+`` and ``-`` change a priority by."""


class CloneAsked(Message):
    """A person wants a new job like this one; the app opens the form."""

    def __init__(self, job: int) -> None:
        self.job: Final = job
        super().__init__()


class ActingScreen(PictureScreen):
    """A screen whose keys cancel, reorder, move and retry the jobs that are chosen on it."""

    def chosen_jobs(self) -> list[JobView]:
        """Return what the keys act on: the marked jobs, or else the selected one."""
        return []

    def selected_job(self) -> JobView | None:
        """Return the one job that the keys look at."""
        return next(iter(self.chosen_jobs()), None)

    def acted(self) -> None:
        """Take note that what was chosen has been acted on for good: it was cancelled, moved."""

    def facts(self) -> dict[str, Any]:
        """Return what actions on this screen are about."""
        job = self.selected_job()
        return {"job": None if job is None else job.id, "jobs": [j.id for j in self.chosen_jobs()]}

    # --- looking

    def action_log(self) -> None:
        """Open the selected job at its log."""
        self._open_at("Log")

    def action_why(self) -> None:
        """Open the selected job where it says why it waits."""
        self._open_at("Overview")

    def action_spec(self) -> None:
        """Open the selected job at what was asked."""
        self._open_at("Spec")

    def _open_at(self, tab: str) -> None:
        if (job := self.selected_job()) is not None:
            opening_of(self.app).open_job(job.id, tab)
        else:
            self._say(NONE_SELECTED)

    def action_clone(self) -> None:
        """Begin a new job like the selected one."""
        if (job := self.selected_job()) is not None:
            self.post_message(CloneAsked(job.id))
        else:
            self._say(NONE_SELECTED)

    # --- acting

    def action_cancel(self) -> None:
        """Cancel what is chosen, after asking."""
        if (jobs := self._to_act_on(ended=False, verb="cancel")) is not None:
            ids = [job.id for job in jobs]

            def answered(yes: "Yes | None") -> None:
                if yes is not None:
                    self.actions.cancel(ids, grace_s=yes.grace_s)
                    self.acted()

            self.app.push_screen(cancel_question(jobs, self.picture.user), answered)

    def action_kill(self) -> None:
        """Kill what is chosen at once, after its number was typed."""
        if (jobs := self._to_act_on(ended=False, verb="kill")) is None:
            return
        placed = [job for job in jobs if job.node is not None]
        if not placed:
            self._say(f"Nothing to kill: {_these(jobs)} {_has(jobs)} not started; x cancels")
            return
        ids = [job.id for job in placed]

        def answered(is_sure: bool | None) -> None:
            if is_sure:
                self.actions.cancel(ids, grace_s=0.0)
                self.acted()

        self.app.push_screen(_kill_question(placed, self.picture.user), answered)

    def action_priority_up(self) -> None:
        """Raise the priority of what is chosen."""
        self._change_priority(STEP)

    def action_priority_down(self) -> None:
        """Lower the priority of what is chosen."""
        self._change_priority(-STEP)

    def action_priority_set(self) -> None:
        """Ask for a priority and set it."""
        if (jobs := self._to_act_on(ended=False, verb="reprioritise")) is not None:
            from eaas_tui.screens.confirm import AskNumber

            ids = [job.id for job in jobs]
            question = AskNumber(
                f"Priority of {_these(jobs)}",
                lines_of(jobs),
                value=jobs[0].priority if len({job.priority for job in jobs}) == 1 else None,
                least=PRIORITY_LEAST,
                most=PRIORITY_MOST,
            )

            def answered(number: int | None) -> None:
                if number is not None:
                    self.actions.priority(ids, to=number)

            self.app.push_screen(question, answered)

    def action_to_top(self) -> None:
        """Make what is chosen the next of its queue."""
        if (jobs := self._waiting(verb="put to the top")) is not None:
            self.actions.top([job.id for job in jobs])

    def action_move_queue(self) -> None:
        """Ask for a queue and move what is chosen there."""
        if (jobs := self._waiting(verb="move")) is not None:
            from eaas_tui.screens.confirm import PickQueue

            ids = [job.id for job in jobs]
            now = {f"{job.pool}/{job.queue}" for job in jobs}
            queues = [queue for ref, queue in sorted(self.picture.queues.items()) if {ref} != now]
            if not queues:
                self._say("There is no other queue to move it to")
                return

            def answered(queue: str | None) -> None:
                if queue is not None:
                    self.actions.move(ids, queue)
                    self.acted()

            question = PickQueue(f"Move {_these(jobs)} to", lines_of(jobs), queues=queues)
            self.app.push_screen(question, answered)

    def action_retry(self) -> None:
        """Run what is chosen and has ended once more."""
        if (jobs := self._to_act_on(ended=True, verb="retry")) is not None:
            self.actions.retry([job.id for job in jobs])
            self.acted()

    # --- how

    @property
    def actions(self) -> Actions:
        """Return the app's way to act."""
        return actions_of(self.app)

    def _change_priority(self, by: int) -> None:
        if (jobs := self._to_act_on(ended=False, verb="reprioritise")) is not None:
            self.actions.priority([job.id for job in jobs], by=by)

    def _to_act_on(self, *, ended: bool, verb: str) -> list[JobView] | None:
        """Return those of the chosen jobs that this can happen to; say so when there are none."""
        if (refusal := self.actions.refusal()) is not None:
            self._say(f"Not done: {refusal}")
            return None
        chosen = self.chosen_jobs()
        jobs = [job for job in chosen if (job.state in ENDED) is ended]
        if jobs:
            return jobs
        if not chosen:
            self._say(NONE_SELECTED)
        elif ended:
            self._say(f"Nothing to {verb}: {_these(chosen)} {_has(chosen)} not ended. {IS_LIVE}")
        else:
            self._say(f"Nothing to {verb}: {_these(chosen)} {_has(chosen)} ended")
        return None

    def _waiting(self, *, verb: str) -> list[JobView] | None:
        """Return those of the chosen jobs that wait; say so when there are none."""
        jobs = self._to_act_on(ended=False, verb=verb)
        waiting = [job for job in jobs or () if job.state == JobState.PENDING]
        if jobs and not waiting:
            waits = "waits no more" if len(jobs) == 1 else "wait no more"
            self._say(f"Nothing to {verb}: {_these(jobs)} {waits}")
        return waiting or None

    def _say(self, text: str) -> None:
        self.app.notify(text, severity="warning", markup=False)


def line_of(job: JobView) -> str:
    """Return the job in one line: its number, name, owner, state and cards."""
    return "  ".join(filter(None, _words(job)))


def lines_of(jobs: Sequence[JobView]) -> list[str]:
    """Return each job in one line, those that are shown one below the other in columns."""
    if len(jobs) < 2:
        return [line_of(job) for job in jobs]
    from eaas_tui.screens.confirm import LINES_SHOWN

    shown = [_words(job) for job in jobs[: LINES_SHOWN + 1]]
    widths = [max(map(cell_len, column)) for column in zip(*shown, strict=True)]
    lines = [
        "  ".join(
            word + " " * (width - cell_len(word))
            for word, width in zip(words, widths, strict=True)
            if width
        ).rstrip()
        for words in shown
    ]
    return [*lines, *(job.ref for job in jobs[len(shown) :])]


def _words(job: JobView) -> tuple[str, ...]:
    cards = ", ".join("?" if card.index is None else str(card.index) for card in job.cards)
    where = (
        f"{job.node}{f' card {cards}' if cards else ''}" if job.node else f"{job.pool}/{job.queue}"
    )
    return job.ref, job.name or "", f"of {job.user}", job.state, where


def cancel_question(jobs: Sequence[JobView | int], user: str | None) -> "Confirm":
    """Return the question before jobs are cancelled; of one that is not known there is a number."""
    from eaas_tui.screens.confirm import Confirm

    known = [job for job in jobs if not isinstance(job, int)]
    lines = [*lines_of(known), *(str(job) for job in jobs if isinstance(job, int))]
    these = _these(jobs)
    is_placed = len(known) < len(jobs) or any(job.node is not None for job in known)
    return Confirm(
        f"Cancel {these}?",
        [*_not_yours(known, user), *lines],
        yes=f"Cancel {these}",
        no="Leave running" if is_placed else "Leave waiting",
        asks_grace=is_placed,
        remark=lambda picture: ended_since(known, picture),
    )


def ended_since(jobs: Sequence[JobView], picture: Picture) -> str | None:
    """Return which of the jobs have ended in the picture, or None while none has."""
    now = [picture.jobs[job.id] for job in jobs if job.id in picture.jobs]
    ended = [job for job in now if job.state in ENDED]
    if not ended:
        return None
    if len(jobs) == 1:
        return f"job {ended[0].ref} has ended meanwhile: {ended[0].state}"
    return f"{len(ended)} of them {_has(ended)} ended meanwhile"


def _kill_question(jobs: Sequence[JobView], user: str | None) -> "TypeToConfirm":
    from eaas_tui.screens.confirm import TypeToConfirm

    one = len(jobs) == 1
    return TypeToConfirm(
        f"Kill {_these(jobs)} at once?",
        [
            f"{'It gets' if one else 'They get'} no time to save anything. x cancels with a grace.",
            *_not_yours(jobs, user),
            *lines_of(jobs),
        ],
        word=jobs[0].ref if one else f"{len(jobs)} jobs",
        does="kill it" if one else "kill them",
    )


def _not_yours(jobs: Sequence[JobView], user: str | None) -> list[str]:
    others = sum(user is not None and job.user != user for job in jobs)
    if not others:
        return []
    if len(jobs) == 1:
        return ["It is not yours:"]
    return [f"{others} of them {'is' if others == 1 else 'are'} not yours:"]


def _these(jobs: Sequence[JobView | int]) -> str:
    if len(jobs) != 1:
        return f"{len(jobs)} jobs"
    (job,) = jobs
    return f"job {job if isinstance(job, int) else job.ref}"


def _has(jobs: Sequence[JobView]) -> str:
    return "has" if len(jobs) == 1 else "have"
