"""What scripts rely on: the keys of every view, the shape of answers, errors and exit codes."""

import json
import re
from typing import Any, Final

import aiohttp
import pytest
import pytest_asyncio

from eaas.client import Client
from eaas.lifecycle import JobState
from tests.rig.pool import Installation
from tests.rig.site import UNTIL_RELEASED, Site


def keys(text: str) -> set[str]:
    return set(text.replace(",", " ").split())


JOB: Final = keys(
    "id uid ref array_index name user pool queue state phase reason position priority attempt node "
    "cards exit_code oom_killed created_at started_at finished_at run_s timeout_s image_digest "
    "spec attempts workspace array preemptions"
)
PHASE: Final = keys("name done_bytes total_bytes eta_s")
REASON: Final = keys("code text")
HELD_CARD: Final = keys("uuid index memory_mib")
ATTEMPT: Final = keys(
    "number state node cards container_id created_at started_at finished_at exit_code oom_killed "
    "reason log"
)
LOG: Final = keys("stdout_bytes stderr_bytes gap_bytes complete")
NODE: Final = keys(
    "name uid state conditions address version runtime engine pools labels cpus cpus_used "
    "memory_mib memory_used_mib boot_id last_seen_at last_end cards jobs job_refs images mounts "
    "links"
)
IMAGE: Final = keys("name digest size_mib")
CARD: Final = keys(
    "uuid index node model state simulated offered reason memory_total_mib memory_used_mib "
    "memory_claimed_mib utilization_pct temperature_c power_w claims processes sampled_at "
    "bookings"
)
CLAIM: Final = keys("job attempt user memory_mib ref")
PROCESS: Final = keys("pid user command memory_mib container job")
POOL: Final = keys(
    "name nodes queues cards_total cards_free cards_held cards_unavailable waiting running "
    "max_gpus_per_user half_life_s users"
)
POOL_NODE: Final = keys("name cards")
POOL_USER: Final = keys("user running gpus_held card_hours")
QUEUE: Final = keys(
    "name pool ref priority paused max_running max_gpus max_pending max_per_user "
    "max_gpus_per_user max_priority timeout_s max_timeout_s allow preemptible hold_after_s "
    "idle_after_s requeue_after_s waiting running gpus_held"
)
WHY: Final = keys("job state verdict text position reasons nodes blockers eta advice as_of_seq")
WHY_NODE: Final = keys("node code text asked available never")
BLOCKER: Final = keys("job user node cards ends_at ends_kind ref")
ETA: Final = keys("at in_s kind")
DRY_RUN: Final = WHY | keys("valid errors would node cards on_nodes")
PROBLEM: Final = keys("type title status detail code errors")
FIELD_ERROR: Final = keys("field line column message suggestion")
RFC_3339: Final = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z")


@pytest_asyncio.fixture
async def http(shared: Installation, client: Client) -> Any:
    async with shared.http() as session:
        yield session


async def got(http: aiohttp.ClientSession, path: str) -> Any:
    async with http.get(f"/api/v1{path}") as response:
        assert response.status == 200, await response.text()
        assert response.content_type == "application/json"
        return await response.json()


async def posted(http: aiohttp.ClientSession, path: str, body: Any, **headers: str) -> Any:
    async with http.post(f"/api/v1{path}", json=body, headers=headers) as response:
        return response.status, await response.json()


async def test_a_job_has_exactly_its_keys_in_every_state(
    http: aiohttp.ClientSession, plain: Site
) -> None:
    restart = {"policy": "on-failure", "retries": 1, "backoff": "0s"}
    running = await plain.running(UNTIL_RELEASED, gpus=2)
    _, waiting = await posted(http, "/jobs", plain.fields("exit 3", gpus=1, restart=restart))
    live = await got(http, f"/jobs/{running.id}")
    plain.release(running)
    await plain.end(await plain.client.job(waiting["id"]))
    ended = await got(http, f"/jobs/{waiting['id']}")

    assert [set(job) for job in (waiting, live, ended)] == [JOB] * 3
    assert [job["state"] for job in (waiting, live, ended)] == ["Pending", "Running", "Failed"]
    assert set(ended["reason"]) == REASON
    assert [set(card) for card in live["cards"]] == [HELD_CARD] * 2
    assert [set(attempt) for attempt in ended["attempts"]] == [ATTEMPT] * 2
    assert {frozenset(attempt["log"]) for attempt in ended["attempts"]} == {frozenset(LOG)}
    assert {frozenset(attempt["reason"]) for attempt in ended["attempts"]} == {frozenset(REASON)}
    assert ended["ref"] == str(ended["id"])
    assert ended["spec"] == {
        "command": "exit 3",
        "gpus": 1,
        "restart": {"policy": "on-failure", "retries": 1, "backoff": "0s"},
        "nodes": ["plain"],
    }
    for moment in ("created_at", "started_at", "finished_at"):
        assert RFC_3339.fullmatch(ended[moment])
    assert (waiting["started_at"], waiting["node"], waiting["exit_code"]) == (None, None, None)


