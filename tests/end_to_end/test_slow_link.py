import asyncio
from pathlib import Path

from eaas.client import Client
from eaas.lifecycle import JobState, NodeState
from eaas.node_views import NodeView
from tests.rig.agents import an_agent
from tests.rig.pool import an_installation, node_when
from tests.rig.program import WITHIN_S
from tests.rig.slow_way import a_slow_way

MANY_BYTES = 1_000_000
BEATS = 3


async def after_a_beat(client: Client) -> NodeView:
    """Wait until the node has spoken once more; the stream does not tell of that alone."""
    seen = (await client.node("node-a")).last_seen_at
    async with asyncio.timeout(WITHIN_S):
        while True:
            node = await client.node("node-a")
            if node.last_seen_at != seen:
                return node
            await asyncio.sleep(0.1)


async def test_signs_of_life_do_not_wait_behind_a_log_that_is_held_up(tmp_path: Path) -> None:
    async with an_installation() as pool:
        pool.start_controller()
        place = pool.home / "way.sock"
        async with (
            a_slow_way(pool.paths.socket, place) as way,
            an_agent(tmp_path / "state", place),
            pool.client() as client,
        ):
            await node_when(client, "node-a", lambda node: node.state == NodeState.UNASSIGNED)
            await client.create_pool("default")
            await client.add_node("default", "node-a")
            job = await client.submit({"command": f"head -c {MANY_BYTES} /dev/zero"})
            await way.held_up.wait()

            for _ in range(BEATS):
                node = await after_a_beat(client)
                assert (node.state, node.last_end) == (NodeState.READY, None)
            (ended,) = await client.wait(job.id)
            assert ended.state == JobState.SUCCEEDED
            assert not ended.attempts[-1].log.complete

            way.open.set()
            log = client.follow_attempt(job.id, 1, stream="stdout")
            assert sum([len(piece.data) async for piece in log]) == MANY_BYTES
