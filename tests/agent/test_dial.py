import random
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import aiohttp
import pytest
from aiohttp import web

from eaas.client.address import Address
from eaas_agent.dial import Backoff, Dial, backoff_for
from tests.rig.impostor import an_impostor


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


@asynccontextmanager
async def seeing(folder: Path, port: int) -> AsyncIterator[list[str | None]]:
    """Serve at a socket and at a port, and yield what requests show there."""
    seen: list[str | None] = []

    async def answer(request: web.Request) -> web.StreamResponse:
        seen.append(request.headers.get("Authorization"))
        if request.path == "/plain":
            return web.Response()
        socket = web.WebSocketResponse()
        await socket.prepare(request)
        return socket

    app = web.Application()
    app.router.add_get("/{path}", answer)
    runner = web.AppRunner(app)
    await runner.setup()
    await web.UnixSite(runner, str(folder / "s")).start()
    await web.TCPSite(runner, "127.0.0.1", port).start()
    try:
        yield seen
    finally:
        await runner.cleanup()


@pytest.mark.parametrize("local", [True, False])
async def test_a_token_is_sent_over_tcp_and_not_over_the_socket(
    tmp_path: Path, local: bool, unused_tcp_port: int
) -> None:
    address = (
        Address(socket=tmp_path / "s", token="t")
        if local
        else Address(url=f"http://127.0.0.1:{unused_tcp_port}", token="t")
    )

    async with seeing(tmp_path, unused_tcp_port) as seen, Dial(address) as dial:
        async with dial.http.get("/plain"):
            pass
        async with dial.websocket("/link"):
            pass

    assert seen == [None if local else "Bearer t"] * 2


async def test_another_credential_is_shown_from_the_next_request_on(
    tmp_path: Path, unused_tcp_port: int
) -> None:
    address = Address(url=f"http://127.0.0.1:{unused_tcp_port}", token="old")

    async with seeing(tmp_path, unused_tcp_port) as seen, Dial(address) as dial:
        async with dial.http.get("/plain"):
            dial.show("new")
        async with dial.http.get("/plain"):
            pass
        async with dial.websocket("/link"):
            pass

    assert seen == ["Bearer old", "Bearer new", "Bearer new"]


async def test_who_answers_under_another_authority_hears_nothing(tmp_path: Path) -> None:
    async with an_impostor(tmp_path / "true") as real:
        known = real.pem.decode()
    async with an_impostor(tmp_path / "own") as impostor:
        async with Dial(Address(url=impostor.url, token="t", ca=known)) as dial:
            with pytest.raises(aiohttp.ClientConnectorCertificateError):
                await dial.http.get("/plain")
            with pytest.raises(aiohttp.ClientConnectorCertificateError):
                async with dial.websocket("/link"):
                    pass

        assert impostor.heard == b""
