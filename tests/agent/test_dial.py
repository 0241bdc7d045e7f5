import random
from pathlib import Path

import pytest
from aiohttp import web

from eaas.client.address import Address
from eaas_agent.dial import Backoff, Dial, backoff_for


class Highest(random.Random):
    def uniform(self, a: float, b: float) -> float:
        return b


def test_the_first_tries_are_quick_and_later_ones_rarer() -> None:
    backoff = Backoff(longest_s=30.0, rng=Highest())

    pauses = [backoff.next_s(0.0) for _ in range(12)]

    assert pauses == [0.5, 0.5, 0.5, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 30.0, 30.0, 30.0]


def test_a_minute_of_health_makes_the_next_tries_quick_again() -> None:
    backoff = Backoff(longest_s=30.0, rng=Highest())
    for _ in range(12):
        backoff.next_s(0.0)

    assert backoff.next_s(60.0) == 0.5


def test_a_controller_of_this_host_is_never_waited_for_long() -> None:
    backoff = backoff_for(Address(socket=Path("/x")), Highest())

    assert max(backoff.next_s(0.0) for _ in range(20)) == 2.0


@pytest.mark.parametrize("local", [True, False])
async def test_a_token_is_sent_over_tcp_and_not_over_the_socket(
    tmp_path: Path, local: bool, unused_tcp_port: int
) -> None:
    seen: list[str | None] = []

    async def answer(request: web.Request) -> web.Response:
        seen.append(request.headers.get("Authorization"))
        return web.Response()

    app = web.Application()
    app.router.add_get("/x", answer)
    runner = web.AppRunner(app)
    await runner.setup()
    await web.UnixSite(runner, str(tmp_path / "s")).start()
    await web.TCPSite(runner, "127.0.0.1", unused_tcp_port).start()
    address = (
        Address(socket=tmp_path / "s", token="t")
        if local
        else Address(url=f"http://127.0.0.1:{unused_tcp_port}", token="t")
    )

    async with Dial(address) as dial, dial.http.get("/x"):
        pass

    await runner.cleanup()
    assert seen == [None if local else "Bearer t"]
