"""A job on several nodes: its ranks find each other by what they are told, and end together."""

import asyncio
import sys
from collections.abc import AsyncIterator
from typing import Any, Final

import pytest
import pytest_asyncio

from eaas.lifecycle import JobState
from eaas.views import JobView
from tests.end_to_end.conftest import EITHER, an_engine
from tests.rig.pool import Installation, an_installation
from tests.rig.site import IMAGE, UNTIL_RELEASED, WITHIN_S, Site, provide_images

NAMES: Final = ("node-a", "node-b")
PYTHON_LISTENS: Final = """import os, socket
with socket.create_server(("", int(os.environ["MASTER_PORT"]))) as server:
    print("heard", server.accept()[0].makefile().readline())
"""
PYTHON_CALLS: Final = """import os, socket, time
where = os.environ["MASTER_ADDR"], int(os.environ["MASTER_PORT"])
for _ in range(200):
    try:
        connection = socket.create_connection(where)
        break
    except ConnectionRefusedError:
        time.sleep(0.1)
said = "rank", os.environ["RANK"], "of", os.environ["WORLD_SIZE"]
connection.sendall(" ".join(said).encode())
"""
PYTHON_TALKS: Final = f"""if [ "$NODE_RANK" = 0 ]; then exec {sys.executable} -c '{PYTHON_LISTENS}'
else exec {sys.executable} -c '{PYTHON_CALLS}'; fi"""
BUSYBOX_TALKS: Final = """if [ "$NODE_RANK" = 0 ]; then echo heard $(nc -l -p $MASTER_PORT)
else until echo rank $RANK of $WORLD_SIZE | nc $MASTER_ADDR $MASTER_PORT; do sleep 0.1; done; fi"""


@pytest_asyncio.fixture(scope="module", loop_scope="session", params=EITHER)
async def two(request: pytest.FixtureRequest) -> AsyncIterator[tuple[Installation, str | None]]:
    """A pool of two nodes, both of them this machine, and the image that they run, if any."""
    engine = an_engine() if request.param == "docker" else None
    async with an_installation(engine) as pool:
        pool.start_controller()
        if engine is not None:
            await provide_images(engine)
        for name in NAMES:
            await pool.add_agent(name, runtime=request.param, simulate="1x8GiB")
        yield pool, None if engine is None else IMAGE


@pytest.fixture
async def pair(two: tuple[Installation, str | None]) -> AsyncIterator[Site]:
    """Both nodes, with each runtime."""
    pool, image = two
    async with pool.client() as client:
        yield Site(pool=pool, client=client, node="", image=image)


async def submit(pair: Site, command: str, **more: Any) -> list[JobView]:
    """Submit a job for both nodes; return its ranks."""
    first = await pair.submit(command, **{"nodes": list(NAMES), "num_nodes": 2, "gpus": 1, **more})
    return [first, await pair.client.job(f"{first.id}[1]")]


async def test_ranks_talk_to_each_other_by_the_address_they_are_told(pair: Site) -> None:
    ranks = await submit(pair, PYTHON_TALKS if pair.image is None else BUSYBOX_TALKS)

    ended = [await pair.end(rank) for rank in ranks]

    assert [(job.ref, job.state) for job in ended] == [
        (f"{ranks[0].id}[0]", JobState.SUCCEEDED),
        (f"{ranks[0].id}[1]", JobState.SUCCEEDED),
    ]
    assert {job.node for job in ended} == set(NAMES)
    assert (await pair.log(ended[0])).strip() == b"heard rank 1 of 2"


async def test_when_one_fails_the_other_is_stopped_and_both_begin_anew(pair: Site) -> None:
    fails_once = (
        "echo $MASTER_PORT; echo ready; "
        '[ "$EAAS_RANK$EAAS_ATTEMPT" = 11 ] && exit 3; '
        'if [ "$EAAS_ATTEMPT" = 1 ]; then exec sleep 300; fi'
    )
    again = {"policy": "on-failure", "retries": 1, "backoff": "0s"}

    ranks = await submit(pair, fails_once, restart=again)
    ended = [await pair.end(rank) for rank in ranks]

    assert [job.state for job in ended] == [JobState.SUCCEEDED] * 2
    first = [job.attempts[0] for job in ended]
    why = [attempt.reason.text for attempt in first if attempt.reason is not None]
    assert why == ["rank 1 of this job failed: exited with code 3", "exited with code 3"]
    ports = [[await pair.log(job, attempt=number) for job in ended] for number in (1, 2)]
    assert ports[1][0] == ports[1][1] != ports[0][0]


async def test_a_name_without_an_index_is_all_of_them(pair: Site) -> None:
    ranks = await submit(pair, UNTIL_RELEASED)
    running = [await pair.when(rank, JobState.RUNNING) for rank in ranks]
    waiting = asyncio.create_task(
        asyncio.to_thread(pair.pool.eaas, "job", "wait", str(ranks[0].id))
    )

    shown = pair.pool.said("job", "show", str(ranks[0].id))
    pair.pool.said("job", "cancel", str(ranks[0].id))
    async with asyncio.timeout(WITHIN_S):
        waited = await waiting

    assert all(f"rank {job.array_index} on {job.node}" in shown for job in running)
    assert waited.returncode == 1
    assert waited.stdout.decode().splitlines() == [f"{job.ref} Cancelled" for job in running]


async def test_what_needs_more_nodes_than_there_are_is_refused(pair: Site) -> None:
    image = [] if pair.image is None else ["--image", pair.image]
    asked = ["--num-nodes", "3", "--cmd", "true", *image]

    said = pair.pool.eaas("job", "submit", *asked, "--dry-run")

    assert said.returncode == 1
    assert b"no 3 nodes at once could ever run it" in said.stdout
    assert b"ask for 2 nodes or fewer with num_nodes" in said.stdout
