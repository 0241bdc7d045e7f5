"""Routes of tokens, and of who did what with them."""

from typing import Final

from aiohttp import web
from msgspec import UNSET
from msgspec.structs import replace

from eaas.errors import Forbidden
from eaas.ids import NodeName, UserName
from eaas.token_views import TokenView
from eaas.tokens import new_token
from eaas.units import utc_text
from eaas.views import Page
from eaas.wire.rest import CreateToken
from eaas_daemon.api.bodies import query_flag, query_int, read_body
from eaas_daemon.api.event_views import event_view
from eaas_daemon.api.parts import Parts, answer, caller_of
from eaas_daemon.core import events as e
from eaas_daemon.core.credential import Credential

DAY_S: Final = 86400.0
FOR_AGENTS_S: Final = DAY_S
FOR_PEOPLE_S: Final = 90 * DAY_S
USES: Final = 20
MAX_LINES: Final = 1000


class TokenRoutes:
    """``/api/v1/tokens`` and ``/api/v1/audit``."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts

    def routes(self) -> list[web.RouteDef]:
        """Return the routes."""
        return [
            web.get("/api/v1/tokens", self.every, allow_head=False),
            web.post("/api/v1/tokens", self.create),
            web.post("/api/v1/tokens/{token}/revoke", self.revoke),
            web.get("/api/v1/audit", self.audit, allow_head=False),
        ]

    async def every(self, request: web.Request) -> web.Response:
        """Show the tokens that still let somebody in, newest first; ``all`` shows the others."""
        caller, now = caller_of(request), self._parts.clock.now()
        all = query_flag(request, "all")
        credentials = self._parts.engine.state.credentials.values()
        shown = [
            view(each, now)
            for each in sorted(credentials, key=lambda each: (-each.created_at, each.id))
            if (caller.admin or each.user == caller.user)
            and (all or (each.role != "node" and each.refusal(now) is None))
        ]
        return answer(Page(shown, None))

    async def create(self, request: web.Request) -> web.Response:
        """Make a token; this answer is the only one that shows it."""
        body = await read_body(request, CreateToken)
        is_agents = body.role == "agent"
        token = new_token("join" if is_agents else "person", self._parts.authority.fingerprint)
        lasts_s = body.expires_s
        if lasts_s is UNSET:
            lasts_s = FOR_AGENTS_S if is_agents else FOR_PEOPLE_S
        uses = body.uses
        if uses is UNSET:
            uses = (USES if body.node is UNSET else 1) if is_agents else None
        now = self._parts.clock.now()
        event = e.CreateToken(
            caller=caller_of(request),
            id=token.id,
            secret_hash=token.secret_hash,
            role=body.role,
            user=None if body.user is None else UserName(body.user),
            expires_at=None if lasts_s is None else now + lasts_s,
            uses=uses,
            node=None if body.node is UNSET else NodeName(body.node),
        )
        made = await self._parts.engine.ask(event)
        return answer(view(made, now, str(token)), 201)

    async def revoke(self, request: web.Request) -> web.Response:
        """Let a token let nobody in any more."""
        event = e.RevokeToken(caller=caller_of(request), id=request.match_info["token"])
        revoked = await self._parts.engine.ask(event)
        now, every = self._parts.clock.now(), self._parts.engine.state.credentials.values()
        left = tuple(
            each.id for each in every if each.made_with == revoked.id and each.refusal(now) is None
        )
        return answer(replace(view(revoked, now), made_and_live=left))

    async def audit(self, request: web.Request) -> web.Response:
        """Show what was done to the pool and by whom, newest first; ``before`` goes on."""
        if not (caller := caller_of(request)).admin:
            raise Forbidden(f"only an admin may do this, and you are {caller.user}")
        limit = min(MAX_LINES, query_int(request, "limit", 100, least=1))
        before = query_int(request, "before", 0, least=1) if "before" in request.query else None
        rows = await self._parts.reader.audit(before=before, limit=limit)
        cursor = str(rows[-1].seq) if len(rows) == limit else None
        return answer(Page([event_view(row) for row in rows], cursor))


def view(credential: Credential, now: float, text: str | None = None) -> TokenView:
    """Return what may be seen of the credential; ``text`` only when it has just been made."""

    def at(moment: float | None) -> str | None:
        return None if moment is None else utc_text(moment)

    return TokenView(
        id=credential.id,
        role=credential.role,
        state=credential.standing(now),
        token=text,
        user=credential.user,
        node=credential.node,
        created_at=utc_text(credential.created_at),
        created_by=credential.created_by,
        expires_at=at(credential.expires_at),
        uses_left=credential.uses_left,
        used_at=at(credential.used_at),
        used_from=credential.used_from,
        revoked_at=at(credential.revoked_at),
        revoked_by=credential.revoked_by,
        made_with=credential.made_with,
    )
