import asyncio
from collections.abc import AsyncIterator, Callable
from typing import Any

from tests.daemon.api.served import House


def answered(house: House) -> dict[tuple[str, str, str], float]:
    """Return how often which route was answered, by method and status."""
    keys = ("route", "method", "status")
    return {
        (one.labels[keys[0]], one.labels[keys[1]], one.labels[keys[2]]): one.value
        for family in house.parts.live.requests.answered.collect()
        for one in family.samples
    }


def timed(house: House) -> set[str]:
    return {
        one.labels["route"]
        for family in house.parts.live.requests.time.collect()
        for one in family.samples
    }


def refused(house: House) -> dict[str, float]:
    return {
        one.labels["code"]: one.value
        for family in house.parts.live.requests.refused_submits.collect()
        for one in family.samples
    }


async def when(holds: Callable[[], Any]) -> None:
    """Return as soon as it holds: a request is counted after its client has its answer."""
    async with asyncio.timeout(5):
        while not holds():  # noqa: ASYNC110
            await asyncio.sleep(0)


async def test_requests_are_counted_by_their_routes_pattern(house: House) -> None:
    await house.pool()
    numbers = [await house.submit() for _ in range(3)]

    for number in numbers:
        await house.ask("GET", f"/api/v1/jobs/{number}")
    await house.ask("GET", "/api/v1/jobs/77")
    await house.ask("GET", "/api/v1/jobs/1", user=None)

    assert answered(house) == {
        ("/api/v1/jobs", "POST", "201"): 3,
        ("/api/v1/jobs/{id}", "GET", "200"): 3,
        ("/api/v1/jobs/{id}", "GET", "404"): 1,
        ("/api/v1/jobs/{id}", "GET", "401"): 1,
    }
    assert timed(house) == {"/api/v1/jobs", "/api/v1/jobs/{id}"}


async def test_whatever_nobody_answers_to_is_one_series(house: House) -> None:
    for at in range(5):
        await house.ask("GET", f"/made/up/{at}")
        await house.ask("MKCOL", f"/made/up/{at}")
    await house.ask("MKCOL", "/api/v1/jobs")

    assert answered(house) == {("none", "none", "404"): 10, ("none", "none", "405"): 1}
    assert timed(house) == {"none"}


async def test_a_stream_is_counted_when_it_ends_and_its_length_is_no_requests_time(
    house: House,
) -> None:
    async with await house.stream() as stream:
        await stream.receive()
        assert answered(house) == {}

    await when(lambda: answered(house))
    assert answered(house) == {("/api/v1/stream", "GET", "101"): 1}
    assert timed(house) == set()


async def test_refused_submits_are_counted_by_their_code_and_other_refusals_are_not(
    house: House,
) -> None:
    await house.pool()
    await house.ask("POST", "/api/v1/jobs", {"command": "true", "gpu": 1})
    await house.ask("POST", "/api/v1/jobs", {"image": "busybox", "pool": "nowhere"})
    await house.ask("POST", "/api/v1/jobs:batch", b"{")
    await house.ask("POST", "/api/v1/jobs", {"image": "busybox"}, user=None)
    await house.ask("POST", "/api/v1/jobs:dry-run", {"gpu": 1})
    await house.ask("GET", "/api/v1/jobs/9")
    await house.ask("POST", "/api/v1/jobs?force=1", {"image": "busybox"})

    assert refused(house) == {"invalid": 2, "bad_message": 1, "unauthenticated": 1}


async def test_a_client_that_hangs_up_is_counted_too(house: House) -> None:
    sent = asyncio.Event()

    async def slowly() -> AsyncIterator[bytes]:
        yield b"x"
        sent.set()
        await asyncio.Event().wait()

    path = "/api/v1/packs/sha256:" + "0" * 64
    asking = asyncio.ensure_future(house.ask("PUT", path, slowly()))
    await sent.wait()
    await house.ask("GET", "/healthz")  # by now the other one has arrived as well
    asking.cancel()
    await asyncio.wait([asking])

    key = ("/api/v1/packs/{hash}", "PUT", "499")
    await when(lambda: key in answered(house))
    assert answered(house)[key] == 1
