"""Which cards jobs see, and how ``gpus`` shows who has them."""

import json
import os
from collections.abc import AsyncIterator
from contextlib import aclosing
from pathlib import Path

import pytest

from eaas.client import Client
from eaas.lifecycle import CardState, JobState
from eaas.node_views import CardView
from eaas.wire.to_client import Changes, Snapshot
from tests.rig.nvml_standin import StandIn, build_library, card, uuid_of, why_no_standin
from tests.rig.pool import Installation, an_installation, node_when
from tests.rig.site import UNTIL_RELEASED, Site

SHOW_CARDS = (
    'printf "%s|%s|%s" "$EAAS_CARDS" "${CUDA_VISIBLE_DEVICES:-}" "${NVIDIA_VISIBLE_DEVICES:-}"; '
    'ls /dev | grep -c "^nvidia[0-9]" | sed "s/^/|/"'
)


async def card_when(client: Client, uuid: str, state: str) -> CardView:
    """Return the card as soon as it is in the state."""
    async with aclosing(client.stream()) as frames:
        async for frame in frames:
            nodes = frame.nodes if isinstance(frame, Snapshot | Changes) else ()
            found = [view for node in nodes for view in node.cards if view.uuid == uuid]
            if found and found[0].state == state:
                return found[0]
    raise AssertionError("the stream goes on for ever")


async def test_a_job_without_cards_sees_none(site: Site) -> None:
    job = await site.run(SHOW_CARDS)

    assert job.cards == ()
    assert await site.log(job) == b"||void|0\n"


async def test_a_job_gets_its_simulated_cards_by_uuid_and_no_real_one(site: Site) -> None:
    job = await site.run(SHOW_CARDS, gpus=2)

    node = await site.client.node(site.node)
    uuids = [card.uuid for card in node.cards]
    assert [held.uuid for held in job.cards] == uuids
    assert await site.log(job) == f"{','.join(uuids)}||void|0\n".encode()


async def test_two_jobs_never_get_the_same_card(site: Site) -> None:
    first = await site.running(UNTIL_RELEASED, gpus=1)
    second = await site.running(UNTIL_RELEASED, gpus=1)
    third = await site.submit("true", gpus=1)

    node = await site.client.node(site.node)
    held = {card.uuid: [claim.job for claim in card.claims] for card in node.cards}
    assert held == {first.cards[0].uuid: [first.id], second.cards[0].uuid: [second.id]}
    site.release(first)
    job = await site.end(third)
    assert (job.state, job.cards) == (JobState.SUCCEEDED, first.cards)


async def test_gpus_shows_idle_and_held_cards_and_who_has_them(site: Site) -> None:
    job = await site.running(UNTIL_RELEASED, gpus=1)
    await card_when(site.client, job.cards[0].uuid, CardState.HELD)

    cards = json.loads(site.pool.said("gpus", "-o", "json"))["items"]
    table = site.pool.said("gpus")

    held, idle = sorted(
        (card for card in cards if card["node"] == site.node), key=lambda card: not card["claims"]
    )
    assert (held["state"], held["offered"]) == ("held", False)
    claim = {"job": job.id, "attempt": 1, "user": job.user, "memory_mib": None, "ref": str(job.id)}
    assert held["claims"] == [claim]
    assert (idle["state"], idle["offered"], idle["claims"]) == ("free", True, [])
    assert "(simulated)" in held["model"]
    assert held["simulated"]
    assert any(f"{job.id}" in line and "held" in line for line in table.splitlines())


async def test_a_card_is_free_again_when_its_job_has_ended(site: Site) -> None:
    job = await site.run("true", gpus=2)

    freed = await card_when(site.client, job.cards[0].uuid, CardState.FREE)

    assert (freed.claims, freed.offered) == ((), True)


async def test_an_excluded_card_is_given_to_nobody(plain: Site) -> None:
    await plain.client.exclude_card("plain", "0")
    try:
        job = await plain.run("true", gpus=1)
        waiting = await plain.submit("true", gpus=2)
        why = await plain.client.why(waiting.id)
    finally:
        await plain.client.include_card("plain", "0")

    assert [held.index for held in job.cards] == [1]
    assert [node.code for node in why.nodes if node.node == "plain"] == ["card_excluded"]
    assert (await plain.end(waiting)).state == JobState.SUCCEEDED


@pytest.fixture
async def foreign(tmp_path: Path) -> AsyncIterator[tuple[Installation, StandIn]]:
    """A node with two cards of a pretended driver; this process uses the first one."""
    if reason := why_no_standin():
        if os.environ.get("CI"):
            pytest.fail(f"CI must run this test, but {reason}", pytrace=False)
        pytest.skip(reason)
    driver = StandIn(tmp_path, build_library(tmp_path))
    driver.install()
    used = card(0, used_mib=7000, processes=f"{os.getpid()}:6900")
    driver.says("driver=550.54.15", "count=2", *used, *card(1))
    async with an_installation() as pool:
        pool.start_controller()
        environ = {key: driver.env[key] for key in ("LD_LIBRARY_PATH", "NVML_STANDIN")}
        await pool.add_agent("node-a", environ=environ)
        yield pool, driver


async def test_a_card_in_use_from_outside_the_pool_is_foreign_until_it_is_left(
    foreign: tuple[Installation, StandIn],
) -> None:
    pool, driver = foreign
    async with pool.client() as client:
        site = Site(pool=pool, client=client, node="node-a", image=None)
        used = await card_when(client, uuid_of(0), CardState.FOREIGN)
        await card_when(client, uuid_of(1), CardState.FREE)
        single = await site.run("true", gpus=1)
        waiting = await site.submit("true", gpus=2)
        why = await client.why(waiting.id)
        table = pool.said("gpus")
        driver.says("driver=550.54.15", "count=2", *card(0), *card(1))
        job = await site.end(waiting)

    assert (used.offered, used.simulated, used.claims) == (False, False, ())
    assert [(process.pid, process.memory_mib, process.job) for process in used.processes] == [
        (os.getpid(), 6900, None)
    ]
    assert [held.uuid for held in single.cards] == [uuid_of(1)]
    assert [node.code for node in why.nodes] == ["card_foreign"]
    assert str(os.getpid()) in why.text
    assert any("foreign" in line and "RTX 3090" in line for line in table.splitlines())
    assert (job.state, len(job.cards)) == (JobState.SUCCEEDED, 2)


async def test_a_node_without_a_driver_has_no_cards_and_runs_jobs(empty: Installation) -> None:
    empty.start_controller()
    await empty.add_agent("node-a")

    async with empty.client() as client:
        site = Site(pool=empty, client=client, node="node-a", image=None)
        node = await node_when(client, "node-a", lambda view: True)
        job = await site.run("true")
        refused = empty.eaas("job", "submit", "--gpus", "1", "--cmd", "true")

    assert (node.cards, job.state) == ((), JobState.SUCCEEDED)
    assert refused.returncode == 1
    assert b"node-a has 0 cards, 1 asked for" in refused.stderr
