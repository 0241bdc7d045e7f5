"""A link to a controller elsewhere: who is not let in, and who is not believed."""

import asyncio
import logging
from pathlib import Path

import pytest

from eaas.client.address import Address
from eaas.tokens import new_token
from eaas_agent import dial, link
from eaas_agent.model import Welcomed
from tests.agent.test_link import hello, linked_to
from tests.daemon.api.served import a_controller, a_house
from tests.rig.impostor import an_impostor
from tests.rig.newcomer import a_newcomer


class Heard(logging.Handler):
    """Every line that the link says."""

    def __init__(self) -> None:
        super().__init__()
        self.lines: asyncio.Queue[logging.LogRecord] = asyncio.Queue()

    def emit(self, record: logging.LogRecord) -> None:
        self.lines.put_nowait(record)

    async def next(self) -> logging.LogRecord:
        async with asyncio.timeout(10):
            return await self.lines.get()


@pytest.fixture
def heard(monkeypatch: pytest.MonkeyPatch) -> Heard:
    heard = Heard()
    monkeypatch.setattr(link.log, "handlers", [heard])
    monkeypatch.setattr(link, "REFUSED_RETRY_S", 0.01)
    monkeypatch.setattr(dial, "FIRST_DELAY_S", 0.01)
    return heard


async def test_a_node_that_has_joined_is_welcome(tmp_path: Path) -> None:
    async with a_newcomer(tmp_path) as newcomer:
        said = hello()
        passport = await newcomer.join(
            await newcomer.house.token("join"), node=said.node, node_uid=said.node_uid
        )
        async with linked_to(passport.address) as bench:
            assert isinstance(await bench.next(), Welcomed)


async def test_a_node_whose_credential_is_refused_is_told_to_join_again(
    tmp_path: Path, heard: Heard
) -> None:
    async with a_house(tmp_path) as house, a_controller(house, tls=True) as served:
        token = new_token("node", house.parts.authority.fingerprint)
        ca = house.parts.authority.pem.decode()
        async with linked_to(Address(url=served.address, token=str(token), ca=ca)) as bench:
            line = await heard.next()

            assert (line.levelname, line.getMessage()) == (
                "WARNING",
                f"no link to {served.address}: {link.SHUT_OUT}; trying again",
            )
            assert "its jobs run on" in line.getMessage()
            assert str(token) not in line.getMessage()
            assert bench.events.empty()


async def test_a_controller_under_another_authority_is_refused_aloud_and_hears_nothing(
    tmp_path: Path, heard: Heard
) -> None:
    async with an_impostor(tmp_path / "true") as real:
        known = real.pem.decode()
    token = new_token("node", "b" * 52)
    async with an_impostor(tmp_path / "own") as impostor:
        async with linked_to(Address(url=impostor.url, token=str(token), ca=known)):
            line = await heard.next()

        assert line.levelname == "ERROR"
        assert "can't prove that it is the controller" in line.getMessage()
        assert line.getMessage().endswith("Its jobs run on; trying again")
        assert impostor.heard == b""
