"""Programs are killed with -9 while jobs run: nothing is lost, and nothing runs twice."""

import asyncio

import pytest

from eaas.errors import Unavailable, Unreachable
from eaas.lifecycle import JobState, NodeState
from eaas.views import JobView
from tests.rig.pool import node_when
from tests.rig.program import await_end
from tests.rig.site import UNTIL_RELEASED, WITHIN_S, Site

JOBS = 8
ORACLE = "echo $EAAS_ATTEMPT >> $EAAS_WORKSPACE/oracle"
PIECEWISE = f"{ORACLE}; {UNTIL_RELEASED}; echo going on; exit 7"


def runs(site: Site, job: JobView) -> list[str]:
    """Return the attempts that really ran, by the job's own word."""
    return (site.pool.workspace(job) / "oracle").read_text().split()


async def test_an_agent_killed_and_restarted_finds_its_job_again(own: Site) -> None:
    before = await own.running(PIECEWISE)
    own.pool.agents["node-a"].kill()
    await node_when(own.client, "node-a", lambda node: node.state == NodeState.OFFLINE)

    own.pool.start_agent("node-a")

    await own.when(before, JobState.RUNNING)
    own.release(before)
    job = await own.end(before)
    assert (job.state, job.exit_code, job.attempt) == (JobState.FAILED, 7, 1)
    assert job.attempts[0].container_id == before.attempts[0].container_id
    assert runs(own, job) == ["1"]
    assert await own.log(job) == b"ready\ngoing on\n"


async def test_a_job_that_ends_while_its_agent_is_dead_is_told_of_afterwards(own: Site) -> None:
    before = await own.running(PIECEWISE)
    pid = await own.pid(before)
    own.pool.agents["node-a"].kill()
    own.release(before)
    await_end(pid)

    own.pool.start_agent("node-a")

    job = await own.end(before)
    assert (job.state, job.exit_code, job.attempt) == (JobState.FAILED, 7, 1)
    assert runs(own, job) == ["1"]
    assert await own.log(job) == b"ready\ngoing on\n"


async def test_a_result_arrives_after_the_controller_was_killed(own: Site) -> None:
    before = await own.running(PIECEWISE)
    pid = await own.pid(before)
    own.pool.controller.kill()
    own.release(before)
    await_end(pid)

    own.pool.start_controller()

    job = await own.end(before)
    assert (job.state, job.exit_code, job.attempt) == (JobState.FAILED, 7, 1)
    assert runs(own, job) == ["1"]
    assert await own.log(job) == b"ready\ngoing on\n"


async def test_both_killed_at_once_is_no_worse(own: Site) -> None:
    before = await own.running(PIECEWISE)
    own.pool.agents["node-a"].kill()
    own.pool.controller.kill()

    own.pool.start_controller()
    own.pool.start_agent("node-a")

    await own.when(before, JobState.RUNNING)
    own.release(before)
    job = await own.end(before)
    assert (job.state, job.exit_code, job.attempt) == (JobState.FAILED, 7, 1)
    assert runs(own, job) == ["1"]


async def test_an_acknowledged_job_survives_the_controller_and_runs_exactly_once(own: Site) -> None:
    submitting = [asyncio.create_task(own.submit(ORACLE, name=f"job-{n}")) for n in range(JOBS)]
    await asyncio.wait(submitting, return_when=asyncio.FIRST_COMPLETED)
    own.pool.controller.kill()
    own.pool.start_controller()

    async with asyncio.timeout(WITHIN_S):
        jobs = await asyncio.gather(*submitting)  # the client tries again with the same key

    ended = await own.client.wait(*(job.id for job in jobs))
    assert {job.name for job in ended} == {f"job-{n}" for n in range(JOBS)}
    assert [(job.state, job.attempt) for job in ended] == [(JobState.SUCCEEDED, 1)] * JOBS
    assert [runs(own, job) for job in ended] == [["1"]] * JOBS
    everything = [job.id async for job in own.client.each_job(all=True)]
    assert sorted(everything) == sorted(job.id for job in jobs)


@pytest.mark.parametrize("own", ["process"], indirect=True)
async def test_a_controller_told_to_stop_leaves_jobs_alone(own: Site) -> None:
    before = await own.running(PIECEWISE)

    assert own.pool.controller.terminate() == 0
    assert own.pool.agents["node-a"].terminate() == 0

    with pytest.raises((Unreachable, Unavailable)):
        await own.client.status()
    own.pool.start_controller()
    own.pool.start_agent("node-a")
    own.release(before)
    job = await own.end(before)
    assert (job.exit_code, job.attempt, runs(own, job)) == (7, 1, ["1"])
