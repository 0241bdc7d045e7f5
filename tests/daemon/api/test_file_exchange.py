import asyncio

import pytest
from aiohttp import StreamReader
from aiohttp.base_protocol import BaseProtocol

from eaas.errors import NotFound, Unavailable
from eaas.ids import NodeName
from eaas.wire.from_agent import FilesFailed
from eaas.wire.to_agent import AnyToAgent, SendFiles
from eaas_daemon.agents.roster import FilesRefused, Roster
from eaas_daemon.api import file_exchange
from eaas_daemon.api.file_exchange import FileExchange
from tests.rig.builders import House

N1 = NodeName("n1")


class Link:
    """A control link on which what is said is only kept."""

    session = "s-n1"

    def __init__(self) -> None:
        self.said: list[AnyToAgent] = []

    def send(self, message: AnyToAgent) -> None:
        self.said.append(message)

    def close(self) -> None:
        """Do nothing."""

    @property
    def request(self) -> str:
        """Return the name of the last wish for files."""
        wish = self.said[-1]
        assert isinstance(wish, SendFiles)
        return wish.request


def an_exchange() -> tuple[FileExchange, Roster, Link]:
    """Return an exchange with n1 connected."""
    house, link = House(), Link()
    roster = Roster(house.state, lambda: house.now)
    roster.open(link)
    house.node("n1")
    roster(house.changes, house.effects)
    return FileExchange(roster), roster, link


def some_bytes() -> StreamReader:
    """Return a reader with something in it."""
    loop = asyncio.get_running_loop()
    reader = StreamReader(BaseProtocol(loop), 1024, loop=loop)
    reader.feed_data(b"tar")
    reader.feed_eof()
    return reader


async def test_the_agents_bytes_are_given_and_the_agent_is_held_until_they_are_taken() -> None:
    exchange, _, link = an_exchange()

    async def ask() -> bytes:
        async with exchange.asked(N1, "uid", "out") as content:
            assert not sending.done()
            return await content.read()

    async with asyncio.TaskGroup() as tasks:
        asking = tasks.create_task(ask())
        await asyncio.sleep(0)
        sending = tasks.create_task(exchange.sent(link.request, some_bytes()))

    assert asking.result() == b"tar"


async def test_a_refusal_of_the_agent_is_raised() -> None:
    exchange, roster, link = an_exchange()

    async def ask() -> None:
        async with exchange.asked(N1, "uid", "out"):
            raise AssertionError("there is nothing to take")

    asking = asyncio.ensure_future(ask())
    await asyncio.sleep(0)
    roster.files_failed(FilesFailed(request=link.request, text="no such file"))

    with pytest.raises(FilesRefused, match="no such file"):
        await asking


async def test_a_node_that_does_not_answer_is_not_waited_for_for_ever(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(file_exchange, "ANSWER_WITHIN_S", 0.01)
    exchange, _, link = an_exchange()

    with pytest.raises(Unavailable):
        async with exchange.asked(N1, "uid", "out"):
            raise AssertionError("there is nothing to take")

    with pytest.raises(NotFound):
        await exchange.sent(link.request, some_bytes())


async def test_a_node_that_is_away_is_told_at_once() -> None:
    exchange, _, _ = an_exchange()

    with pytest.raises(Unavailable, match="n2 is not connected"):
        async with exchange.asked(NodeName("n2"), "uid", "out"):
            raise AssertionError("there is nothing to take")
