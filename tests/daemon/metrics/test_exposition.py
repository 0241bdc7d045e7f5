from collections.abc import Callable
from typing import Final

import pytest
from prometheus_client import generate_latest
from prometheus_client.core import (
    CounterMetricFamily,
    GaugeMetricFamily,
    InfoMetricFamily,
    Metric,
)
from prometheus_client.openmetrics import exposition as openmetrics
from prometheus_client.registry import Collector

from eaas_daemon.metrics.exposition import encode
from eaas_daemon.metrics.family import Family, counter, gauge, info
from eaas_daemon.metrics.nodes import shown as shown_node
from eaas_daemon.metrics.scrape import families
from tests.rig.builders import House, a_card
from tests.rig.metrics import a_moment

ODD = [
    "",
    "plain",
    'a "quoted" one',
    "back\\slash",
    "two\nlines",
    "ümläut 卡",
    "{a=1}",
    "%s",
    "\\n",
]
NUMBERS = [0, 1, -1, 0.1, 1e-9, 1234567, 12345678.9, 2**53, 1e21, float("inf"), float("nan")]

in_plain: Final[Callable[[Collector], bytes]] = generate_latest
in_openmetrics: Final[Callable[[Collector], bytes]] = openmetrics.generate_latest


class Theirs(Collector):
    """Our families as prometheus_client has them."""

    def __init__(self, families: list[Family]) -> None:
        self.families = [theirs(each) for each in families]

    def collect(self) -> list[Metric]:
        return self.families


def theirs(family: Family) -> Metric:
    """Return the family as prometheus_client has it."""
    if family.kind == "info":
        facts = InfoMetricFamily(family.name, family.about, labels=family.labels)
        for values, _ in family.rows:
            facts.add_metric(values, {})
        return facts
    kind = CounterMetricFamily if family.kind == "counter" else GaugeMetricFamily
    made = kind(family.name, family.about, labels=family.labels, unit=family.unit)
    for values, number in family.rows:
        if number is not None:
            made.add_metric(values, number)
    return made


def of_every_kind() -> list[Family]:
    about = 'What\nhas "happened" to c:\\'
    return [
        counter("odd", about, ["a", "z"], [((text, "x"), 3) for text in ODD]),
        gauge("size", about, ["label"], [((text,), len(text)) for text in ODD], unit="bytes"),
        gauge("numbers", about, ["at"], [((str(at),), each) for at, each in enumerate(NUMBERS)]),
        gauge("without", "No labels", [], [((), True)]),
        gauge("unknown", "Nobody knows", ["label"], [(("x",), None)]),
        info("build", "Version", ["python", "version"], [("3", "1")]),
    ]


def test_both_formats_are_those_of_prometheus_client_byte_for_byte() -> None:
    families = of_every_kind()

    plain, other = encode(families, openmetrics=False), encode(families, openmetrics=True)

    assert plain.encode() == in_plain(Theirs(families))
    assert f"{other}# EOF\n".encode() == in_openmetrics(Theirs(families))


@pytest.mark.parametrize("openmetrics", [False, True])
def test_a_whole_pool_is_written_as_prometheus_client_would_but_for_the_order_of_labels(
    openmetrics: bool,
) -> None:
    house = House()
    house.node("n1", a_card(0), a_card(1, model='An "odd" card'))
    house.pool("default", "n1")
    house.running(house.submit(gpus=1))
    nodes = [shown_node(house.state, name) for name in house.state.nodes]
    shown = list(families(a_moment(house.state), nodes))

    ours = encode(shown, openmetrics=openmetrics)

    write = in_openmetrics if openmetrics else in_plain
    their_lines = write(Theirs(shown)).decode().removesuffix("# EOF\n").splitlines()
    assert [sorted(line) for line in ours.splitlines()] == [sorted(each) for each in their_lines]
