"""The jobs that a name stands for: one, or without an index all ranks of one on several nodes."""

from eaas.views import JobView


def ids_meant(job: JobView, name: str) -> list[int]:
    """Return the numbers that the name of this job stands for, the first rank's first."""
    num_nodes = job.spec.get("num_nodes", 1)
    if "[" in name or job.array != job.id or not isinstance(num_nodes, int):
        return [job.id]
    return list(range(job.id, job.id + num_nodes))
