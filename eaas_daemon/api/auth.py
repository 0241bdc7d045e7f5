"""Who asks: the kernel's word on a socket of this host, the admin token over TCP.

One thing is told over TCP without a token, to programs of this host: ``/metrics``. It names no
person and no job, and who may open the unix socket can read all of it there.
"""

import hmac
import ipaddress
import pwd
import socket
import struct
from asyncio import BaseTransport
from typing import Final
from weakref import WeakKeyDictionary

from aiohttp import web

from eaas.errors import Forbidden, Unauthenticated
from eaas.ids import UserName
from eaas_daemon.api.metric_routes import METRICS
from eaas_daemon.api.parts import CALLER, Handler
from eaas_daemon.core.events import Caller

_PEER: Final = struct.Struct("3i")
"""pid, uid and gid of whoever opened the connection, as the kernel saw them."""


SCRAPER: Final = Caller(user=UserName("scraper"), admin=False)
FROM_ELSEWHERE: Final = ("Forwarded", "X-Forwarded-For", "Via")
"""What a proxy of this host adds to what it passes on: then who asks may be anywhere."""


class Doorman:
    """Knows callers. What it found out about a connection holds for as long as that lives."""

    def __init__(self, admin_token: str, service_uid: int) -> None:
        self._token = admin_token.encode()
        self._service_uid = service_uid
        self._by_uid: dict[int, Caller] = {}
        self._by_transport: WeakKeyDictionary[BaseTransport, Caller] = WeakKeyDictionary()

    def caller(self, request: web.Request) -> Caller:
        """Return who asks, or refuse."""
        if "Origin" in request.headers:
            raise Forbidden("the controller does not talk to web pages")
        transport = request.transport
        if transport is None:
            raise Unauthenticated("the connection is closed")
        known = self._by_transport.get(transport)
        if known is not None:
            return known
        peer = transport.get_extra_info("socket")
        if peer.family != socket.AF_UNIX:
            return SCRAPER if is_local_scrape(request) else self._bearer(request)
        caller = self._known_to_the_kernel(peer)
        self._by_transport[transport] = caller
        return caller

    def _known_to_the_kernel(self, peer: socket.socket) -> Caller:
        _, uid, _ = _PEER.unpack(peer.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _PEER.size))
        if uid not in self._by_uid:
            admin = uid in (0, self._service_uid)
            self._by_uid[uid] = Caller(user=user_name(uid), admin=admin)
        return self._by_uid[uid]

    def _bearer(self, request: web.Request) -> Caller:
        if not is_loopback(request.host):
            raise Forbidden("this address is for programs of this host; ask for localhost")
        kind, _, token = request.headers.get("Authorization", "").partition(" ")
        if kind.lower() != "bearer" or not token:
            raise Unauthenticated("say who you are: Authorization: Bearer TOKEN")
        if not hmac.compare_digest(token.strip().encode(), self._token):
            raise Unauthenticated("the controller does not know this token")
        return Caller(user=user_name(self._service_uid), admin=True)


def is_local_scrape(request: web.Request) -> bool:
    """Tell whether a program of this host asks for ``/metrics`` and does not say who it is.

    Whoever sends a token is judged by it.
    """
    return (
        request.path == METRICS
        and "Authorization" not in request.headers
        and request.remote is not None
        and is_loopback(request.remote)
        and is_loopback(request.host)
        and not any(name in request.headers for name in FROM_ELSEWHERE)
    )


def user_name(uid: int) -> UserName:
    """Return the name the system has for the uid, or the number when it has none."""
    try:
        return UserName(pwd.getpwuid(uid).pw_name)
    except KeyError:
        return UserName(str(uid))


def is_loopback(host: str) -> bool:
    """Tell whether a ``Host`` header, with or without a port, names this machine itself."""
    if host.startswith("["):
        name = host[1:].partition("]")[0]
    else:
        name = host if host.count(":") > 1 else host.partition(":")[0]
    if name.lower() == "localhost":
        return True
    try:
        return ipaddress.ip_address(name).is_loopback
    except ValueError:
        return False


def for_agents(handler: Handler) -> Handler:
    """Return the handler behind a check that the caller may speak for a node."""

    async def checked(request: web.Request) -> web.StreamResponse:
        caller = request[CALLER]
        if not caller.admin:
            raise Forbidden(f"only an agent may do this, and you are {caller.user}")
        return await handler(request)

    return checked
