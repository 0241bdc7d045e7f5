"""A job's live attempt as its agent gets it."""

from eaas.wire.to_agent import Order, Rank, Stop
from eaas_daemon.core.model import Job, StopIntent
from eaas_daemon.core.over import KEEP_WORKSPACE_S
from eaas_daemon.core.task_env import task_env


def order_for(job: Job, epoch: int) -> Order:
    """Return the order for the job's live attempt, complete in itself."""
    spec, attempt = job.spec, job.attempts[-1]
    stop = None if job.stop is None else _stop(job.stop)
    return Order(
        uid=job.uid,
        number=job.number,
        attempt=attempt.number,
        epoch=epoch,
        known=attempt.started_at is not None,
        user=job.user,
        queue=job.ref,
        cards=tuple(card.uuid for card in attempt.cards),
        image=spec.image,
        image_digest=job.image_digest,
        command=spec.command,
        env=spec.env | task_env(job),
        cpus=spec.cpus,
        memory_mib=spec.memory_mib,
        shm_mib=spec.shm_mib,
        mounts=spec.mounts,
        pack=spec.pack,
        workdir=spec.workdir,
        run_as=spec.run_as,
        timeout_s=job.timeout_s,
        keep_s=KEEP_WORKSPACE_S,
        stop=stop,
        share_mib=spec.gpu_memory_mib if spec.share else None,
        rank=_rank(job),
    )


def _rank(job: Job) -> Rank | None:
    """Return which part of a job on several nodes it is, if it is one."""
    meeting = job.attempts[-1].meeting
    if meeting is None:
        return None
    return Rank(
        rank=job.array_index or 0,
        ranks=job.spec.num_nodes,
        address=meeting.address,
        port=meeting.port,
        whole=job.number if job.array is None else job.array,
    )


def _stop(stop: StopIntent) -> Stop:
    """Return the stop in the words that every agent knows."""
    if stop.why == "preempted":
        return Stop(grace_s=stop.grace_s, why="unwanted", again=True)
    return Stop(grace_s=stop.grace_s, why=stop.why)
