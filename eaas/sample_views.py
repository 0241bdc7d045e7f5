"""What REST shows of what cards did: one Struct per answer. Unknown is null."""

from eaas.views import View


class CardSamplesView(View, frozen=True, kw_only=True):
    """A card's last quarter of an hour, the oldest first; what was not measured is null."""

    uuid: str
    utilization_pct: tuple[int | None, ...]
    memory_used_mib: tuple[int | None, ...]


class NodeSamplesView(View, frozen=True, kw_only=True):
    """``GET /api/v1/nodes/{name}/samples``: all its lists have the same length and times."""

    node: str
    at: str
    """Now, by the controller's clock."""
    begin_at: str | None
    """When the first sample begins; null before there is one."""
    every_s: float
    """How long a sample is; each is the mean of that time, the last one of its time so far."""
    cpus_used: tuple[float | None, ...]
    memory_used_mib: tuple[int | None, ...]
    cards: tuple[CardSamplesView, ...]


class CardRunView(View, frozen=True, kw_only=True):
    """What a card did while an attempt held it; of each sample the mean and the most."""

    uuid: str
    index: int | None
    memory_total_mib: int | None
    utilization_pct: tuple[int | None, ...]
    utilization_max_pct: tuple[int | None, ...]
    memory_used_mib: tuple[int | None, ...]
    memory_used_max_mib: tuple[int | None, ...]


class JobSamplesView(View, frozen=True, kw_only=True):
    """``GET /api/v1/jobs/{id}/samples``: one attempt from its start on, in a bounded number of
    samples that become longer as the run does.
    """

    job: int
    attempt: int
    """0 before the first one."""
    at: str
    """Now, by the controller's clock."""
    begin_at: str | None
    """When the first sample begins; null when nothing is known of the run."""
    every_s: float
    cards: tuple[CardRunView, ...]
