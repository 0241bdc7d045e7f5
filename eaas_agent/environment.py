"""The variables every job finds in its environment, beside its own."""

from eaas.wire.to_agent import Order


def job_environment(order: Order, workspace: str) -> dict[str, str]:
    """Return the job's own variables with the ``EAAS_*`` ones, which can't be overridden.

    ``workspace`` is the folder's path as the job sees it. What the controller put in under these
    names (a preemption count, an array index) stays.
    """
    given = {"EAAS_ARRAY_INDEX": "", "EAAS_PREEMPTIONS": "0"} | order.env
    return given | {
        "EAAS_JOB_ID": str(order.number),
        "EAAS_JOB_UID": order.uid,
        "EAAS_ATTEMPT": str(order.attempt),
        "EAAS_CARDS": ",".join(order.cards),
        "EAAS_WORKSPACE": workspace,
    }
