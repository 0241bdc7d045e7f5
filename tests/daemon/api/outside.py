"""Somebody elsewhere: comes over TCP, through the real door, with a token or without."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import aiohttp
import msgspec
from aiohttp import ClientWebSocketResponse, ClientWSTimeout, WSMsgType

from eaas.tokens import Token, TokenKind, new_token
from eaas_daemon.core import events as e
from tests.daemon.api.served import Answer, House, a_controller

SOON_S = 5.0


class Outside:
    """Asks a controller that is served by its real door."""

    def __init__(self, house: House, url: str, http: aiohttp.ClientSession) -> None:
        self.house, self.url, self._http = house, url, http

    async def ask(
        self, method: str, path: str, body: object = None, *, token: object = None, **headers: str
    ) -> Answer:
        """Return the status and the decoded answer."""
        data = body if body is None or isinstance(body, bytes) else msgspec.json.encode(body)
        async with self._http.request(
            method, self.url + path, data=data, headers=self._headers(token, headers, data)
        ) as response:
            content = await response.read()
            is_json = "json" in response.content_type
            return response.status, msgspec.json.decode(content) if is_json and content else content

    async def connect(self, path: str, token: Token) -> ClientWebSocketResponse:
        """Open a websocket."""
        headers = self._headers(token, {}, None)
        timeout = ClientWSTimeout(ws_close=1.0)
        return await self._http.ws_connect(self.url + path, headers=headers, timeout=timeout)

    def _headers(self, token: object, headers: dict[str, str], data: Any) -> dict[str, str]:
        sent = {key.replace("_", "-"): value for key, value in headers.items()}
        if token is not None:
            sent["Authorization"] = f"Bearer {token}"
        if data is not None:
            sent.setdefault("Content-Type", "application/json")
        return sent

    def token(self, kind: TokenKind) -> Token:
        """Make a token that the controller does not know yet."""
        return new_token(kind, self.house.parts.authority.fingerprint)

    async def person(self, role: str = "member", user: str = "ann", **but: Any) -> Token:
        """Return a token for a person."""
        token = self.token("person")
        await self.house.let_in(token, role=role, user=user, **but)
        return token

    async def join_token(self, **but: Any) -> Token:
        """Return a token by which agents may join."""
        token = self.token("join")
        await self.house.let_in(token, role="agent", **but)
        return token

    async def node(self, name: str = "n1") -> Token:
        """Return the credential of a node that has joined."""
        by, token = await self.join_token(), self.token("node")
        event = e.JoinNode(
            token=by.id,
            node=name,
            node_uid=f"uid-{name}",
            address=None,
            id=token.id,
            secret_hash=token.secret_hash,
        )
        await self.house.engine.ask(event)
        return token


@asynccontextmanager
async def from_outside(house: House) -> AsyncIterator[Outside]:
    """Serve the house once more, to somebody elsewhere."""
    async with a_controller(house) as served, aiohttp.ClientSession() as http:
        yield Outside(house, served.address, http)


async def end_of(socket: ClientWebSocketResponse) -> tuple[int | None, str]:
    """Wait until the websocket is closed; return with what code and word."""
    while True:
        message = await socket.receive(timeout=SOON_S)
        if message.type is WSMsgType.CLOSE:
            return socket.close_code, str(message.extra)
        if message.type in (WSMsgType.CLOSED, WSMsgType.CLOSING, WSMsgType.ERROR):
            return socket.close_code, ""
