"""How an agent from elsewhere comes in: the authority, the joining, and credentials anew."""

import hmac
from typing import Final

from aiohttp import web
from msgspec import UNSET

from eaas.errors import Forbidden
from eaas.token_views import AgentPassView, JoinedView
from eaas.tokens import BadToken, Token, new_token, read_token
from eaas.units import utc_text
from eaas.wire.codec import PROTOCOL_MAX, PROTOCOL_MIN
from eaas.wire.rest import JoinNode
from eaas_daemon.api.bodies import read_body
from eaas_daemon.api.parts import AGENT, Parts, answer
from eaas_daemon.core import events as e

CA: Final = "/ca.pem"
"""Open to everybody: whoever holds a token can tell by its fingerprint whether it is the one."""
RENEW_AFTER_S: Final = 86400.0


class JoinRoutes:
    """``/ca.pem``, ``/agent/v1/whoami``, ``/agent/v1/join`` and ``/agent/v1/renew``."""

    def __init__(self, parts: Parts, version: str) -> None:
        self._parts = parts
        self._version = version

    def routes(self) -> list[web.RouteDef]:
        """Return the routes."""
        return [
            web.get(CA, self.authority),
            web.get("/agent/v1/whoami", self.whoami, allow_head=False),
            web.post("/agent/v1/join", self.join),
            web.post("/agent/v1/renew", self.renew),
        ]

    async def authority(self, request: web.Request) -> web.Response:
        """Give the authority's certificate."""
        pem = self._parts.authority.pem
        return web.Response(body=pem, content_type="application/x-pem-file")

    async def whoami(self, request: web.Request) -> web.Response:
        """Say whether the agent would be let in, and how far this controller knows ``life``.

        Nothing is used up.
        """
        came, state = request[AGENT], self._parts.engine.state
        asked = request.query.get("life", "")
        found = state.credentials.get(came.credential or "")
        expires_at = None if found is None else found.expires_at
        view = AgentPassView(
            role=came.role,
            token=came.credential,
            node=came.node,
            expires_at=None if expires_at is None else utc_text(expires_at),
            uses_left=None if found is None else found.uses_left,
            version=self._version,
            protocol_min=PROTOCOL_MIN,
            protocol_max=PROTOCOL_MAX,
            epoch=state.epoch,
            life=state.life,
            past_seq=state.seq if asked == state.life else state.lives.get(asked),
        )
        return answer(view)

    async def join(self, request: web.Request) -> web.Response:
        """Let an agent in by a join token, and give it a credential of its own."""
        came = request[AGENT]
        if came.role != "agent" or came.credential is None:
            raise Forbidden("to join takes a token for agents: mini-eaas token create --role agent")
        body = await read_body(request, JoinNode)
        token = self._new()
        event = e.JoinNode(
            token=came.credential,
            node=body.node,
            node_uid=body.node_uid,
            address=request.remote,
            id=token.id,
            secret_hash=token.secret_hash,
            proof=None if body.proof is UNSET else self._shown(body.proof),
        )
        await self._parts.engine.ask(event)
        return self._given(body.node, token, 201)

    async def renew(self, request: web.Request) -> web.Response:
        """Give the agent another credential; it has the old one until it comes with the new."""
        came = request[AGENT]
        if came.node is None or came.credential is None:
            raise Forbidden("only an agent that has joined has a credential to renew")
        token = self._new()
        await self._parts.engine.ask(
            e.RenewCredential(old=came.credential, id=token.id, secret_hash=token.secret_hash)
        )
        return self._given(came.node, token, 200)

    def _shown(self, text: str) -> str | None:
        """Return the id of the credential, if it is one that was given here."""
        try:
            shown = read_token(text)
        except BadToken:
            return None
        found = self._parts.engine.state.credentials.get(shown.id)
        if found is None or not hmac.compare_digest(found.secret_hash, shown.secret_hash):
            return None
        return found.id

    def _new(self) -> Token:
        return new_token("node", self._parts.authority.fingerprint)

    def _given(self, node: str, token: Token, status: int) -> web.Response:
        view = JoinedView(node=node, credential=str(token), renew_after_s=RENEW_AFTER_S)
        return answer(view, status)
