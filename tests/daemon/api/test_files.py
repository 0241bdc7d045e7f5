import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

import aiohttp
import pytest

from eaas.ids import NodeName
from eaas.wire.from_agent import FROM_AGENT, FilesFailed
from eaas.wire.to_agent import TO_AGENT, SendFiles
from tests.daemon.api.served import House
from tests.rig.builders import a_hello, an_inventory

FILES = "/api/v1/jobs/1/files?path=out"


class Agent:
    """The agent's end of a control link, and its way to send files."""

    def __init__(self, house: House, link: aiohttp.ClientWebSocketResponse) -> None:
        self._house, self._link = house, link

    async def asked(self) -> SendFiles:
        """Return the next wish for files."""
        while True:
            said = TO_AGENT.decode(await self._link.receive_bytes(timeout=5))
            if isinstance(said, SendFiles):
                return said

    async def refuse(self, wish: SendFiles) -> None:
        """Say that the files don't come."""
        said = FilesFailed(request=wish.request, text="no such file: out")
        await self._link.send_bytes(FROM_AGENT.encode(said))

    async def send(self, wish: SendFiles, content: AsyncIterator[bytes]) -> int:
        """Send the bytes; return the answer's status."""
        path = f"/agent/v1/files/{wish.request}"
        async with self._house.open("POST", path, content, user="root") as response:
            status: int = response.status
            return status


@asynccontextmanager
async def an_agent(house: House) -> AsyncIterator[Agent]:
    """Let n1 be connected and run job 1."""
    url = "http://c/agent/v1/link"
    async with house.http.ws_connect(url, headers={"X-Test-User": "root"}) as link:
        await link.send_bytes(FROM_AGENT.encode(a_hello("n1", an_inventory())))
        assert await link.receive_bytes(timeout=5)
        await house.pool("default", "n1")
        await house.submit()
        assert house.job(1).attempts[0].node == NodeName("n1")
        yield Agent(house, link)


async def pieces(*content: bytes) -> AsyncIterator[bytes]:
    """Yield these."""
    for piece in content:
        yield piece


async def test_files_are_piped_from_the_agent_to_who_asked(house: House) -> None:
    async with an_agent(house) as agent, asyncio.TaskGroup() as tasks:
        asking = tasks.create_task(house.ask("GET", FILES))
        wish = await agent.asked()
        status = await agent.send(wish, pieces(b"a" * 100_000, b"b" * 1_000_000))

    assert (wish.uid, wish.path) == (house.job(1).uid, "out")
    assert status == 200
    assert asking.result() == (200, b"a" * 100_000 + b"b" * 1_000_000)


async def test_an_agents_refusal_reaches_who_asked(house: House) -> None:
    async with an_agent(house) as agent, asyncio.TaskGroup() as tasks:
        asking = tasks.create_task(house.ask("GET", FILES))
        await agent.refuse(await agent.asked())

    status, problem = asking.result()
    assert (status, problem["code"], problem["detail"]) == (
        404,
        "files_refused",
        "no such file: out",
    )


async def test_an_agent_that_breaks_off_never_looks_like_the_end(house: House) -> None:
    async def breaking() -> AsyncIterator[bytes]:
        yield b"a" * 300_000
        await half.wait()
        raise ConnectionResetError("the agent died")

    half = asyncio.Event()
    async with an_agent(house) as agent, house_http(house) as other:
        asking = asyncio.ensure_future(
            other.get("http://c" + FILES, headers={"X-Test-User": "ann"})
        )
        sending = asyncio.ensure_future(agent.send(await agent.asked(), breaking()))
        response = await asking
        assert await response.content.readexactly(300_000)
        half.set()
        with pytest.raises(aiohttp.ClientError):
            await response.read()
        response.close()
        with pytest.raises((aiohttp.ClientError, OSError)):
            await sending


async def test_who_goes_away_sets_the_agent_free(house: House) -> None:
    async def endless() -> AsyncIterator[bytes]:
        while True:
            yield b"a" * 100_000

    async with an_agent(house) as agent, asyncio.timeout(10):
        async with house_http(house) as other:
            asking = asyncio.ensure_future(
                other.get("http://c" + FILES, headers={"X-Test-User": "ann"})
            )
            sending = asyncio.ensure_future(agent.send(await agent.asked(), endless()))
            response = await asking
            assert await response.content.readexactly(100_000)
            response.close()
        # Either it hears that it is done, or its connection is cut while it still sends.
        with suppress(aiohttp.ClientError, OSError):
            assert await sending == 200

    assert (await house.ask("GET", "/api/v1/status"))[0] == 200


async def test_without_the_node_there_are_no_files(house: House) -> None:
    await house.node("n1")
    await house.pool("default", "n1")
    await house.submit()

    status, problem = await house.ask("GET", FILES)

    assert (status, problem["code"]) == (503, "unavailable")


async def test_a_job_that_never_ran_has_no_files(house: House) -> None:
    await house.pool()
    await house.submit()

    assert (await house.ask("GET", FILES))[0] == 409


async def test_files_nobody_asked_for_are_not_taken(house: House) -> None:
    status, problem = await house.ask("POST", "/agent/v1/files/x", b"tar", user="root")

    assert (status, problem["code"]) == (404, "not_found")


@asynccontextmanager
async def house_http(house: House) -> AsyncIterator[aiohttp.ClientSession]:
    """Give a session of its own."""
    connector = aiohttp.UnixConnector(str(house.socket))
    async with aiohttp.ClientSession(connector=connector) as session:
        yield session
