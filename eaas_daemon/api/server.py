"""The controller's one server: every route behind one front door, on a socket and on loopback."""

import os
import ssl
from importlib.metadata import version
from pathlib import Path
from typing import Final, Protocol

from aiohttp import web
from aiohttp.typedefs import Handler, Middleware

from eaas.errors import EaasError
from eaas.wire.codec import MAX_BODY_BYTES
from eaas_daemon.agents.roster import Roster
from eaas_daemon.api import problems
from eaas_daemon.api.agent_routes import AgentRoutes
from eaas_daemon.api.arrays import ArrayRoutes
from eaas_daemon.api.auth import Doorman
from eaas_daemon.api.bell import JobBell
from eaas_daemon.api.bookings import BookingRoutes
from eaas_daemon.api.file_exchange import FileExchange
from eaas_daemon.api.files import FileRoutes
from eaas_daemon.api.guests import Guests
from eaas_daemon.api.hub import Hub
from eaas_daemon.api.job_lists import JobLists
from eaas_daemon.api.jobs import JobRoutes
from eaas_daemon.api.join_routes import CA, JoinRoutes
from eaas_daemon.api.kernel_word import Members
from eaas_daemon.api.listening import BACKLOG, refuse_taken, tcp_listener
from eaas_daemon.api.log_routes import LogRoutes
from eaas_daemon.api.long_calls import LongCalls
from eaas_daemon.api.metric_routes import MetricRoutes
from eaas_daemon.api.nodes import NodeRoutes
from eaas_daemon.api.pack_routes import PackRoutes
from eaas_daemon.api.packs import PackStore
from eaas_daemon.api.parts import AGENT, CALLER, AgentPass, Parts, Where
from eaas_daemon.api.pools import PoolRoutes
from eaas_daemon.api.probes import PROBES, ProbeRoutes
from eaas_daemon.api.queues import QueueRoutes
from eaas_daemon.api.request_counts import counting
from eaas_daemon.api.sample_routes import SampleRoutes
from eaas_daemon.api.stream import StreamRoutes
from eaas_daemon.api.system import SystemRoutes
from eaas_daemon.api.token_routes import TokenRoutes
from eaas_daemon.api.traffic import Traffic
from eaas_daemon.clock import Clock
from eaas_daemon.core.events import Caller
from eaas_daemon.engine import Engine
from eaas_daemon.intake.intake import Intake
from eaas_daemon.logs.store import LogStore
from eaas_daemon.metrics.live import Live
from eaas_daemon.samples.sampler import Sampler
from eaas_daemon.store.readers import Reader
from eaas_daemon.trust.authority import Authority

AGENTS: Final = "/agent/"
OPEN: Final = frozenset({*PROBES, CA})
"""What answers without asking who asks."""
WHERE: Final = web.AppKey("where", Where)
TRAFFIC: Final = web.AppKey("traffic", Traffic)
DRAIN_S: Final = 3.0
"""How long requests under way may take when the controller stops."""
SHUTDOWN_S: Final = 0.5
LINGER_S: Final = 2.0
"""How long a body that nobody reads any more is read on before its connection is cut."""


def make_app(
    *,
    engine: Engine,
    roster: Roster,
    reader: Reader,
    logs: LogStore,
    packs: PackStore,
    hub: Hub,
    sampler: Sampler,
    intake: Intake,
    live: Live,
    home: Path,
    authority: Authority,
    service_uid: int,
    members: Members,
    clock: Clock,
    started_at: float,
) -> web.Application:
    """Return the application with all its routes."""
    parts = Parts(
        engine=engine,
        roster=roster,
        reader=reader,
        logs=logs,
        packs=packs,
        hub=hub,
        sampler=sampler,
        intake=intake,
        live=live,
        bell=JobBell(),
        files=FileExchange(roster),
        long_calls=LongCalls(),
        where=Where(),
        guests=Guests(),
        authority=authority,
        home=home,
        clock=clock,
        started_at=started_at,
    )
    return application(parts, Doorman(engine, clock, service_uid, members))


class Door(Protocol):
    """Finds out who asks, or refuses."""

    def caller(self, request: web.Request) -> Caller:
        """Return which person asks."""

    def agent(self, request: web.Request) -> AgentPass:
        """Return for which node an agent may speak."""


