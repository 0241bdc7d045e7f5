"""An agent that is about to join: its folder, the controller it goes to, and mishaps on the way."""

import os
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Final

import aiohttp
import pytest
from aiohttp import web

from eaas.client.address import Address
from eaas.client.trust import context_for
from eaas.tokens import Token
from eaas_agent.joining import admitted, join
from eaas_agent.passport import FILE, Passport
from eaas_daemon.core.credential import Credential
from tests.daemon.api.served import House, a_controller, a_house

NOW: Final = 5000.0
DAY_S: Final = 86400.0
JOIN: Final = "/agent/v1/join"
RENEW: Final = "/agent/v1/renew"

Mishap = Callable[[web.Request], web.StreamResponse]


class Newcomer:
    """An agent's folder, the controller behind TLS that it goes to, and mishaps to come."""

    def __init__(self, house: House, folder: Path) -> None:
        self.house = house
        self.folder = folder
        folder.mkdir()
        self.url = ""
        self.asked: list[str] = []
        self.mishaps: list[Mishap] = []
        """What happens to the next answers to agents, after the controller did what was asked."""

    def on_answer(self, request: web.Request, response: web.StreamResponse) -> web.StreamResponse:
        """Note what was asked, and let a mishap happen to the answer."""
        if request.path not in (JOIN, RENEW):
            return response
        self.asked.append(request.path)
        return self.mishaps.pop(0)(request) if self.mishaps else response

    async def join(self, token: Token, *, node: str = "n1", node_uid: str = "uid-1") -> Passport:
        """Join by this token."""
        address = Address(url=self.url, token=str(token))
        return await join(
            address, node=node, node_uid=node_uid, state_dir=self.folder, now=lambda: NOW
        )

    async def admitted(self, token: Token | None, *, url: str | None = None) -> Passport | None:
        """Do what an agent does when it starts."""
        address = Address(url=url or self.url, token=None if token is None else str(token))
        return await admitted(
            address, node="n1", node_uid="uid-1", state_dir=self.folder, now=lambda: NOW
        )

    def known(self) -> list[Credential]:
        """Return what the controller knows of the node's credentials."""
        known = self.house.state.credentials.values()
        return [each for each in known if each.role == "node"]

    async def knocks(self, credential: str, path: str = "/agent/v1/link") -> int:
        """Show a credential and return the status; 400 is that of a door that stands open."""
        ca = self.house.parts.authority.pem.decode()
        headers = {"Authorization": f"Bearer {credential}"}
        async with (
            aiohttp.ClientSession() as session,
            session.get(self.url + path, headers=headers, ssl=context_for(ca)) as response,
        ):
            return response.status


def cut(request: web.Request) -> web.StreamResponse:
    """Let the answer be lost."""
    assert request.transport is not None
    request.transport.abort()
    return web.Response()


def answers(status: int) -> Mishap:
    """Let the answer be another one, as a proxy or a controller that stops would give."""
    return lambda _: web.json_response({"detail": "not now"}, status=status)


def errors_of_disk(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Return a list: what is put there are the errors that the next passports to be kept meet."""
    coming: list[int] = []
    real = os.open

    def opened(path: Any, flags: int, *mode: int) -> int:
        if coming and flags & os.O_CREAT and FILE in str(path):
            number = coming.pop(0)
            raise OSError(number, os.strerror(number), str(path))
        return real(path, flags, *mode)

    monkeypatch.setattr(os, "open", opened)
    return coming


@asynccontextmanager
async def a_newcomer(folder: Path) -> AsyncIterator[Newcomer]:
    """Serve the controller behind its real door and TLS, as long as the block runs."""
    async with a_house(folder) as house:
        newcomer = Newcomer(house, folder / "agent")
        async with a_controller(house, tls=True, on_answer=newcomer.on_answer) as served:
            newcomer.url = served.address
            yield newcomer
