import asyncio
from contextlib import aclosing

from aiohttp import ClientWebSocketResponse, WSMsgType

from eaas.client import Client
from eaas.wire.to_client import Changes, Snapshot
from eaas_daemon.core import events as e
from tests.daemon.api.follower import DECODER
from tests.daemon.api.outside import end_of, from_outside
from tests.daemon.api.served import USER_HEADER, House, real_door
from tests.rig.builders import ADMIN


async def test_a_stream_begins_with_a_snapshot_and_goes_on_after_a_cut(house: House) -> None:
    await house.pool()
    first = await house.stream()
    snapshot = await received(first)
    await house.submit()
    change = await received(first)
    await first.close()
    await house.submit()

    second = await house.stream(f"?after={change.seq}")
    later = await received(second)

    assert isinstance(snapshot, Snapshot)
    assert isinstance(change, Changes)
    assert isinstance(later, Changes)
    assert (snapshot.seq, change.seq) == (change.after, later.after)
    assert [job.id for job in (*change.jobs, *later.jobs)] == [1, 2]


async def test_two_hundred_changes_arrive_in_order_without_a_hole(house: House) -> None:
    await house.pool()
    stream = await house.stream(user="bob")
    seq = (await received(stream)).seq

    async with asyncio.TaskGroup() as tasks:
        for _ in range(200):
            tasks.create_task(house.submit())

    jobs: list[int] = []
    while len(set(jobs)) < 200:
        frame = await received(stream)
        assert isinstance(frame, Changes)
        assert frame.after == seq
        seq = frame.seq
        jobs += [job.id for job in frame.jobs]
    assert list(dict.fromkeys(jobs)) == list(range(1, 201))


async def test_what_a_client_says_is_not_heard(house: House) -> None:
    await house.pool()
    stream = await house.stream()
    await received(stream)

    await stream.send_str('{"type": "shutdown"}')
    await stream.send_bytes(b"\x00")
    await house.submit()

    assert isinstance(await received(stream), Changes)


async def test_a_client_that_says_too_much_is_cut_and_nobody_else(house: House) -> None:
    await house.pool()
    loud, calm = await house.stream(), await house.stream()
    await received(loud)
    await received(calm)

    await loud.send_str("x" * 100_000)
    message = await loud.receive(timeout=5)
    await house.submit()

    assert (message.type, message.data) == (WSMsgType.CLOSE, 1009)
    assert isinstance(await received(calm), Changes)


async def test_a_wrong_number_is_refused_before_the_stream_begins(house: House) -> None:
    headers = {USER_HEADER: "ann"}
    async with house.http.get("http://c/api/v1/stream?after=x", headers=headers) as response:
        assert response.status == 422


async def test_a_watch_of_the_client_library_sees_a_job_through_to_its_end(house: House) -> None:
    await house.node("n1")
    await house.pool("default", "n1")
    await house.submit()
    states: list[str] = []
    async with (
        real_door(house) as address,
        Client(address) as client,
        asyncio.timeout(10),
        aclosing(client.watch([1])) as views,
    ):
        async for view in views:
            states.append(view.state)
            if view.state == "Starting":
                await house.runs(1)
            elif view.state == "Running":
                await house.ends(1)

    assert list(dict.fromkeys(states)) == ["Starting", "Running", "Succeeded"]


async def test_a_revoked_token_closes_the_streams_that_came_by_it(house: House) -> None:
    async with from_outside(house) as outside:
        gone, stays = await outside.person(), await outside.person()
        first, second = [await outside.connect("/api/v1/stream", each) for each in (gone, stays)]
        await received(second)

        async with asyncio.timeout(5):
            await house.engine.ask(e.RevokeToken(caller=ADMIN, id=gone.id))
            ended = await end_of(first)

        assert ended == (4401, "the token has ended")
        await house.pool()
        await house.submit()
        assert (await received(second)).jobs
        await second.close()


async def test_a_stream_is_closed_when_the_clock_passes_the_end_of_its_token(
    house: House,
) -> None:
    await house.tick()
    async with from_outside(house) as outside:
        token = await outside.person(expires_at=house.clock.at + 60)
        stream = await outside.connect("/api/v1/stream", token)
        await house.tick(59)

        async with asyncio.timeout(5):
            await house.tick(1)
            ended = await end_of(stream)

        assert ended == (4401, "the token has ended")
        status, problem = await outside.ask("GET", "/api/v1/status", token=token)

    assert (status, problem["code"]) == (401, "unauthenticated")
    assert "expired at" in problem["detail"]


async def test_a_stream_that_is_opened_by_a_token_of_somebody_else_shows_what_they_may_see(
    house: House,
) -> None:
    await house.pool()
    await house.submit("ann", env={"SECRET": "1"})
    async with from_outside(house) as outside:
        frames = [
            await received(await outside.connect("/api/v1/stream", await outside.person(user=user)))
            for user in ("ann", "bob")
        ]

    assert [frame.jobs[0].spec["env"] for frame in frames] == [{"SECRET": "1"}, None]


async def received(stream: ClientWebSocketResponse) -> Snapshot | Changes:
    """Return the next frame that says something of jobs."""
    while True:
        message = await stream.receive(timeout=5)
        assert message.type is WSMsgType.TEXT, message
        frame = DECODER.decode(message.data)
        if isinstance(frame, Snapshot) or (isinstance(frame, Changes) and frame.jobs):
            return frame
