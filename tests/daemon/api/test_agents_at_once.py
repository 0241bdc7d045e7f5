from typing import Any

import aiohttp
import pytest

from eaas.wire.from_agent import FROM_AGENT
from eaas_daemon.agents import handshakes, link
from eaas_daemon.agents.handshakes import AT_ONCE, PER_NODE
from tests.daemon.api.outside import from_outside
from tests.daemon.api.served import House
from tests.rig.builders import a_hello, an_inventory


async def greet(socket: Any, name: str) -> None:
    await socket.send_bytes(FROM_AGENT.encode(a_hello(name, an_inventory())))
    await socket.receive_bytes(timeout=10)


async def test_of_many_agents_that_come_at_once_some_are_told_when_to_come_again(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(link, "HELLO_WITHIN_S", 600.0)
    async with from_outside(house) as outside:
        credentials = [await outside.node(f"n{number}") for number in range(AT_ONCE + 1)]
        links = [await outside.connect("/agent/v1/link", one) for one in credentials[:AT_ONCE]]
        with pytest.raises(aiohttp.WSServerHandshakeError) as busy:
            await outside.connect("/agent/v1/link", credentials[-1])
        await greet(links[0], "n0")
        late = await outside.connect("/agent/v1/link", credentials[-1])

        await greet(late, f"n{AT_ONCE}")
        for socket in (*links, late):
            await socket.close()

    assert busy.value.status == 503
    assert busy.value.headers is not None
    assert int(busy.value.headers["Retry-After"]) > 0


async def test_a_node_that_connects_again_and_again_is_slowed_down(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(handshakes, "WITHIN_S", 600.0)
    async with from_outside(house) as outside:
        credential = await outside.node("n1")
        for _ in range(PER_NODE):
            socket = await outside.connect("/agent/v1/link", credential)
            await greet(socket, "n1")
            await socket.close()

        status, problem = await outside.ask("GET", "/agent/v1/link", token=credential)

    assert (status, problem["code"]) == (503, "too_many_handshakes")
