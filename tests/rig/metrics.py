"""What a scrape says, read as Prometheus reads it."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from prometheus_client.core import Metric, Sample
from prometheus_client.openmetrics.parser import text_string_to_metric_families as read_openmetrics
from prometheus_client.parser import text_string_to_metric_families as read_plain

from eaas.views import FolderView
from eaas_daemon.core.state import State
from eaas_daemon.core.still import still
from eaas_daemon.metrics.live import Live
from eaas_daemon.metrics.moment import Moment
from eaas_daemon.metrics.scrape import OPENMETRICS, format_for, pieces


def a_moment(state: State, now: float = 1000.0, **but: Any) -> Moment:
    """Return the state as a scrape would see it."""
    given: dict[str, Any] = {
        "state": still(state),
        "now": now,
        "version": "0.1.0",
        "database": Path("/nowhere/controller.db"),
        "subscribers": 0,
        "agents": 0,
        "log_stored_bytes": 0,
        "log_budget_bytes": 1 << 30,
        "folders": (),
    }
    return Moment(**(given | but))


def a_folder(path: str, **but: Any) -> FolderView:
    """Return a watched folder that nobody has used yet."""
    given: dict[str, Any] = {
        "path": path,
        "pool": None,
        "queue": None,
        "user": None,
        "log": False,
        "state": "watching",
        "reason": None,
        "accepted": 0,
        "refused": 0,
        "looked_at": None,
    }
    return FolderView(**(given | but))


class Scraped:
    """Every family and sample of a scrape."""

    def __init__(self, text: str, *, openmetrics: bool = False) -> None:
        read = read_openmetrics if openmetrics else read_plain
        self.families: Mapping[str, Metric] = {each.name: each for each in read(text)}

    @property
    def samples(self) -> Iterator[Sample]:
        """Yield them all."""
        for family in self.families.values():
            yield from family.samples

    @property
    def labels(self) -> dict[str, set[str]]:
        """Return the names of samples, each with the names of its labels."""
        found: dict[str, set[str]] = {}
        for sample in self.samples:
            found.setdefault(sample.name, set()).update(sample.labels)
        return found

    def value(self, name: str, **labels: str) -> float | None:
        """Return the number of the one series with exactly these labels, without the prefix."""
        for sample in self.samples:
            if sample.name == f"mini_eaas_{name}" and sample.labels == labels:
                return float(sample.value)
        return None

    def rows(self, name: str, *keys: str) -> dict[Any, float]:
        """Return the numbers of a name by these labels' values."""
        return {
            tuple(sample.labels[key] for key in keys)
            if len(keys) > 1
            else sample.labels[keys[0]]: (float(sample.value))
            for sample in self.samples
            if sample.name == f"mini_eaas_{name}"
        }


def scraped(moment: Moment, live: Live | None = None, *, openmetrics: bool = False) -> Scraped:
    """Return what the moment's scrape says."""
    text = written(moment, live, OPENMETRICS if openmetrics else None)
    return Scraped(text, openmetrics=openmetrics)


def written(moment: Moment, live: Live | None = None, accept: str | None = None) -> str:
    """Return the moment's scrape as text."""
    form = format_for(accept)
    return b"".join(pieces(moment, (live or Live()).registry, form)).decode()
