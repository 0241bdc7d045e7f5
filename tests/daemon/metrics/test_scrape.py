"""The whole scrape: valid in both formats, in the names' usual ways, and of a bounded size."""

import re
from typing import Any

import pytest

from eaas.job_spec import read_spec
from eaas_daemon.core import events as e
from eaas_daemon.metrics.job_counts import JobCounts
from eaas_daemon.metrics.live import SINCE, Live
from eaas_daemon.metrics.scrape import NODES_A_PIECE, OPENMETRICS, format_for, pieces
from tests.rig.builders import ALICE, BOB, House, a_card
from tests.rig.metrics import Scraped, a_folder, a_moment, scraped, written

PROMETHEUS = (
    "application/openmetrics-text;version=1.0.0;q=0.5,"
    "application/openmetrics-text;version=0.0.1;q=0.4,text/plain;version=0.0.4;q=0.3,*/*;q=0.2"
)
UNITS = {"bytes", "celsius", "ratio", "seconds", "watts"}
NAME = re.compile(r"mini_eaas_[a-z]+(_[a-z]+)*")
PRIVATE = {"job", "user", "uid", "name", "image", "command"}


def a_house() -> House:
    house = House()
    house.node("n1", a_card(0), a_card(1))
    house.pool("default", "n1")
    house.running(house.submit(ALICE, gpus=1))
    house.submit(BOB, gpus=2)
    return house


def look(house: House, **how: Any) -> Scraped:
    live = Live()
    JobCounts(house.state, live.jobs)
    moment = a_moment(house.state, house.now, folders=(a_folder("/srv/jobs"),))
    return scraped(moment, live, **how)


@pytest.mark.parametrize(
    ("accept", "kind"),
    [
        (None, "text/plain; version=0.0.4; charset=utf-8"),
        ("*/*", "text/plain; version=0.0.4; charset=utf-8"),
        ("text/plain;version=0.0.4", "text/plain; version=0.0.4; charset=utf-8"),
        (OPENMETRICS, "application/openmetrics-text; version=1.0.0; charset=utf-8"),
        (PROMETHEUS, "application/openmetrics-text; version=1.0.0; charset=utf-8"),
        ("text/html, */*;q=0.1", "text/plain; version=0.0.4; charset=utf-8"),
    ],
)
def test_the_format_is_the_one_that_is_asked_for(accept: str | None, kind: str) -> None:
    text = written(a_moment(House().state), accept=accept)

    assert format_for(accept).content_type == kind
    assert text.endswith("# EOF\n") == ("openmetrics" in kind)
    assert text.count("# EOF\n") == ("openmetrics" in kind)


def test_both_formats_say_the_same() -> None:
    house = a_house()

    plain, other = look(house), look(house, openmetrics=True)

    def stated(found: Scraped) -> set[Any]:
        return {
            (one.name, tuple(sorted(one.labels.items())), one.value)
            for one in found.samples
            if one.name.startswith("mini_eaas_")
        }

    assert stated(plain) == stated(other)
    assert len(stated(plain)) > 100


def test_every_family_of_ours_has_help_a_plain_name_and_its_unit_at_the_end() -> None:
    families = look(a_house(), openmetrics=True).families.values()
    ours = [family for family in families if not family.name.startswith(("process_", "python_"))]

    assert len(ours) > 40
    for family in ours:
        assert NAME.fullmatch(family.name), family.name
        assert len(family.documentation) > 10, family.name
        last = family.name.rpartition("_")[2]
        assert family.unit == (last if last in UNITS else ""), family.name
        assert "total" not in (last, family.unit), family.name
        counted = family.type in ("counter", "histogram")
        assert family.documentation.endswith(SINCE) == counted, family.name


def test_no_label_names_a_job_or_a_person() -> None:
    found = look(a_house())

    assert not PRIVATE & {label for labels in found.labels.values() for label in labels}
    text = written(a_moment(a_house().state))
    assert "alice" not in text
    assert "busybox" not in text


def test_ten_thousand_jobs_of_many_people_add_no_series() -> None:
    house = a_house()
    house.running(house.submit(ALICE, gpus=1))
    live = Live()
    counts = JobCounts(house.state, live.jobs)

    def series() -> set[Any]:
        found = scraped(a_moment(house.state, house.now), live)
        return {(one.name, tuple(sorted(one.labels.items()))) for one in found.samples}

    before = series()
    for at in range(10):
        spec = read_spec(
            {"image": f"image-{at}", "command": "true", "gpus": 1, "name": f"job-{at}"}
        )
        house.do(e.Submit(caller=(ALICE, BOB)[at % 2], specs=(spec,) * 1000))
        counts(house.changes, house.effects)

    assert series() == before
    assert len(house.state.jobs) == 10_003


def test_a_still_moment_stays_as_it_was_while_the_pool_goes_on() -> None:
    house = a_house()
    moment = a_moment(house.state, house.now)

    house.submit(ALICE)
    house.node("n2", a_card(0, node="n2"))
    house.pool("lab", "n2")

    assert scraped(moment).rows("queue_jobs_waiting", "queue") == {"default": 1}
    assert set(scraped(moment).rows("cards_offered", "pool")) == {"default"}


def test_a_large_pool_is_written_in_many_pieces_none_of_which_looks_at_many_nodes() -> None:
    house = House()
    for at in range(5 * NODES_A_PIECE):
        house.node(f"n{at}")

    bits = list(pieces(a_moment(house.state), Live().registry, format_for(None)))

    assert bits.count(b"") >= 5
    assert len(bits) > 30
