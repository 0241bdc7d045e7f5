from collections.abc import Callable
from typing import Final

import pytest
from prometheus_client import Counter, Gauge, Histogram, Info, generate_latest
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.openmetrics import exposition as openmetrics
from prometheus_client.registry import Collector

from eaas_daemon.metrics.exposition import encode
from eaas_daemon.metrics.live import Live

ODD = ["", "plain", 'a "quoted" one', "back\\slash", "two\nlines", "ümläut 卡", "{a=1}", "\\n"]


in_openmetrics: Final[Callable[[Collector], bytes]] = openmetrics.generate_latest


class These(Collector):
    """Families that are there already."""

    def __init__(self, *families: Metric) -> None:
        self.families = families

    def collect(self) -> tuple[Metric, ...]:
        return self.families


def of_every_kind() -> list[Metric]:
    registry = Live().registry
    counter = Counter("odd", 'What\nhas "happened" to c:\\', ["z", "a"], registry=registry)
    gauge = Gauge("size", "Room", ["label"], unit="bytes", registry=registry)
    histogram = Histogram("wait", "Time", ["b", "a"], unit="seconds", registry=registry)
    Info("build", "Version", registry=registry).info({"version": "1", "python": "3"})
    Gauge("without", "No labels", registry=registry).set(1e300)
    for text in ODD:
        counter.labels(text, "x").inc(3)
        gauge.labels(text).set(float(len(text)))
        histogram.labels("b", text).observe(0.3)
    return [*registry.collect(), GaugeMetricFamily("never", "Nothing has it")]


@pytest.mark.parametrize(
    "number", [0, 1, -1, 0.1, 1e-9, 1234567, 12345678.9, 2**53, 1e21, float("inf"), float("nan")]
)
def test_numbers_are_written_as_prometheus_client_writes_them(number: float) -> None:
    family = GaugeMetricFamily("some", "Number", value=number)

    assert encode([family], openmetrics=False) == generate_latest(These(family))
    assert encode([family], openmetrics=True) == in_openmetrics(These(family))


def test_both_formats_are_those_of_prometheus_client_byte_for_byte() -> None:
    families = of_every_kind()

    assert encode(families, openmetrics=False) == generate_latest(These(*families))
    assert encode(families, openmetrics=True) == in_openmetrics(These(*families))
