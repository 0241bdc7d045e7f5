"""The variables by which a job knows its part in an array and its past; an order tells of it."""

from collections.abc import Mapping
from typing import Final, NamedTuple

from eaas.ids import JobNumber
from eaas_daemon.core.model import Job

ID: Final = "EAAS_ARRAY_ID"
INDEX: Final = "EAAS_ARRAY_INDEX"
COUNT: Final = "EAAS_ARRAY_COUNT"
PREEMPTIONS: Final = "EAAS_PREEMPTIONS"
"""How often the job was stopped for others; left out while it never was."""

OWN: Final = (ID, INDEX, COUNT, PREEMPTIONS)


class Told(NamedTuple):
    """What an order's variables tell of its job."""

    env: dict[str, str]
    """The job's own ones."""
    array: JobNumber | None
    array_index: int | None


def task_env(job: Job) -> dict[str, str]:
    """Return the job's variables: of its array, if it is a task, and of its past, if it has any."""
    past = {PREEMPTIONS: str(count)} if (count := job.preemptions) else {}
    if job.array is None or job.is_rank:
        return past
    return past | {ID: str(job.array), INDEX: str(job.array_index), COUNT: str(len(job.spec.array))}


def told_by(env: Mapping[str, str]) -> Told:
    """Return what an order with these variables tells: the other way round."""
    own = {name: value for name, value in env.items() if name not in OWN}
    number, index = env.get(ID, ""), env.get(INDEX, "")
    if not (number.isdecimal() and index.isdecimal()):
        return Told(own, None, None)
    return Told(own, JobNumber(int(number)), int(index))
