"""The dashboard, the alerts and the numbers behind them, against a pool of real programs."""

import json
import re
from collections.abc import AsyncIterator, Iterator
from itertools import combinations
from typing import Any, Final

import pytest
import pytest_asyncio
import yaml

from eaas.client import Client
from tests.rig.metrics import Scraped
from tests.rig.pool import Installation, an_installation
from tests.rig.program import ROOT
from tests.rig.promql import unknown

GRAFANA: Final = ROOT / "config" / "grafana" / "mini-eaas.json"
ALERTS: Final = ROOT / "config" / "prometheus" / "alerts.yaml"
SCRAPE: Final = ROOT / "config" / "prometheus" / "scrape.yaml"

TARGET: Final = {"job", "instance"}
"""Labels that Prometheus itself puts on whatever it scrapes."""

VARIABLE: Final = re.compile(r"\$(?:\{(\w+)\}|(\w+))")
GIVEN: Final = {"__rate_interval", "__all"}
IN_LEGENDS: Final = re.compile(r"\{\{\s*(\w+)\s*\}\}")
IN_TEXTS: Final = re.compile(r"\$labels\.(\w+)")


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def pool() -> AsyncIterator[Installation]:
    """A pool of its own, in which most things have happened once."""
    async with an_installation() as pool:
        pool.start_controller()
        await pool.add_agent("plain", simulate="2x8GiB")
        async with pool.client() as client:
            await happen(client)
        yield pool


async def happen(client: Client) -> None:
    """Let a job succeed and a submit be refused."""
    done = await client.submit({"command": "true", "gpus": 1})
    await client.wait(done.id)
    with pytest.raises(Exception, match="nowhere"):
        await client.submit({"command": "true", "pool": "nowhere"})


@pytest_asyncio.fixture(loop_scope="session")
async def scrape(pool: Installation) -> Scraped:
    """What the controller says now."""
    return await scraped_from(pool)


async def scraped_from(pool: Installation) -> Scraped:
    async with pool.http() as http, http.get("/metrics") as response:
        assert response.status == 200
        return Scraped(await response.text())


@pytest.fixture
def exported(scrape: Scraped) -> dict[str, set[str]]:
    """The names there are, each with its labels; two come into being only when they happen."""
    labels = {name: names | TARGET for name, names in scrape.labels.items()}
    return {
        **labels,
        "up": TARGET,
        "mini_eaas_node_condition": {"node", "condition"} | TARGET,
    }


def dashboard() -> dict[str, Any]:
    return dict(json.loads(GRAFANA.read_text()))


def targets(board: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for panel in board["panels"]:
        yield from panel.get("targets", [])


def rules() -> list[dict[str, Any]]:
    groups = yaml.safe_load(ALERTS.read_text())["groups"]
    return [rule for group in groups for rule in group["rules"]]


async def test_everything_the_dashboard_asks_for_is_exported(
    exported: dict[str, set[str]],
) -> None:
    board = dashboard()
    exprs = [target["expr"] for target in targets(board)]
    exprs += [each["expr"] for each in board["annotations"]["list"] if "expr" in each]

    wrong = {expr: list(unknown(expr, exported)) for expr in exprs}

    assert len(exprs) > 30
    assert {expr: what for expr, what in wrong.items() if what} == {}


async def test_legends_name_labels_that_are_there(exported: dict[str, set[str]]) -> None:
    every = {label for labels in exported.values() for label in labels}

    named = {
        label
        for target in targets(dashboard())
        for label in IN_LEGENDS.findall(target["legendFormat"])
    }

    assert "node" in named
    assert named <= every


async def test_everything_the_alerts_ask_for_is_exported(exported: dict[str, set[str]]) -> None:
    wrong = {rule["alert"]: list(unknown(rule["expr"], exported)) for rule in rules()}
    every = {label for labels in exported.values() for label in labels}
    named = {label for rule in rules() for label in IN_TEXTS.findall(str(rule["annotations"]))}

    assert {name: what for name, what in wrong.items() if what} == {}
    assert named <= every


def test_every_alert_is_named_once_and_says_what_to_do() -> None:
    names = [rule["alert"] for rule in rules()]

    assert len(set(names)) == len(names) > 8
    for rule in rules():
        assert rule["labels"]["severity"] in ("info", "warning", "critical")
        assert rule["annotations"].keys() == {"summary", "description"}


def test_the_example_scrapes_where_a_controller_listens_and_loads_the_alerts() -> None:
    config = yaml.safe_load(SCRAPE.read_text())
    (job,) = config["scrape_configs"]

    assert config["rule_files"] == [ALERTS.name]
    assert job["static_configs"] == [{"targets": ["127.0.0.1:7470"]}]
    assert f'up{{job="{job["job_name"]}"}} == 0' in [rule["expr"] for rule in rules()]


def test_panels_have_ids_of_their_own_and_do_not_overlap() -> None:
    panels = dashboard()["panels"]
    ids = [panel["id"] for panel in panels]

    assert len(set(ids)) == len(ids)
    for one, other in combinations(panels, 2):
        assert not overlap(one["gridPos"], other["gridPos"]), (one["title"], other["title"])
    assert all(panel["gridPos"]["x"] + panel["gridPos"]["w"] <= 24 for panel in panels)


def overlap(a: dict[str, int], b: dict[str, int]) -> bool:
    return (
        a["x"] < b["x"] + b["w"]
        and b["x"] < a["x"] + a["w"]
        and a["y"] < b["y"] + b["h"]
        and b["y"] < a["y"] + a["h"]
    )


def test_the_dashboard_uses_its_variables_and_no_data_source_of_somebody_elses() -> None:
    board = dashboard()
    variables = {each["name"] for each in board["templating"]["list"]}
    used = {a or b for a, b in VARIABLE.findall(json.dumps(board))}
    asking = [*targets(board), *(panel for panel in board["panels"] if panel["type"] != "row")]

    assert used - GIVEN == variables == {"datasource", "pool"}
    assert {each["datasource"]["uid"] for each in asking} == {"${datasource}"}
    assert [row["title"] for row in board["panels"] if row["type"] == "row"] == [
        "Pool at a glance",
        "Cards",
        "Queues",
        "Controller",
        "Watched folders",
    ]


async def test_what_has_happened_is_in_the_scrape(pool: Installation, scrape: Scraped) -> None:
    queue = {"pool": "default", "queue": "default"}

    assert scrape.value("jobs_submitted_total", **queue) == 1
    assert scrape.value("jobs_ended_total", **queue, state="Succeeded") == 1
    assert scrape.value("attempt_run_seconds_count", **queue) == 1
    assert scrape.value("submits_refused_total", code="invalid") == 1
    assert scrape.value("agents_connected") == 1
    assert scrape.value("node_up", node="plain") == 1
    assert set(scrape.rows("card_info", "node", "simulated")) == {("plain", "true")}
    assert scrape.rows("folder_enabled", "folder") == {str(pool.paths.inbox): 1}
    assert set(scrape.rows("card_state", "index")) == {"0", "1"}
    assert (scrape.value("event_loop_lag_seconds_count") or 0) > 0
    process = {name for name in scrape.labels if name.startswith(("process_", "python_"))}
    assert {"process_resident_memory_bytes", "python_gc_collections_total"} <= process
