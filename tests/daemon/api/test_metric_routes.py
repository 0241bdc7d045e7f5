"""A scrape of a served controller: the same numbers as REST, whoever may ask, never in the way."""

import asyncio

import aiohttp
import msgspec
import pytest

from eaas.node_views import NodeView
from eaas.views import Page, PoolView, QueueView
from tests.daemon.api.served import TOKEN, House, a_controller
from tests.rig.builders import a_card
from tests.rig.metrics import Scraped


async def look(house: House) -> Scraped:
    status, body = await house.ask("GET", "/metrics")
    assert status == 200
    return Scraped(body.decode())


async def views(house: House, path: str, kind: type[msgspec.Struct]) -> list[msgspec.Struct]:
    status, page = await house.ask("GET", path, user="root")
    assert status == 200
    return msgspec.convert(page, Page[kind]).items  # type: ignore[valid-type]


async def furnish(house: House) -> None:
    await house.node("n1", a_card(0), a_card(1), a_card(2, state="sick"))
    await house.pool("default", "n1")
    await house.pool("empty")
    await house.runs(await house.submit(gpus=1))
    await house.submit(gpus=2)
    await house.beat("n1", a_card(0, utilization_pct=80), a_card(1), a_card(2, state="sick"))


async def test_a_scrape_says_what_rest_says_at_the_same_moment(house: House) -> None:
    await furnish(house)

    found = await look(house)

    for pool in await views(house, "/api/v1/pools", PoolView):
        assert isinstance(pool, PoolView)
        assert found.value("cards_offered", pool=pool.name) == pool.cards_free
        assert found.value("cards", pool=pool.name, state="held") == pool.cards_held
        per_queue = found.rows("queue_jobs_waiting", "pool", "queue")
        assert sum(n for (name, _), n in per_queue.items() if name == pool.name) == pool.waiting
    for queue in await views(house, "/api/v1/queues", QueueView):
        assert isinstance(queue, QueueView)
        name = {"pool": queue.pool, "queue": queue.name}
        assert found.value("queue_jobs_waiting", **name) == queue.waiting
        assert found.value("queue_jobs_running", **name) == queue.running
        assert found.value("queue_cards_held", **name) == queue.gpus_held
    (node,) = await views(house, "/api/v1/nodes", NodeView)
    assert isinstance(node, NodeView)
    assert found.rows("card_state", "uuid", "state") == {(c.uuid, c.state): 1 for c in node.cards}
    assert found.value("node_memory_used_bytes", node="n1") == 7 << 20
    assert found.value("card_utilization_ratio", node="n1", index="0", uuid="GPU-n1-0") == 0.8
    _, status = await house.ask("GET", "/api/v1/status")
    assert found.value("engine_seq") == status["seq"]


async def test_what_has_happened_is_counted_by_the_next_scrape(house: House) -> None:
    await furnish(house)
    house.clock.at += 9
    await house.ends(1)

    found = await look(house)

    queue = {"pool": "default", "queue": "default"}
    assert found.value("jobs_submitted_total", **queue) == 2
    assert found.value("jobs_ended_total", **queue, state="Succeeded") == 1
    assert found.value("attempt_run_seconds_sum", **queue) == 9
    assert (found.value("engine_step_seconds_count") or 0) > 5
    assert (found.value("engine_commit_seconds_count") or 0) > 5
    assert (found.value("database_bytes") or 0) > 10_000


async def test_the_scraper_gets_the_format_it_names_and_nothing_is_kept_on_the_way(
    house: House,
) -> None:
    async with house.open("GET", "/metrics", Accept="application/openmetrics-text") as response:
        body = await response.text()
        kind = response.headers["Content-Type"]

    assert kind == "application/openmetrics-text; version=1.0.0; charset=utf-8"
    assert "mini_eaas_build_info" in Scraped(body, openmetrics=True).labels


async def test_followers_of_the_stream_are_counted_while_they_follow(house: House) -> None:
    async with await house.stream() as stream:
        await stream.receive()
        assert (await look(house)).value("stream_subscribers") == 1


async def test_scrapes_take_turns_and_all_are_answered(house: House) -> None:
    await furnish(house)

    answers = await asyncio.gather(*(house.ask("GET", "/metrics") for _ in range(8)))

    assert [status for status, _ in answers] == [200] * 8


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 200),
        ({"Authorization": f"Bearer {TOKEN}"}, 200),
        ({"Authorization": "Bearer wrong"}, 401),
        ({"Authorization": "Basic abc"}, 401),
        ({"X-Forwarded-For": "10.0.0.9"}, 401),
        ({"Forwarded": "for=10.0.0.9"}, 401),
        ({"X-Forwarded-For": "10.0.0.9", "Authorization": f"Bearer {TOKEN}"}, 200),
        ({"Host": "evil.example"}, 403),
        ({"Host": "evil.example", "Authorization": f"Bearer {TOKEN}"}, 403),
        ({"Origin": "http://localhost"}, 403),
    ],
)
async def test_over_tcp_programs_of_this_host_scrape_without_a_token_and_no_others(
    house: House, headers: dict[str, str], status: int
) -> None:
    async with (
        a_controller(house) as served,
        aiohttp.ClientSession() as http,
        http.get(f"{served.address}/metrics", headers=headers) as response,
    ):
        assert response.status == status


async def test_whoever_may_scrape_without_a_token_may_do_nothing_else_without(house: House) -> None:
    async with a_controller(house) as served, aiohttp.ClientSession() as http:
        found = {}
        for method, path in [
            ("GET", "/metrics/"),
            ("POST", "/metrics"),
            ("GET", "/metrics/../api/v1/jobs"),
            ("GET", "//metrics"),
            ("GET", "/api/v1/status"),
        ]:
            async with http.request(method, served.address + path) as response:
                found[method, path] = response.status

    assert found == {
        ("GET", "/metrics/"): 401,
        ("POST", "/metrics"): 405,
        ("GET", "/metrics/../api/v1/jobs"): 401,
        ("GET", "//metrics"): 401,
        ("GET", "/api/v1/status"): 401,
    }


async def test_on_the_socket_everybody_of_this_host_may_scrape(house: House) -> None:
    path = house.parts.home / "real.sock"
    async with (
        a_controller(house, service_uid=12345),
        aiohttp.ClientSession(connector=aiohttp.UnixConnector(str(path))) as http,
        http.get("http://controller/metrics") as response,
    ):
        assert response.status == 200
