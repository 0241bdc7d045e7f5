"""What is written beside files: where their jobs stand, what is wrong with refused ones. Pure."""

import json
import re
from collections.abc import Collection, Mapping, Sequence
from typing import Final

from eaas.errors import FieldError
from eaas.lifecycle import ENDED, JobState
from eaas.safe_text import safe_text
from eaas.units import utc_text
from eaas.views import JobView
from eaas_daemon.intake.names import FINAL, shown_name

NOT_FINAL: Final = "final: false\n"
LOG_WAIT_S: Final = 600.0
"""How long after its end a job's log may take to come from its node."""

_PLAIN: Final = re.compile(r"[A-Za-z][A-Za-z0-9_./-]*")
_WORDS: Final = frozenset({"y", "n", "yes", "no", "on", "off", "true", "false", "null"})


def status_text(jobs: Sequence[JobView], *, settled: Collection[int], logs: Collection[int]) -> str:
    """Return the status of one file: a document for each of its jobs, in the file's order.

    ``settled`` are the numbers of those that are final, ``logs`` of those whose log is wanted.
    """
    return "---\n".join(
        (FINAL if job.id in settled else NOT_FINAL) + _lines(_facts(job, log=job.id in logs))
        for job in jobs
    )


def _facts(job: JobView, *, log: bool) -> dict[str, object]:
    task = {} if job.array is None else {"task": job.ref}
    return {
        "job": job.id,
        **task,
        "uid": job.uid,
        "name": job.name,
        "user": job.user,
        "queue": f"{job.pool}/{job.queue}",
        "state": JobState(job.state).value,
        "reason": None if job.reason is None else safe_text(job.reason.text),
        "node": job.node,
        "cards": [f"{{index: {card.index}, uuid: {_scalar(card.uuid)}}}" for card in job.cards],
        "attempts": job.attempt,
        "exit_code": job.exit_code,
        "created_at": job.created_at,
        "started_at": job.started_at,
        "finished_at": job.finished_at,
        "log": log,
    }


def _lines(facts: Mapping[str, object]) -> str:
    """Return the facts as YAML; a hundred times as fast as a library that can write anything."""
    return "".join(f"{key}: {_value(value)}\n" for key, value in facts.items())


def _value(value: object) -> str:
    if isinstance(value, list):
        return f"[{', '.join(value)}]"
    return _scalar(value)


def _scalar(value: object) -> str:
    if isinstance(value, str) and _PLAIN.fullmatch(value) and value.lower() not in _WORDS:
        return value
    return json.dumps(value, ensure_ascii=False)


def is_settled(job: JobView, *, log: bool, now: float) -> bool:
    """Tell whether nothing more will happen to the job.

    With a log that means: all of it has come, or is not expected any more.
    """
    if JobState(job.state) not in ENDED:
        return False
    if not (log and job.attempts) or job.attempts[-1].log.complete:
        return True
    return job.finished_at is not None and job.finished_at < utc_text(now - LOG_WAIT_S)


def orders_text(done: Mapping[int, str]) -> str:
    """Return what became of the orders of a file."""
    return "---\n".join(FINAL + _lines({"job": job, "done": what}) for job, what in done.items())


def error_text(name: str, errors: Sequence[FieldError], at: str, *, mend: bool = True) -> str:
    """Return what stands beside a refused file: every mistake with its place.

    ``mend``: a person can put it right in the file, so they are asked to.
    """
    head = f"{shown_name(name)} was refused at {at}."
    if mend:
        head += " Mend it and put it into the folder again."
    return "\n".join([head, "", *map(_mistake, errors)]) + "\n"


def one_mistake(message: str) -> tuple[FieldError, ...]:
    """Return the mistakes of a file that has one, in no particular line."""
    return (FieldError(field="", message=message),)


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
