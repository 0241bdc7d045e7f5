"""What an array is to the command line: shown as one thing, waited for as a whole."""

from collections.abc import Iterable
from typing import Final

from eaas.array_views import ArrayDone, ArrayView
from eaas.cli.draw_jobs import job_line, spec_facts
from eaas.cli.output import Block, Facts, Table
from eaas.cli.words import moment, reason
from eaas.client import Client
from eaas.client.arrays import Done
from eaas.errors import Conflict
from eaas.job_array import JobArray
from eaas.job_ref import job_ref
from eaas.job_values import Array
from eaas.lifecycle import ENDED
from eaas.views import JobView

COLUMNS: Final = ("TASKS", "COUNT", "STATE", "NODE", "REASON")


def means_array(name: str, job: JobView) -> bool:
    """Tell whether the name is that of a whole array, whose first task the job is."""
    return name.isdecimal() and job.array == job.id and "array" in (job.spec or {})


async def one_job(client: Client, name: str, verb: str) -> JobView:
    """Return the job of that name; refuse an array where only one job can be meant."""
    job = await client.job(name)
    if means_array(name, job):
        count = len(_indices(job.spec["array"]))
        raise Conflict(
            f"{name} is an array of {count} tasks; name one: mini-eaas job {verb} {job.ref}"
        )
    return job


def array_card(array: ArrayView) -> Iterable[Block]:
    """Yield everything about an array."""
    yield Facts(
        [
            ("array", array.ref + (f" {array.name}" if array.name else "")),
            ("state", f"{array.state}: {_states(array)}"),
            ("at once", None if array.at_most is None else f"{array.at_most} tasks at most"),
            ("queue", f"{array.pool}/{array.queue}"),
            ("user", array.user),
            ("submitted", moment(array.created_at)),
        ]
    )
    if spec := spec_facts(array.spec):
        yield Facts(spec)
    rows = [
        (one.ref, str(one.count), one.state, one.node, reason(one.reason)) for one in array.tasks
    ]
    yield Table(COLUMNS, rows)


def array_line(array: ArrayView) -> str:
    """Return where an array stands, in one line."""
    return f"{array.ref} {array.state}: {_states(array)}"


def done_line(done: Done) -> str:
    """Return what became of a job, or of the tasks of an array."""
    if not isinstance(done, ArrayDone):
        return job_line(done)
    tasks = "1 task" if done.changed == 1 else f"{done.changed} tasks"
    left = f", {done.left} left as they were" if done.left else ""
    return f"{done.array.ref}: {tasks}{left}; now {_states(done.array)}"


def open_numbers(array: ArrayView) -> list[int]:
    """Return the numbers of the tasks that have not ended."""
    indices = _indices(array.spec["array"])
    places = {index: place for place, index in enumerate(indices)}
    refs = [job_ref(one.ref) for one in array.tasks if one.state not in ENDED]
    chosen = [ref.indices for ref in refs if ref is not None and ref.indices is not None]
    return sorted(array.id + places[index] for some in chosen for index in some)


def _indices(typed: object) -> JobArray:
    read: JobArray = Array().read(typed)
    return read


def _states(array: ArrayView) -> str:
    return ", ".join(f"{count} {state}" for state, count in array.states.items())