async def test_nodes_and_cards_have_exactly_their_keys(
    http: aiohttp.ClientSession, plain: Site
) -> None:
    job = await plain.running(UNTIL_RELEASED, gpus=1)
    nodes = await got(http, "/nodes")
    cards = await got(http, "/cards")
    node = await got(http, "/nodes/plain")
    plain.release(job)

    assert set(nodes) == set(cards) == {"items", "next"}
    assert {frozenset(one) for one in nodes["items"]} == {frozenset(NODE)}
    assert set(node) == NODE
    assert {frozenset(one) for one in cards["items"]} == {frozenset(CARD)}
    assert {frozenset(one) for one in node["cards"]} == {frozenset(CARD)}
    (claim,) = (claim for card in node["cards"] for claim in card["claims"])
    assert (set(claim), claim["job"]) == (CLAIM, job.id)
    processes = [process for card in cards["items"] for process in card["processes"]]
    assert {frozenset(one) for one in processes} <= {frozenset(PROCESS)}
    assert (node["runtime"], node["jobs"], node["pools"]) == ("process", [job.id], ["default"])


@pytest.mark.docker
async def test_images_of_a_node_have_exactly_their_keys(
    http: aiohttp.ClientSession, box: Site
) -> None:
    node = await got(http, "/nodes/box")

    assert (node["runtime"], set(node)) == ("docker", NODE)
    assert box.image in {image["name"] for image in node["images"]}
    assert {frozenset(image) for image in node["images"]} == {frozenset(IMAGE)}


async def test_pools_and_queues_have_exactly_their_keys(
    http: aiohttp.ClientSession, plain: Site
) -> None:
    job = await plain.running(UNTIL_RELEASED, gpus=1)
    pools, queues = await got(http, "/pools"), await got(http, "/queues")
    plain.release(job)

    assert set(pools) == set(queues) == {"items", "next"}
    (pool,), (queue,) = pools["items"], queues["items"]
    assert (set(pool), set(queue)) == (POOL, QUEUE)
    assert {frozenset(node) for node in pool["nodes"]} == {frozenset(POOL_NODE)}
    assert {frozenset(user) for user in pool["users"]} == {frozenset(POOL_USER)}
    assert (pool["queues"], queue["ref"]) == (["default"], "default/default")
    assert set(await got(http, "/pools/default")) == POOL
    assert set(await got(http, "/pools/default/queues/default")) == QUEUE


async def test_why_and_a_dry_run_have_exactly_their_keys(
    http: aiohttp.ClientSession, plain: Site
) -> None:
    blocker = await plain.running(UNTIL_RELEASED, gpus=2)
    waiting = await plain.submit("true", gpus=1)
    why = await got(http, f"/jobs/{waiting.id}/why")
    status, dry = await posted(http, "/jobs:dry-run", plain.fields("true", gpus=1))
    bad_status, bad = await posted(http, "/jobs:dry-run", {"comand": "true"})
    plain.release(blocker)

    assert (set(why), set(why["eta"])) == (WHY, ETA)
    assert {frozenset(node) for node in why["nodes"]} == {frozenset(WHY_NODE)}
    assert {frozenset(one) for one in why["blockers"]} == {frozenset(BLOCKER)}
    assert (status, set(dry), dry["job"], dry["valid"], dry["would"]) == (
        *(200, DRY_RUN, None, True, "wait"),
    )
    assert (bad_status, set(bad), bad["valid"], bad["would"]) == (200, DRY_RUN, False, "never")
    assert {frozenset(error) for error in bad["errors"]} == {frozenset(FIELD_ERROR)}
    assert [error["suggestion"] for error in bad["errors"]] == ["command"]


