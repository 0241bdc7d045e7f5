"""What people do to queues, nodes and waiting jobs, and what they are told of it."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from eaas.lifecycle import JobState, NodeState
from eaas.views import JobView
from eaas.wire.rest import SetQueue
from tests.rig.pool import Installation
from tests.rig.site import UNTIL_RELEASED, WITHIN_S, Site


async def order_of_start(site: Site, jobs: list[JobView]) -> list[str | None]:
    """Return the names of the jobs, once ended, in the order in which they started."""
    async with asyncio.timeout(WITHIN_S):
        ended = await site.client.wait(*(job.id for job in jobs))
    assert {job.state for job in ended} == {JobState.SUCCEEDED}
    return [job.name for job in sorted(ended, key=lambda job: job.started_at or "")]


@pytest.fixture
async def paused(plain: Site) -> AsyncIterator[Site]:
    """The shared pool with its queue paused; it goes on after the test."""
    plain.pool.said("queue", "pause", "default/default")
    yield plain
    plain.pool.said("queue", "resume", "default/default")


async def test_a_paused_queue_starts_nothing_until_it_goes_on(paused: Site) -> None:
    job = await paused.submit("true")
    why = await paused.client.why(job.id)

    paused.pool.said("queue", "resume", "default/default")

    assert (job.state, why.verdict, [one.code for one in why.reasons]) == (
        JobState.PENDING,
        "waiting",
        ["queue_paused"],
    )
    assert "mini-eaas queue resume default/default" in " ".join(why.advice)
    assert (await paused.end(job)).state == JobState.SUCCEEDED


async def test_jobs_start_by_priority_then_in_the_order_they_came(paused: Site) -> None:
    asked = {"low": -5, "first": 0, "second": 0, "high": 7}
    jobs = [
        await paused.submit("true", name=name, priority=priority, gpus=2)
        for name, priority in asked.items()
    ]

    paused.pool.said("queue", "resume", "default/default")

    assert await order_of_start(paused, jobs) == ["high", "first", "second", "low"]


async def test_priority_and_top_change_the_order_of_waiting_jobs(paused: Site) -> None:
    jobs = [await paused.submit("true", name=name, gpus=2) for name in ("a", "b", "c", "d")]
    paused.pool.said("job", "priority", str(jobs[0].id), "-5")
    paused.pool.said("job", "priority", str(jobs[2].id), "5")
    paused.pool.said("job", "top", str(jobs[3].id))

    waiting = [await paused.client.job(job.id) for job in jobs]
    paused.pool.said("queue", "resume", "default/default")

    assert [job.position for job in waiting] == [4, 3, 2, 1]
    assert await order_of_start(paused, jobs) == ["d", "c", "b", "a"]


async def test_why_names_the_jobs_that_are_in_the_way(site: Site) -> None:
    blocker = await site.running(UNTIL_RELEASED, gpus=2, timeout="1h")
    waiting = await site.submit("true", gpus=1)

    why = await site.client.why(waiting.id)
    told = site.pool.said("job", "why", str(waiting.id))
    site.release(blocker)

    assert (why.verdict, why.position) == ("waiting", 1)
    reasons = {node.node: (node.code, node.asked, node.available) for node in why.nodes}
    assert reasons[site.node] == ("too_few_free_cards", 1, 0)
    (named,) = [one for one in why.blockers if one.job == blocker.id]
    assert (named.user, named.node, named.ends_kind) == (blocker.user, site.node, "certain")
    assert set(named.cards) == {card.uuid for card in blocker.cards}
    assert f"{site.node} has 0 free cards, 1 asked for" in told
    assert "IN THE WAY" in told
    assert (await site.end(waiting)).state == JobState.SUCCEEDED


async def test_a_job_that_could_never_fit_is_refused_unless_forced(plain: Site) -> None:
    asked = ["job", "submit", "--node", "plain", "--gpus", "3", "--cmd", "true"]

    refused = plain.pool.eaas(*asked, "-o", "json")
    forced = plain.pool.said(*asked, "--force")

    assert (refused.returncode, refused.stdout) == (1, b"")
    assert b'"code":"never_fits"' in refused.stderr
    why = await plain.client.why(int(forced))
    assert (why.state, why.verdict) == (JobState.PENDING, "never")


async def test_a_draining_node_finishes_its_jobs_and_takes_no_new_ones(site: Site) -> None:
    job = await site.running(UNTIL_RELEASED)
    site.pool.said("node", "drain", site.node)
    try:
        node = await site.client.node(site.node)
        waiting = await site.submit("true")
        why = await site.client.why(waiting.id)
        site.release(job)
        finished = await site.end(job)
        still = await site.client.job(waiting.id)
    finally:
        site.pool.said("node", "resume", site.node)

    assert node.state == NodeState.DRAINING
    codes = {one.node: one.code for one in why.nodes}
    assert (why.verdict, codes[site.node]) == ("waiting", "node_draining")
    assert (finished.state, still.state) == (JobState.SUCCEEDED, JobState.PENDING)
    assert (await site.end(waiting)).state == JobState.SUCCEEDED


async def test_a_queue_runs_no_more_jobs_than_it_may(plain: Site) -> None:
    await plain.client.create_queue("default", "narrow", SetQueue(max_running=1))
    first = await plain.running(UNTIL_RELEASED, queue="narrow")
    second = await plain.submit("true", queue="narrow")
    why = await plain.client.why(second.id)
    plain.release(first)

    assert [one.code for one in why.reasons] == ["queue_full"]
    assert (await plain.end(second)).state == JobState.SUCCEEDED
    await plain.client.delete_queue("default", "narrow")


async def test_one_idempotency_key_gives_one_job(plain: Site, shared: Installation) -> None:
    asked = ["job", "submit", "--node", "plain", "--idempotency-key", plain.key()]

    first = shared.said(*asked, "--cmd", "true")
    second = shared.said(*asked, "--cmd", "true")
    other = shared.eaas(*asked, "--cmd", "false", "-o", "json")

    assert first == second
    assert other.returncode == 1
    assert b'"code":"idempotency_key_reused"' in other.stderr
    job = await plain.end(await plain.client.job(int(first)))
    assert job.state == JobState.SUCCEEDED
    assert [one.id async for one in plain.client.each_job(limit=1, all=True)] == [job.id]


async def test_a_dry_run_says_what_would_become_of_a_job(plain: Site) -> None:
    start = await plain.client.dry_run(plain.fields("true", gpus=1))
    blocker = await plain.running(UNTIL_RELEASED, gpus=2)
    wait = await plain.client.dry_run(plain.fields("true", gpus=1))
    never = await plain.client.dry_run(plain.fields("true", gpus=3))
    plain.release(blocker)

    assert (start.would, start.node, len(start.cards)) == ("start", "plain", 1)
    assert (wait.would, [one.job for one in wait.blockers]) == ("wait", [blocker.id])
    assert never.would == "never"
