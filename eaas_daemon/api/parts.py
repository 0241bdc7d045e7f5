"""What the routes work with: the controller's parts, and the answers' one encoder."""

from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any, Final

import msgspec
from aiohttp import web

from eaas_daemon.agents.roster import Roster
from eaas_daemon.api.bell import JobBell
from eaas_daemon.api.file_exchange import FileExchange
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

Handler = Callable[[web.Request], Coroutine[Any, Any, web.StreamResponse]]

CALLER: Final = web.RequestKey("caller", Caller)
JSON: Final = "application/json"
ENCODER: Final = msgspec.json.Encoder()


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