async def test_a_submit_answers_201_its_replay_200_and_another_body_422(
    http: aiohttp.ClientSession, plain: Site
) -> None:
    body, key = plain.fields("true"), {"Idempotency-Key": plain.key()}

    first = await posted(http, "/jobs", body, **key)
    again = await posted(http, "/jobs", body, **key)
    other = await posted(http, "/jobs", {**body, "command": "false"}, **key)

    assert [first[0], again[0], other[0]] == [201, 200, 422]
    assert first[1]["id"] == again[1]["id"]
    assert other[1]["code"] == "idempotency_key_reused"


async def test_a_batch_is_accepted_whole_or_not_at_all(
    http: aiohttp.ClientSession, plain: Site
) -> None:
    good, bad = plain.fields("true"), {"command": "true", "gpus": "many"}

    status, answer = await posted(http, "/jobs:batch", {"jobs": [good, good]})
    refused, problem = await posted(http, "/jobs:batch", {"jobs": [good, bad]})

    assert (status, [set(job) for job in answer["items"]]) == (201, [JOB, JOB])
    assert (refused, set(problem)) == (422, PROBLEM)
    everything = await got(http, "/jobs?all=1&limit=2")
    newest_first = [job["id"] for job in reversed(answer["items"])]
    assert [job["id"] for job in everything["items"]] == newest_first


@pytest.mark.parametrize(
    ("path", "status", "code"),
    [
        ("/jobs/999999", 404, "not_found"),
        ("/nodes/nobody", 404, "not_found"),
        ("/no-such-route", 404, "not_found"),
        ("/jobs?limit=many", 422, "invalid"),
    ],
)
async def test_a_refusal_is_a_problem_with_a_code(
    http: aiohttp.ClientSession, path: str, status: int, code: str
) -> None:
    async with http.get(f"/api/v1{path}") as response:
        problem = await response.json(content_type="application/problem+json")

    assert (response.status, set(problem)) == (status, PROBLEM)
    assert (problem["status"], problem["code"]) == (status, code)


async def test_lists_go_on_where_the_page_before_ended(
    http: aiohttp.ClientSession, plain: Site
) -> None:
    jobs = [await plain.submit("true") for _ in range(5)]
    for job in jobs:
        await plain.end(job)

    seen: list[int] = []
    ways_on = [""]
    for way_on in ways_on:
        page = await got(http, f"/jobs?all=1&limit=2{way_on}")
        assert set(page) == {"items", "next"}
        assert 0 < len(page["items"]) <= 2
        seen += [job["id"] for job in page["items"]]
        if page["next"] is not None:
            ways_on.append(f"&cursor={page['next']}")

    assert seen[:5] == [job.id for job in reversed(jobs)]
    assert len(seen) == len(set(seen))


async def test_json_of_the_command_line_is_the_rest_view(
    http: aiohttp.ClientSession, plain: Site
) -> None:
    submitted = json.loads(
        plain.pool.said("job", "submit", *plain.flags(), "--cmd", "true", "-o", "json")
    )
    job = await plain.end(await plain.client.job(submitted["id"]))

    shown = json.loads(plain.pool.said("-o", "json", "job", "show", str(job.id)))

    assert set(submitted) == JOB
    assert shown == await got(http, f"/jobs/{job.id}")
    assert plain.pool.said("job", "submit", *plain.flags(), "--cmd", "true").strip().isdigit()


async def test_following_as_json_gives_one_object_a_line(plain: Site) -> None:
    flags = [*plain.flags(), "--cmd", "echo a; echo b", "--follow", "-o", "json"]

    lines = [json.loads(line) for line in plain.pool.said("job", "submit", *flags).splitlines()]

    assert (set(lines[0]), set(lines[-1])) == (JOB, JOB)
    assert lines[-1]["state"] == JobState.SUCCEEDED


async def test_a_refusal_leaves_stdout_empty_and_one_problem_on_stderr(plain: Site) -> None:
    done = plain.pool.eaas("job", "show", "999999", "-o", "json")
    wrong = plain.pool.eaas("job", "submit", "--gpus", "many", "--cmd", "true", "-o", "json")
    usage = plain.pool.eaas("job", "shwo", "1")

    assert (done.returncode, done.stdout, set(json.loads(done.stderr))) == (1, b"", PROBLEM)
    assert (wrong.returncode, wrong.stdout) == (1, b"")
    (error,) = json.loads(wrong.stderr)["errors"]
    assert (set(error), error["field"]) == (FIELD_ERROR, "gpus")
    assert usage.returncode == 2
