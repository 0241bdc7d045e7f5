"""Cards are booked in a real pool: who gets them, who waits, and what a restart changes."""

import asyncio
import json

from eaas.client import Client
from eaas.lifecycle import JobState
from tests.rig.pool import Installation
from tests.rig.site import WITHIN_S


async def states(client: Client, *ids: int) -> list[str]:
    return [(await client.job(id)).state for id in ids]


async def until_it_runs(client: Client, id: int) -> None:
    async with asyncio.timeout(WITHIN_S):
        await client.until(id, lambda job: job.state == JobState.RUNNING)


async def test_booked_cards_are_its_peoples_through_a_restart_and_anybodys_once_cancelled(
    empty: Installation,
) -> None:
    empty.start_controller()
    await empty.add_agent("lab", simulate="2x24GiB")
    empty.said("queue", "create", "default/class")
    booking = json.loads(
        empty.said("book", "--gpus", "2", "--for", "1h", "--queue", "class", "-o", "json")
    )
    assert (booking["state"], booking["missing"]) == ("running", 0)

    async with empty.client() as client:
        other = (await client.submit({"command": "sleep 60", "gpus": 1})).id
        ours = (await client.submit({"command": "sleep 60", "gpus": 1, "queue": "class"})).id
        await until_it_runs(client, ours)
        assert await states(client, other) == [JobState.PENDING]
    empty.controller.kill()
    empty.start_controller()

    why = json.loads(empty.said("job", "why", str(other), "-o", "json"))
    assert [node["code"] for node in why["nodes"]] in (["booking"], ["node_offline"])
    [shown] = json.loads(empty.said("book", "list", "-o", "json"))["items"]
    assert [card["uuid"] for card in shown["cards"]] == [card["uuid"] for card in booking["cards"]]
    empty.said("book", "cancel", str(booking["id"]))
    async with empty.client() as client:
        await until_it_runs(client, other)
        assert await states(client, ours) == [JobState.RUNNING]
        for id in (other, ours):
            await client.cancel(id, grace_s=0)


async def test_who_waits_for_booked_cards_is_told_so_and_who_looks_at_them_too(
    empty: Installation,
) -> None:
    empty.start_controller()
    await empty.add_agent("lab", simulate="1x24GiB")
    empty.said("queue", "create", "default/class")
    empty.said("book", "--gpus", "1", "--for", "1m", "--queue", "default/class")
    async with empty.client() as client:
        waits = await client.submit({"command": "true", "gpus": 1})
        why = await client.why(waits.id)
        assert "booked for queue default/class" in why.text
        assert why.eta.kind == "estimate"
        assert why.eta.in_s is not None
        assert 30 < why.eta.in_s <= 60
        [card] = await client.cards()
        assert (card.offered, [one.whose for one in card.bookings]) == (
            False,
            ["queue default/class"],
        )
