"""What the routes work with: the controller's parts, and the answers' one encoder."""

from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any, Final, Literal

import msgspec
from aiohttp import web

from eaas.ids import NodeName
from eaas_daemon.agents.roster import Roster
from eaas_daemon.api.bell import JobBell
from eaas_daemon.api.file_exchange import FileExchange
from eaas_daemon.api.guests import Guests
from eaas_daemon.api.hub import Hub
from eaas_daemon.api.long_calls import LongCalls
from eaas_daemon.api.packs import PackStore
from eaas_daemon.clock import Clock
from eaas_daemon.core.events import Caller
from eaas_daemon.engine import Engine
from eaas_daemon.intake.intake import Intake
from eaas_daemon.logs.store import LogStore
from eaas_daemon.metrics.live import Live
from eaas_daemon.samples.sampler import Sampler
from eaas_daemon.store.readers import Reader
from eaas_daemon.trust.authority import Authority

Handler = Callable[[web.Request], Coroutine[Any, Any, web.StreamResponse]]

CALLER: Final = web.RequestKey("caller", Caller)
AGENT: Final = web.RequestKey["AgentPass"]("agent")
JSON: Final = "application/json"
ENCODER: Final = msgspec.json.Encoder()


class AgentPass(msgspec.Struct, frozen=True, kw_only=True):
    """For whom an agent may speak."""

    role: Literal["agent", "node"]
    """``agent`` may only join."""
    node: NodeName | None = None
    """None is any node: the kernel says that it is this host's own admin."""
    node_uid: str | None = None
    credential: str | None = None

    def speaks_for(self, node: str, node_uid: str) -> bool:
        """Tell whether it may speak for this node."""
        return self.node is None or (self.node, self.node_uid) == (node, node_uid)


class Where:
    """The address of the TCP port, once there is one."""

    def __init__(self) -> None:
        self.address: str | None = None


class Parts(msgspec.Struct, frozen=True, kw_only=True):
    """Everything a route may need."""

    engine: Engine
    roster: Roster
    reader: Reader
    logs: LogStore
    packs: PackStore
    hub: Hub
    sampler: Sampler
    intake: Intake
    live: Live
    bell: JobBell
    files: FileExchange
    long_calls: LongCalls
    guests: Guests
    authority: Authority
    where: Where
    home: Path
    clock: Clock
    started_at: float


def caller_of(request: web.Request) -> Caller:
    """Return who asks; the front door has found that out."""
    return request[CALLER]


def answer(view: object, status: int = 200) -> web.Response:
    """Return the view as JSON."""
    return web.Response(body=ENCODER.encode(view), status=status, content_type=JSON)
