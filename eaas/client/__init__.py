"""The client library: everything the controller can be asked, as typed coroutines."""

import os
from collections.abc import Mapping
from typing import Self

from eaas.client.address import Address, address_from
from eaas.client.arrays import ArrayCalls
from eaas.client.bookings import BookingCalls
from eaas.client.connection import Connection, Cut, NotUnderstood
from eaas.client.files import FileCalls
from eaas.client.logs import LogCalls, LogSlice
from eaas.client.nodes import NodeCalls
from eaas.client.pools import PoolCalls
from eaas.client.tokens import TokenCalls

__all__ = ["Address", "Client", "Cut", "LogSlice", "NotUnderstood", "address_from"]


class Client(LogCalls, FileCalls, PoolCalls, NodeCalls, TokenCalls, BookingCalls, ArrayCalls):
    """One controller, asked by one person. Use it as an async context manager.

    ``Client()`` goes where ``mini-eaas`` goes: to ``MINI_EAAS_SERVER``, else to this host's
    socket. Every refusal is an ``EaasError`` with the controller's own code and sentence;
    ``Unreachable`` means that nobody answered.
    """

    def __init__(self, address: Address | None = None) -> None:
        super().__init__(Connection(address_from(os.environ) if address is None else address))

    @classmethod
    def at(
        cls, server: str, *, token: str | None = None, environ: Mapping[str, str] | None = None
    ) -> Self:
        """Return a client of the controller at an address such as ``http://host:7470``."""
        return cls(address_from(environ or {}, server=server, token=token))

    async def __aenter__(self) -> Self:
        await self._connection.__aenter__()
        return self

    async def __aexit__(self, *error: object) -> None:
        await self._connection.__aexit__(*error)
