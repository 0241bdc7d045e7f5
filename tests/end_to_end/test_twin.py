"""A disk is cloned and started as a machine of its own: two agents have one identity."""

import shutil
from pathlib import Path

from msgspec.structs import replace

from eaas.lifecycle import JobState, NodeState
from eaas_agent.machine import Machine, read_machine
from tests.rig.agents import an_agent
from tests.rig.pool import Installation, node_when
from tests.rig.site import UNTIL_RELEASED, Site


def another_machine() -> Machine:
    return replace(read_machine(), boot_id="the-boot-of-the-clone")


async def test_a_cloned_disk_is_turned_away_both_are_named_and_the_first_ones_job_runs_on(
    empty: Installation, tmp_path: Path
) -> None:
    empty.start_controller()
    state, socket = empty.paths.agent_state("node-a"), empty.paths.socket
    async with empty.client() as client, an_agent(state, socket):
        site = Site(pool=empty, client=client, node="node-a", image=None)
        await node_when(client, "node-a", lambda node: node.state == NodeState.UNASSIGNED)
        await client.create_pool("default")
        await client.add_node("default", "node-a")
        job = await site.running(f"{UNTIL_RELEASED}; exit 5")
        shutil.copytree(state, tmp_path / "clone")

        async with an_agent(tmp_path / "clone", socket, machine=another_machine):
            named = await node_when(
                client, "node-a", lambda node: any(c.code == "twin" for c in node.conditions)
            )
        waits = await site.submit("true")
        site.release(job)
        ended = await site.end(job)
        why = await client.why(waits.id)
        empty.said("node", "resume", "node-a")
        after = await site.end(waits)

    (twin,) = [each.text for each in named.conditions if each.code == "twin"]
    assert twin.count("(instance ") == 2
    assert "mini-eaas node resume node-a" in twin
    assert (ended.state, ended.exit_code, ended.attempt) == (JobState.FAILED, 5, 1)
    assert "two agents have the identity of node-a" in why.text
    assert (after.state, after.attempt) == (JobState.SUCCEEDED, 1)
