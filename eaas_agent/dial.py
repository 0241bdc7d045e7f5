"""How this agent reaches its controller: over a socket of this host, or over TCP with a token."""

import random
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

import aiohttp

from eaas.client.address import Address
from eaas.client.trust import context_for
from eaas.wire.codec import MAX_WANTED_BYTES

HEARTBEAT_S: Final = 10.0
WRITE_TIMEOUT_S: Final = 10.0
CONNECT_TIMEOUT_S: Final = 10.0
HEALTHY_AFTER_S: Final = 60.0
QUICK_RETRIES: Final = 3
FIRST_DELAY_S: Final = 0.5
LONGEST_DELAY_S: Final = 30.0
LONGEST_LOCAL_DELAY_S: Final = 2.0
"""Over a socket of this host nobody else is crowding the controller."""


class Dial:
    """Opens connections to one controller. Use as an async context manager."""

    def __init__(self, address: Address) -> None:
        self.address: Final = address
        self._http: aiohttp.ClientSession | None = None

    async def __aenter__(self) -> "Dial":
        socket, ca = self.address.socket, self.address.ca
        tls = context_for(ca) if ca else True
        self._http = aiohttp.ClientSession(
            self.address.url,
            connector=aiohttp.UnixConnector(str(socket))
            if socket
            else aiohttp.TCPConnector(ssl=tls),
            timeout=aiohttp.ClientTimeout(sock_connect=CONNECT_TIMEOUT_S, sock_read=60.0),
            auto_decompress=False,
        )
        if self.address.token is not None and socket is None:
            self.show(self.address.token)
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._http is not None:
            await self._http.close()

    def show(self, credential: str) -> None:
        """Show this credential from the next request on."""
        self.http.headers["Authorization"] = f"Bearer {credential}"

    @property
    def http(self) -> aiohttp.ClientSession:
        """Return the session for plain requests, with paths relative to the controller."""
        assert self._http is not None, "entered before use"
        return self._http

    @asynccontextmanager
    async def websocket(
        self, path: str, *, heartbeat_s: float = HEARTBEAT_S
    ) -> AsyncIterator[aiohttp.ClientWebSocketResponse]:
        """Open a websocket for binary messages; raise ``aiohttp.ClientError`` or ``OSError``.

        It is given up after one and a half of ``heartbeat_s`` in which nothing came.
        """
        async with self.http.ws_connect(
            path,
            heartbeat=heartbeat_s,
            compress=0,
            max_msg_size=MAX_WANTED_BYTES,
            timeout=aiohttp.ClientWSTimeout(ws_close=1.0),
        ) as websocket:
            yield websocket


class Backoff:
    """How long to wait before the next try: full jitter, growing, the first few quick."""

    def __init__(self, *, longest_s: float, rng: random.Random) -> None:
        self._longest_s = longest_s
        self._rng = rng
        self._failures = 0

    def next_s(self, healthy_s: float) -> float:
        """Return the pause, given how long the connection that just ended had been up."""
        if healthy_s >= HEALTHY_AFTER_S:
            self._failures = 0
        growth = max(0, min(self._failures - QUICK_RETRIES, 10))
        self._failures += 1
        return self._rng.uniform(0.0, min(self._longest_s, FIRST_DELAY_S * 2**growth))


def backoff_for(address: Address, rng: random.Random) -> Backoff:
    """Return the backoff that suits the way to this controller."""
    longest_s = LONGEST_DELAY_S if address.socket is None else LONGEST_LOCAL_DELAY_S
    return Backoff(longest_s=longest_s, rng=rng)
