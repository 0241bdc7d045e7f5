"""The variables by which a task of an array knows its part, and by which an order tells of it."""

from collections.abc import Mapping
from typing import Final, NamedTuple

from eaas.ids import JobNumber
from eaas_daemon.core.model import Job

ID: Final = "EAAS_ARRAY_ID"
INDEX: Final = "EAAS_ARRAY_INDEX"
COUNT: Final = "EAAS_ARRAY_COUNT"


class Told(NamedTuple):
    """What an order's variables tell of its job."""

    env: dict[str, str]
    """The job's own ones."""
    array: JobNumber | None
    array_index: int | None


def task_env(job: Job) -> dict[str, str]:
    """Return the array's variables of the job; none for one that is no task."""
    if job.array is None:
        return {}
    return {ID: str(job.array), INDEX: str(job.array_index), COUNT: str(len(job.spec.array))}


def told_by(env: Mapping[str, str]) -> Told:
    """Return what an order with these variables tells: the other way round."""
    own = {name: value for name, value in env.items() if name not in (ID, INDEX, COUNT)}
    number, index = env.get(ID, ""), env.get(INDEX, "")
    if not (number.isdecimal() and index.isdecimal()):
        return Told(own, None, None)
    return Told(own, JobNumber(int(number)), int(index))
