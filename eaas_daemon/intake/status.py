"""What is written beside files: where their jobs stand, what is wrong with refused ones. Pure."""

from collections.abc import Mapping, Sequence
from typing import Final

from eaas.errors import FieldError
from eaas.lifecycle import ENDED, JobState
from eaas.safe_text import safe_text
from eaas.views import JobView
from eaas.yaml_text import yaml_text

FINAL: Final = "final: true\n"
"""The first line of a status that will not change any more."""


def status_text(jobs: Sequence[JobView], *, final: bool, log: bool) -> str:
    """Return the status of one file: a document for each of its jobs, in the file's order."""
    head = FINAL if final else "final: false\n"
    return "---\n".join(head + yaml_text(_facts(job, log=log)) for job in jobs)


def _facts(job: JobView, *, log: bool) -> dict[str, object]:
    return {
        "job": job.id,
        "name": job.name,
        "user": job.user,
        "queue": f"{job.pool}/{job.queue}",
        "state": JobState(job.state).value,
        "reason": None if job.reason is None else safe_text(job.reason.text),
        "node": job.node,
        "cards": [{"index": card.index, "uuid": card.uuid} for card in job.cards],
        "attempts": job.attempt,
        "exit_code": job.exit_code,
        "created_at": job.created_at,
        "started_at": job.started_at,
        "finished_at": job.finished_at,
        "log": log,
    }


def is_settled(job: JobView, *, log: bool) -> bool:
    """Tell whether nothing more will happen to the job, and its log is whole if it is wanted."""
    if JobState(job.state) not in ENDED:
        return False
    return not (log and job.attempts) or job.attempts[-1].log.complete


def orders_text(done: Mapping[int, str]) -> str:
    """Return what became of the orders of a file."""
    return "---\n".join(FINAL + yaml_text({"job": job, "done": what}) for job, what in done.items())


def error_text(name: str, errors: Sequence[FieldError], at: str) -> str:
    """Return what stands beside a refused file: every mistake with its place."""
    lines = [f"{name} was refused at {at}. Mend it and put it into the folder again.", ""]
    lines += [_mistake(error) for error in errors]
    return "\n".join(lines) + "\n"


def _mistake(error: FieldError) -> str:
    place = ""
    if error.line is not None:
        column = "" if error.column is None else f", column {error.column}"
        place = f"line {error.line}{column}: "
    hint = f" (did you mean {error.suggestion}?)" if error.suggestion else ""
    return place + safe_text(error.message + hint)


def again_text(numbers: Sequence[int], at: str) -> str:
    """Return what stands beside an accepted file that came a second time."""
    jobs = ", ".join(map(str, numbers))
    word, stand = ("job", "stands") if len(numbers) == 1 else ("jobs", "stand")
    return (
        f"The same file came again at {at}: {word} {jobs} already {stand} for it.\n"
        f"To run it once more: change it, or put another `key:` into it, or type\n"
        f"mini-eaas job retry {numbers[0]}\n"
    )
