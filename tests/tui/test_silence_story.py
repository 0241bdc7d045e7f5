"""A feed whose controller hangs, speaks another language, or is another one than before."""

import asyncio
import os
import signal
from pathlib import Path

import pytest
from aiohttp import web

from eaas.client import Address, Client, connection
from tests.rig.restarts import Restarts
from tests.rig.stand_in import StandIn, serving
from tests.tui.test_in_a_terminal import a_status
from tests.tui.test_restarts_story import listening

PROMISED_S = 15.0
"""How long numbers may look fresh that are not."""


def test_silence_is_noticed_as_soon_as_promised() -> None:
    assert connection.HEARTBEAT_S * 1.5 <= PROMISED_S


async def test_a_controller_that_hangs_is_said_to_and_heard_again_when_it_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection, "HEARTBEAT_S", 0.3)
    with Restarts(tmp_path) as controller:
        controller.start()
        address = Address(socket=controller.paths.socket)
        async with Client(address) as client, listening(client, asyncio.Event()) as ear:
            await ear.until(lambda picture: picture.is_live, "the controller")
            await client.create_pool("lab")
            await ear.until(lambda picture: "lab" in picture.pools, "the pool")

            os.kill(controller.pid, signal.SIGSTOP)
            await ear.until(lambda picture: picture.link.state == "away", "the silence")
            text = ear.store.picture.link.text
            assert text is not None
            assert text.endswith("has fallen silent; it may hang")
            assert "lab" in ear.store.picture.pools

            os.kill(controller.pid, signal.SIGCONT)
            await ear.until(lambda picture: picture.is_live, "the controller again")
            await client.create_pool("home")
            await ear.until(lambda picture: "home" in picture.pools, "what is new")


@pytest.mark.parametrize(
    "frame", ['{"type": "tomorrow"}', '{"type": ' + "[" * 5000], ids=["unknown", "nested"]
)
async def test_a_controller_that_speaks_another_language_is_not_taken_for_a_silent_one(
    tmp_path: Path, frame: str
) -> None:
    stand_in = StandIn()
    stand_in.answers["GET /api/v1/status"] = a_status()

    async def stream(request: web.Request) -> web.StreamResponse:
        socket = web.WebSocketResponse()
        await socket.prepare(request)
        await socket.send_str(frame)
        return socket

    stand_in.answers["GET /api/v1/stream"] = stream
    async with (
        serving(stand_in, tmp_path / "s"),
        Client(Address(socket=tmp_path / "s")) as client,
        listening(client, asyncio.Event()) as ear,
    ):
        await ear.until(lambda picture: picture.link.state == "away", "the end of it")

    text = ear.store.picture.link.text
    assert text is not None
    assert "not understood" in text
    assert "update the older of the two" in text


async def test_what_is_not_understood_is_told_at_once_also_of_one_who_says_no_goodbye(
    tmp_path: Path,
) -> None:
    stand_in, over = StandIn(), asyncio.Event()
    stand_in.answers["GET /api/v1/status"] = a_status()

    async def stream(request: web.Request) -> web.StreamResponse:
        socket = web.WebSocketResponse()
        await socket.prepare(request)
        await socket.send_str('{"type": "tomorrow"}')
        await over.wait()
        return socket

    stand_in.answers["GET /api/v1/stream"] = stream
    async with (
        serving(stand_in, tmp_path / "s"),
        Client(Address(socket=tmp_path / "s")) as client,
        listening(client, asyncio.Event()) as ear,
    ):
        async with asyncio.timeout(8):  # aiohttp's own patience is 10 seconds
            await ear.until(lambda picture: picture.link.state == "away", "the end of it")
        over.set()
