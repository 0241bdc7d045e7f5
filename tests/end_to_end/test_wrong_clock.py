"""A node whose clock is hours off: it belongs to the pool as any other does, and is told of."""

import asyncio
import time
from pathlib import Path

import pytest

from eaas.lifecycle import JobState, NodeState
from tests.rig.agents import an_agent
from tests.rig.pool import Installation, node_when
from tests.rig.site import UNTIL_RELEASED, Site

HOUR_S = 3600.0


class SetClock:
    """A clock that is off by so much, and can be set."""

    def __init__(self, off_s: float) -> None:
        self.off_s = off_s

    def __call__(self) -> float:
        return time.time() + self.off_s


@pytest.mark.parametrize("off_s", [-7 * HOUR_S, 7 * HOUR_S])
async def test_a_node_with_a_wrong_clock_runs_jobs_keeps_their_times_and_is_told_of(
    empty: Installation, off_s: float
) -> None:
    empty.start_controller()
    clock = SetClock(off_s)
    state = empty.paths.agent_state("node-a")
    async with empty.client() as client, an_agent(state, empty.paths.socket, clock=clock):
        site = Site(pool=empty, client=client, node="node-a", image=None)
        await node_when(client, "node-a", lambda node: node.state == NodeState.UNASSIGNED)
        await client.create_pool("default")
        await client.add_node("default", "node-a")
        told = await node_when(client, "node-a", lambda node: bool(node.conditions))
        done = await site.run("exit 3", gpus=1)
        again = await site.run("exit 4", gpus=1)
        late = await site.run("sleep 60", timeout="300ms")
        steady = await site.running(f"{UNTIL_RELEASED}; exit 5", timeout="1h")

        clock.off_s = 0.0  # set right, while a job runs
        right = await node_when(client, "node-a", lambda node: not node.conditions)
        site.release(steady)
        after = await site.end(steady)

    assert [(each.code, "clock" in each.text) for each in told.conditions] == [("clock_skew", True)]
    assert told.state == right.state == NodeState.READY
    assert (done.state, done.exit_code, again.exit_code) == (JobState.FAILED, 3, 4)
    assert late.state == JobState.TIMED_OUT
    assert (after.state, after.exit_code, after.attempt) == (JobState.FAILED, 5, 1)


async def test_a_running_job_is_not_out_of_time_because_its_restarted_agents_clock_was_set(
    empty: Installation, tmp_path: Path
) -> None:
    empty.start_controller()
    state, socket = empty.paths.agent_state("node-a"), empty.paths.socket
    async with empty.client() as client:
        site = Site(pool=empty, client=client, node="node-a", image=None)
        async with an_agent(state, socket, clock=SetClock(-7 * HOUR_S)):
            await node_when(client, "node-a", lambda node: node.state == NodeState.UNASSIGNED)
            await client.create_pool("default")
            await client.add_node("default", "node-a")
            job = await site.running(f"{UNTIL_RELEASED}; exit 5", timeout="1h")
        async with an_agent(state, socket):
            await node_when(client, "node-a", lambda node: node.state == NodeState.READY)
            site.release(job)
            async with asyncio.timeout(30):
                ended = await site.end(job)

    assert (ended.state, ended.exit_code) == (JobState.FAILED, 5)