def application(parts: Parts, door: Door) -> web.Application:
    """Return the application of these parts behind this door."""
    parts.engine.listen(parts.bell)
    parts.engine.listen(parts.guests)
    traffic = Traffic(parts.long_calls)
    app = web.Application(
        middlewares=[
            counting(parts.live.requests),
            front_door(door, parts, traffic),
        ],
        client_max_size=MAX_BODY_BYTES,
    )
    app[WHERE] = parts.where
    app[TRAFFIC] = traffic
    app.add_routes(routes(parts, traffic))
    return app


def routes(parts: Parts, traffic: Traffic) -> list[web.RouteDef]:
    """Return every route there is."""
    release = version("mini-eaas")
    groups = (
        JobRoutes(parts),
        ArrayRoutes(parts),
        JobLists(parts),
        LogRoutes(parts),
        FileRoutes(parts),
        PoolRoutes(parts),
        QueueRoutes(parts),
        NodeRoutes(parts),
        BookingRoutes(parts),
        SampleRoutes(parts),
        PackRoutes(parts.packs),
        StreamRoutes(parts.hub, parts.long_calls),
        SystemRoutes(parts, release),
        MetricRoutes(parts, release),
        ProbeRoutes(parts.engine, traffic),
        AgentRoutes(parts),
        JoinRoutes(parts, release),
        TokenRoutes(parts),
    )
    return [route for group in groups for route in group.routes()]


def front_door(door: Door, parts: Parts, traffic: Traffic) -> Middleware:
    """Return the one middleware: it finds out who asks and turns every refusal into a problem.

    What is only looked at is looked at between two steps, so that nobody sees what is not stored.
    """

    @web.middleware
    async def through(request: web.Request, handler: Handler) -> web.StreamResponse:
        try:
            if request.path in OPEN:
                return await handler(request)
            with traffic.under_way(), parts.guests.inside(request, _let_in(door, request)):
                if request.method == "GET":
                    await parts.engine.at_rest()
                return await handler(request)
        except EaasError as refusal:
            return problems.refused(refusal)
        except web.HTTPException as refusal:
            return problems.refused_by_status(request, refusal)
        except ConnectionError:
            raise
        except Exception:
            return problems.failed(request)

    return through


def _let_in(door: Door, request: web.Request) -> str | None:
    """Note who asks, and return the credential they came with."""
    if request.path.startswith(AGENTS):
        request[AGENT] = came = door.agent(request)
        return came.credential
    request[CALLER] = caller = door.caller(request)
    return caller.credential


class Served:
    """A server that runs."""

    def __init__(
        self, runner: web.AppRunner, traffic: Traffic, address: str, socket_path: Path
    ) -> None:
        self._runner = runner
        self._traffic = traffic
        self.address: Final = address
        self._socket_path = socket_path
        self._inode = socket_path.stat().st_ino

    async def close(self) -> None:
        """Answer what is under way and nothing more, stop listening, take the socket away.

        Streams are closed with their code; the socket stays if another controller has made it anew.
        """
        await self._traffic.close(within_s=DRAIN_S)
        await self._runner.cleanup()
        try:
            if self._socket_path.stat().st_ino == self._inode:
                self._socket_path.unlink()
        except FileNotFoundError:
            pass


async def serve(
    app: web.Application,
    *,
    socket_path: Path,
    host: str,
    port: int,
    tls: ssl.SSLContext | None = None,
) -> Served:
    """Serve on the unix socket, open to everybody of this host, and on a port.

    Raises ``PortInUse``, ``NoSuchAddress`` or ``SocketInUse`` before anything is served.
    """
    refuse_taken(socket_path)
    listener = tcp_listener(host, port)
    runner = web.AppRunner(
        app,
        auto_decompress=False,  # aiohttp would inflate a bomb before anybody has looked at it
        access_log=None,
        shutdown_timeout=SHUTDOWN_S,
        lingering_time=LINGER_S,
        handle_signals=False,
    )
    try:
        await runner.setup()
        await web.UnixSite(runner, str(socket_path), backlog=BACKLOG).start()
        os.chmod(socket_path, 0o666)  # the kernel tells who calls
        await web.SockSite(runner, listener, ssl_context=tls, backlog=BACKLOG).start()
    except BaseException:
        listener.close()
        await runner.cleanup()
        raise
    name, bound = listener.getsockname()[:2]
    scheme = "http" if tls is None else "https"
    address = f"{scheme}://[{name}]:{bound}" if ":" in name else f"{scheme}://{name}:{bound}"
    app[WHERE].address = address
    return Served(runner, app[TRAFFIC], address, socket_path)
