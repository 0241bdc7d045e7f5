"""What a job asks of a node, as one small hashable value."""

from typing import NamedTuple

from eaas.ids import JobNumber, UserName
from eaas.job_mounts import MountAsk, mount_ask
from eaas_daemon.core.model import DEFAULT_CPUS_MILLI, Job


class Ask(NamedTuple):
    """The part of a job that placement looks at. Jobs with equal asks get equal verdicts."""

    needs_image: bool
    gpus: int
    gpu_type: str | None
    """Lower case."""
    gpu_memory_mib: int | None
    cpus_milli: int
    memory_mib: int
    nodes: tuple[str, ...]
    mounts: tuple[MountAsk, ...]
    user: str = ""
    """Who submitted the job, where that matters: for its mounts, and for a plain process."""
    ref: str = ""
    """To which queue, where that matters: for its mounts."""
    num_nodes: int = 1
    """On how many nodes at once; everything else is what it asks of each."""
    share: bool = False
    """``gpu_memory_mib`` is the part of a card that it takes; others may run beside it."""


class ArrayLimit(NamedTuple):
    """How many tasks of an array may run at once."""

    array: JobNumber
    at_most: int


class Shape(NamedTuple):
    """What makes two waiting jobs alike to the scheduler."""

    ref: str
    user: UserName
    timeout_s: float | None
    ask: Ask
    limit: ArrayLimit | None = None
    """Of the array that it is a task of, where that has one."""


def amounts_of(job: Job) -> tuple[int, int]:
    """Return the thousandths of CPUs and the MiB that the job takes of a node."""
    cpus = job.spec.cpus
    return DEFAULT_CPUS_MILLI if cpus is None else round(cpus * 1000), job.spec.memory_mib or 0


def ask_of(job: Job) -> Ask:
    """Return what the job asks of a node."""
    spec = job.spec
    cpus_milli, memory_mib = amounts_of(job)
    mounts = tuple(sorted(map(mount_ask, spec.mounts)))
    return Ask(
        needs_image=spec.image is not None,
        gpus=spec.gpus,
        gpu_type=spec.gpu_type.lower() if spec.gpu_type else None,
        gpu_memory_mib=spec.gpu_memory_mib,
        cpus_milli=cpus_milli,
        memory_mib=memory_mib,
        nodes=spec.nodes,
        mounts=mounts,
        user=job.user if mounts or spec.image is None else "",
        ref=job.ref if mounts else "",
        num_nodes=spec.num_nodes,
        share=spec.share,
    )


def shape_of(job: Job) -> Shape:
    """Return all of the job that placement goes by."""
    return Shape(job.ref, job.user, job.timeout_s, ask_of(job), limit_of(job))


def limit_of(job: Job) -> ArrayLimit | None:
    """Return how many tasks of the job's array may run at once; None where all may."""
    if job.array is None or job.spec.array.at_most is None:
        return None
    return ArrayLimit(job.array, job.spec.array.at_most)
