"""The variables every job finds in its environment, beside its own."""

from collections.abc import Mapping

from eaas.wire.to_agent import Order


def job_environment(order: Order, workspace: str) -> dict[str, str]:
    """Return the job's own variables with the ``EAAS_*`` ones, which can't be overridden.

    ``workspace`` is the folder's path as the job sees it. What the controller put in under these
    names (a preemption count, an array index) stays, and so does what the job says itself of where
    its ranks meet.
    """
    given = {"EAAS_ARRAY_INDEX": "", "EAAS_PREEMPTIONS": "0", **_meeting(order)} | order.env
    own = {} if order.rank is None else {"EAAS_RANK": str(order.rank.rank)}
    return given | {
        "EAAS_JOB_ID": str(order.number),
        "EAAS_JOB_UID": order.uid,
        "EAAS_ATTEMPT": str(order.attempt),
        "EAAS_CARDS": ",".join(order.cards),
        "EAAS_GPU_MEMORY_MIB": "" if order.share_mib is None else str(order.share_mib),
        "EAAS_WORKSPACE": workspace,
        **own,
    }


def _meeting(order: Order) -> Mapping[str, str]:
    """Return what the ranks of one job need to find each other, as PyTorch reads it.

    ``RANK`` and ``WORLD_SIZE`` are those of one process a node, which is what runs here;
    ``torchrun`` gives its own to each process that it starts. ``LOCAL_RANK`` is left out: to some
    trainers it means that somebody else starts the processes of this node.
    """
    rank = order.rank
    if rank is None:
        return {}
    return {
        "MASTER_ADDR": rank.address,
        "MASTER_PORT": str(rank.port),
        "NNODES": str(rank.ranks),
        "NODE_RANK": str(rank.rank),
        "NPROC_PER_NODE": str(max(1, len(order.cards))),
        "WORLD_SIZE": str(rank.ranks),
        "RANK": str(rank.rank),
    }
