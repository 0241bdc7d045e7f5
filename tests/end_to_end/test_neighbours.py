"""Several agents, and several whole pools, on one machine: nobody touches what is another's."""

import asyncio
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from eaas.errors import NotFound
from eaas.lifecycle import JobState
from tests.rig.pool import Installation, an_installation
from tests.rig.site import UNTIL_RELEASED, Site

NAMES = ("node-a", "node-b", "node-c")


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def three() -> AsyncIterator[Installation]:
    """A pool of three nodes, all of them this machine."""
    async with an_installation() as pool:
        pool.start_controller()
        for name in NAMES:
            await pool.add_agent(name, simulate="1x8GiB")
        yield pool


async def test_jobs_run_on_the_nodes_they_name(three: Installation) -> None:
    async with three.client() as client:
        sites = [Site(pool=three, client=client, node=name, image=None) for name in NAMES]
        jobs = await asyncio.gather(*(site.run("echo $EAAS_WORKSPACE") for site in sites))
        logs = [await site.log(job) for site, job in zip(sites, jobs, strict=True)]

    assert [job.node for job in jobs] == list(NAMES)
    assert logs == [f"{three.workspace(job)}\n".encode() for job in jobs]
    held = {name: three.paths.agent_state(name) / "workspaces" for name in NAMES}
    for job in jobs:
        assert [name for name in NAMES if (held[name] / job.uid).exists()] == [job.node]


async def test_three_jobs_of_one_card_take_three_nodes(three: Installation) -> None:
    async with three.client() as client:
        site = Site(pool=three, client=client, node="", image=None)
        anywhere = {"gpus": 1, "nodes": list(NAMES)}
        jobs = [await site.running(UNTIL_RELEASED, **anywhere) for _ in NAMES]
        nodes = await client.nodes()
        for job in jobs:
            site.release(job)
        ended = [await site.end(job) for job in jobs]

    assert {job.node for job in jobs} == set(NAMES)
    assert {node.name: node.jobs for node in nodes} == {job.node: (job.id,) for job in jobs}
    assert {job.state for job in ended} == {JobState.SUCCEEDED}


async def test_an_agent_that_is_killed_takes_nobody_elses_job_along(three: Installation) -> None:
    async with three.client() as client:
        sites = [Site(pool=three, client=client, node=name, image=None) for name in NAMES]
        jobs = [await site.running(UNTIL_RELEASED) for site in sites]
        three.agents["node-b"].kill()
        sites[0].release(jobs[0])
        first = await sites[0].end(jobs[0])
        three.start_agent("node-b")
        for site, job in zip(sites[1:], jobs[1:], strict=True):
            site.release(job)
        others = [await site.end(job) for site, job in zip(sites[1:], jobs[1:], strict=True)]

    assert [(job.state, job.attempt) for job in (first, *others)] == [(JobState.SUCCEEDED, 1)] * 3


@pytest.mark.parametrize(
    "own", ["process", pytest.param("docker", marks=pytest.mark.docker)], indirect=True
)
async def test_two_pools_side_by_side_know_nothing_of_each_other(
    own: Site, shared: Installation
) -> None:
    job = await own.running(UNTIL_RELEASED, name="mine")
    runtime = "plain" if own.image is None else "box"
    async with shared.client() as client:
        other = Site(pool=shared, client=client, node=runtime, image=own.image)
        theirs = await other.running(UNTIL_RELEASED, name="theirs")
        listed = [view.name async for view in client.each_job()]
        shared.agents[runtime].kill()
        own.release(job)
        mine = await own.end(job)
        shared.start_agent(runtime)
        other.release(theirs)
        ended = await other.end(theirs)

    assert "mine" not in listed
    assert [view.name async for view in own.client.each_job(all=True)] == ["mine"]
    assert [node.name for node in await own.client.nodes()] == ["node-a"]
    assert (mine.state, ended.state, ended.attempt) == (JobState.SUCCEEDED, JobState.SUCCEEDED, 1)
    with pytest.raises(NotFound):
        await own.client.node(runtime)
