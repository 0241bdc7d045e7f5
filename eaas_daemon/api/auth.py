"""Who asks: the kernel's word on a socket of this host, a token from anywhere else.

One thing is told over TCP without a token, to programs of this host: ``/metrics``. It names no
person and no job, and who may open the unix socket can read all of it there.
"""

import hmac
import socket
from asyncio import BaseTransport
from typing import Final
from weakref import WeakKeyDictionary

from aiohttp import web

from eaas.errors import Forbidden, Unauthenticated
from eaas.ids import UserName
from eaas.loopback import is_loopback
from eaas.tokens import BadToken, read_token
from eaas_daemon.api.kernel_word import Members, role_of, uid_behind, user_name
from eaas_daemon.api.metric_routes import METRICS
from eaas_daemon.api.parts import AGENT, AgentPass, Handler
from eaas_daemon.api.wrong_tokens import WrongTokens
from eaas_daemon.clock import Clock
from eaas_daemon.core.credential import Credential
from eaas_daemon.core.events import Caller, CredentialUsed
from eaas_daemon.engine import Engine

SCRAPER: Final = Caller(user=UserName("scraper"), role="viewer")
FROM_ELSEWHERE: Final = ("Forwarded", "X-Forwarded-For", "Via")
"""What a proxy of this host adds to what it passes on: then who asks may be anywhere."""
LOOKS: Final = frozenset({"GET", "HEAD"})
ASKS: Final = frozenset({"/api/v1/jobs:dry-run"})
"""What a viewer may post to: it changes nothing."""


class Doorman:
    """Knows callers. What the kernel said of a connection holds for as long as that lives; a token
    is looked at anew each time, so that one that has ended lets nobody in.
    """

    def __init__(
        self, engine: Engine, clock: Clock, service_uid: int, members: Members = "everybody"
    ) -> None:
        self._engine = engine
        self._clock = clock
        self._service_uid = service_uid
        self._members = members
        self._wrong = WrongTokens(clock.now)
        self._by_uid: dict[int, Caller] = {}
        self._by_transport: WeakKeyDictionary[BaseTransport, Caller] = WeakKeyDictionary()

    def caller(self, request: web.Request) -> Caller:
        """Return which person asks, or refuse."""
        _refuse_pages(request)
        if (peer := _unix_peer(request)) is not None:
            return self._known_to_the_kernel(request, peer)
        if is_local_scrape(request):
            return SCRAPER
        found = self._credential(request)
        if found.role == "agent" or found.role == "node":
            raise Forbidden(f"token {found.id} is an agent's and opens nothing else")
        if found.role == "viewer" and request.method not in LOOKS and request.path not in ASKS:
            raise Forbidden(f"token {found.id} only lets you look")
        return Caller(user=found.user or UserName(found.id), role=found.role, credential=found.id)

    def agent(self, request: web.Request) -> AgentPass:
        """Return for which node the caller may speak, or refuse."""
        _refuse_pages(request)
        if (peer := _unix_peer(request)) is not None:
            caller = self._known_to_the_kernel(request, peer)
            if not caller.admin:
                raise Forbidden(f"only an agent may do this, and you are {caller.user}")
            return AgentPass(role="node")
        found = self._credential(request)
        if found.role != "agent" and found.role != "node":
            raise Forbidden(f"only an agent may do this, and token {found.id} is a person's")
        return AgentPass(
            role=found.role, node=found.node, node_uid=found.node_uid, credential=found.id
        )

    def _known_to_the_kernel(self, request: web.Request, peer: socket.socket) -> Caller:
        assert request.transport is not None
        known = self._by_transport.get(request.transport)
        if known is None:
            known = self._by_transport[request.transport] = self._user(uid_behind(peer))
        return known

    def _user(self, uid: int) -> Caller:
        role = role_of(uid, self._service_uid, self._members)
        if role is None:
            raise Forbidden(f"{user_name(uid)} is not in the group mini-eaas of this host")
        return Caller(user=user_name(uid), role=role)

    def _credential(self, request: web.Request) -> Credential:
        assert request.remote is not None
        if is_loopback(request.remote) and not request.secure and not is_loopback(request.host):
            raise Forbidden("this address is for programs of this host; ask for localhost")
        kind, _, text = request.headers.get("Authorization", "").partition(" ")
        if kind.lower() != "bearer" or not text:
            raise Unauthenticated("say who you are: Authorization: Bearer TOKEN")
        try:
            token = read_token(text)
            found = self._engine.state.credentials.get(token.id)
            if found is None or not hmac.compare_digest(found.secret_hash, token.secret_hash):
                raise Unauthenticated("the controller does not know this token")
        except (BadToken, Unauthenticated):
            self._wrong.note(request.remote)
            raise
        if (refusal := found.refusal(self._clock.now())) is not None:
            raise Unauthenticated(refusal)
        if found.used_at is None and found.role != "agent":
            self._engine.post(CredentialUsed(id=found.id, address=request.remote))
        return found


def _refuse_pages(request: web.Request) -> None:
    if "Origin" in request.headers:
        raise Forbidden("the controller does not talk to web pages")
    if request.transport is None:
        raise Unauthenticated("the connection is closed")


def _unix_peer(request: web.Request) -> socket.socket | None:
    assert request.transport is not None
    peer: socket.socket = request.transport.get_extra_info("socket")
    return peer if peer.family == socket.AF_UNIX else None


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


def for_agents(handler: Handler) -> Handler:
    """Return the handler behind a check that the caller may speak for a node."""

    async def checked(request: web.Request) -> web.StreamResponse:
        if request[AGENT].role != "node":
            raise Forbidden("a token for joining joins, and nothing else: mini-eaas agent join")
        return await handler(request)

    return checked
