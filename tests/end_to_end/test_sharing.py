"""Jobs that share a card, and cards that are close to each other, on a pretended driver."""

import os
from collections.abc import AsyncIterator, Callable
from contextlib import aclosing
from pathlib import Path

import pytest

from eaas.client import Client
from eaas.lifecycle import CardState, JobState
from eaas.node_views import CardView
from eaas.views import JobView
from eaas.wire.to_client import Changes, Snapshot
from tests.rig.nvml_standin import StandIn, build_library, card, uuid_of, why_no_standin
from tests.rig.pool import Installation, an_installation
from tests.rig.site import UNTIL_RELEASED, Site

DRIVER = "driver=550.54.15"
NEAR = ("nvlink.0.2=1", "link.0.1=50", "link.0.2=50", "link.1.2=50")
TELL = f'echo "$$ $EAAS_CARDS $EAAS_GPU_MEMORY_MIB" >$EAAS_WORKSPACE/who; {UNTIL_RELEASED}'


@pytest.fixture
async def driven(tmp_path: Path) -> AsyncIterator[tuple[Installation, StandIn]]:
    """A node with three cards, of which the first and the last are joined by NVLink."""
    if reason := why_no_standin():
        if os.environ.get("CI"):
            pytest.fail(f"CI must run this test, but {reason}", pytrace=False)
        pytest.skip(reason)
    driver = StandIn(tmp_path, build_library(tmp_path))
    driver.install()
    driver.says(DRIVER, "count=3", *NEAR, *card(0), *card(1), *card(2))
    async with an_installation() as pool:
        pool.start_controller()
        environ = {key: driver.env[key] for key in ("LD_LIBRARY_PATH", "NVML_STANDIN")}
        await pool.add_agent("node-a", environ=environ)
        yield pool, driver


async def test_jobs_of_either_kind_share_a_card_and_know_their_part(site: Site) -> None:
    wish = {"gpus": 1, "share": True, "gpu_memory": "3GiB", "cpus": 0.1}
    command = f'echo "$EAAS_CARDS $EAAS_GPU_MEMORY_MIB"; {UNTIL_RELEASED}'
    jobs = [await site.running(command, **wish) for _ in range(2)]

    node = await site.client.node(site.node)
    (shared_card,) = (view for view in node.cards if view.claims)

    assert (shared_card.state, shared_card.memory_claimed_mib) == (CardState.SHARED, 6144)
    assert [claim.job for claim in shared_card.claims] == [job.id for job in jobs]
    for job in jobs:
        site.release(job)
        ended = await site.end(job)
        assert await site.log(ended) == f"{shared_card.uuid} 3072\nready\n".encode()


async def card_with(client: Client, index: int, fits: Callable[[CardView], bool]) -> CardView:
    """Return the card as soon as it is so."""
    async with aclosing(client.stream()) as frames:
        async for frame in frames:
            nodes = frame.nodes if isinstance(frame, Snapshot | Changes) else ()
            for view in (view for node in nodes for view in node.cards):
                if view.uuid == uuid_of(index) and fits(view):
                    return view
    raise AssertionError("the stream goes on for ever")


async def all_free(client: Client) -> None:
    for index in range(3):
        await card_with(client, index, lambda view: view.state == CardState.FREE)


async def shared(site: Site, memory: str) -> tuple[JobView, int]:
    """Start a job with a share of a card; return it with its process."""
    job = await site.running(TELL, gpus=1, share=True, gpu_memory=memory, cpus=0.1)
    pid, uuid, mib = (site.pool.workspace(job) / "who").read_text().split()
    assert (uuid, int(mib)) == (job.cards[0].uuid, job.cards[0].memory_mib)
    return job, int(pid)


async def test_jobs_share_a_card_and_who_uses_more_than_they_declared_is_named(
    driven: tuple[Installation, StandIn],
) -> None:
    pool, driver = driven
    async with pool.client() as client:
        site = Site(pool=pool, client=client, node="node-a", image=None)
        await all_free(client)
        (first, one), (second, two) = await shared(site, "6GiB"), await shared(site, "4GiB")
        processes = f"{one}:9318,{two}:1000"
        used = card(1, used_mib=10323, processes=processes)
        driver.says(DRIVER, "count=3", *NEAR, *card(0), *used, *card(2))
        seen = await card_with(client, 1, lambda view: view.reason is not None)
        third, _ = await shared(site, "12GiB")
        site.release(second)
        await site.end(second)
        lines = pool.said("events").splitlines()
        table = pool.said("gpus")

    assert (first.cards[0].uuid, second.cards[0].uuid) == (uuid_of(1), uuid_of(1))
    assert (seen.state, seen.memory_claimed_mib) == (CardState.SHARED, 10 * 1024)
    assert [(claim.job, claim.memory_mib) for claim in seen.claims] == [
        (first.id, 6144),
        (second.id, 4096),
    ]
    assert [(process.pid, process.job) for process in seen.processes] == [
        (one, first.id),
        (two, second.id),
    ]
    assert seen.reason is not None
    assert seen.reason.text == f"job {first.id} uses 9.1GiB of the 6GiB it declared"
    # 24576 less 600 for the driver, 5 when idle, 512 in reserve, 10240 declared and 3328 too much
    assert third.cards[0].uuid != uuid_of(1)
    assert sum(seen.reason.text in line for line in lines) == 1
    assert f"(job {first.id}: 6GiB)" in table


async def test_the_card_of_the_last_sharer_is_read_clean_and_free_again(
    driven: tuple[Installation, StandIn],
) -> None:
    pool, _ = driven
    async with pool.client() as client:
        site = Site(pool=pool, client=client, node="node-a", image=None)
        await all_free(client)
        (first, _), (second, _) = await shared(site, "6GiB"), await shared(site, "4GiB")
        whole = await site.submit("true", gpus=3)
        site.release(first)
        await site.end(first)
        still = await card_with(client, 1, lambda view: len(view.claims) == 1)
        site.release(second)
        ended = await site.end(whole)

    assert (still.state, still.memory_claimed_mib) == (CardState.SHARED, 4096)
    assert (ended.state, len(ended.cards)) == (JobState.SUCCEEDED, 3)


async def test_a_job_on_two_cards_gets_those_that_are_joined(
    driven: tuple[Installation, StandIn],
) -> None:
    pool, _ = driven
    async with pool.client() as client:
        site = Site(pool=pool, client=client, node="node-a", image=None)
        await all_free(client)
        job = await site.run("true", gpus=2)
        shown = pool.said("node", "show", "node-a")

    assert [held.index for held in job.cards] == [0, 2]
    assert [line.split() for line in shown.splitlines() if line.startswith("2 ")] == [
        ["2", "NVLink", "far", "-"]
    ]
