"""The controller's one server: every route behind one front door, on a socket and on loopback."""

import errno
import ipaddress
import os
import socket
import stat
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Final

from aiohttp import web
from aiohttp.typedefs import Handler, Middleware

from eaas.errors import EaasError
from eaas.wire.codec import MAX_BODY_BYTES
from eaas_daemon.agents.roster import Roster
from eaas_daemon.api import problems
from eaas_daemon.api.agent_routes import AgentRoutes
from eaas_daemon.api.auth import Doorman
from eaas_daemon.api.bell import JobBell
from eaas_daemon.api.file_exchange import FileExchange
from eaas_daemon.api.files import FileRoutes
from eaas_daemon.api.hub import Hub
from eaas_daemon.api.job_lists import JobLists
from eaas_daemon.api.jobs import JobRoutes
from eaas_daemon.api.log_routes import LogRoutes
from eaas_daemon.api.long_calls import LongCalls
from eaas_daemon.api.metric_routes import MetricRoutes
from eaas_daemon.api.nodes import NodeRoutes
from eaas_daemon.api.pack_routes import PackRoutes
from eaas_daemon.api.packs import PackStore
from eaas_daemon.api.parts import CALLER, Parts, Where
from eaas_daemon.api.pools import PoolRoutes
from eaas_daemon.api.probes import PROBES, ProbeRoutes
from eaas_daemon.api.queues import QueueRoutes
from eaas_daemon.api.request_counts import counting
from eaas_daemon.api.sample_routes import SampleRoutes
from eaas_daemon.api.stream import StreamRoutes
from eaas_daemon.api.system import SystemRoutes
from eaas_daemon.api.traffic import Traffic
from eaas_daemon.clock import Clock
from eaas_daemon.core.events import Caller
from eaas_daemon.engine import Engine
from eaas_daemon.intake.intake import Intake
from eaas_daemon.logs.store import LogStore
from eaas_daemon.metrics.live import Live
from eaas_daemon.samples.sampler import Sampler
from eaas_daemon.store.readers import Reader

Who = Callable[[web.Request], Caller]

WHERE: Final = web.AppKey("where", Where)
TRAFFIC: Final = web.AppKey("traffic", Traffic)
BACKLOG: Final = 1024
DRAIN_S: Final = 3.0
"""How long requests under way may take when the controller stops."""
SHUTDOWN_S: Final = 0.5
LINGER_S: Final = 2.0
"""How long a body that nobody reads any more is read on before its connection is cut."""


class PortInUse(EaasError):
    """Another program listens there."""

    code = "port_in_use"
    http_status = 503


class SocketInUse(EaasError):
    """Another controller answers on the socket."""

    code = "socket_in_use"
    http_status = 503


class NotLoopback(EaasError):
    """The address is reachable from other machines, for which there are no certificates."""

    code = "not_loopback"


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
    admin_token: str,
    service_uid: int,
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
        home=home,
        clock=clock,
        started_at=started_at,
    )
    return application(parts, Doorman(admin_token, service_uid).caller)


def application(parts: Parts, who: Who) -> web.Application:
    """Return the application of these parts; ``who`` finds out who asks, or refuses."""
    parts.engine.listen(parts.bell)
    traffic = Traffic(parts.long_calls)
    app = web.Application(
        middlewares=[
            counting(parts.live.requests),
            front_door(who, parts.engine, traffic),
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
        JobLists(parts),
        LogRoutes(parts),
        FileRoutes(parts),
        PoolRoutes(parts),
        QueueRoutes(parts),
        NodeRoutes(parts),
        SampleRoutes(parts),
        PackRoutes(parts.packs),
        StreamRoutes(parts.hub, parts.long_calls),
        SystemRoutes(parts, release),
        MetricRoutes(parts, release),
        ProbeRoutes(parts.engine, traffic),
        AgentRoutes(parts),
    )
    return [route for group in groups for route in group.routes()]


def front_door(who: Who, engine: Engine, traffic: Traffic) -> Middleware:
    """Return the one middleware: it finds out who asks and turns every refusal into a problem.

    What is only looked at is looked at between two steps, so that nobody sees what is not stored.
    """

    @web.middleware
    async def through(request: web.Request, handler: Handler) -> web.StreamResponse:
        try:
            if request.path in PROBES:
                return await handler(request)
            with traffic.under_way():
                request[CALLER] = who(request)
                if request.method == "GET":
                    await engine.at_rest()
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


async def serve(app: web.Application, *, socket_path: Path, host: str, port: int) -> Served:
    """Serve on the unix socket, open to everybody of this host, and on a loopback port.

    Raises ``PortInUse``, ``NotLoopback`` or ``SocketInUse`` before anything is served.
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
        await web.SockSite(runner, listener, backlog=BACKLOG).start()
    except BaseException:
        listener.close()
        await runner.cleanup()
        raise
    name, bound = listener.getsockname()[:2]
    address = f"http://[{name}]:{bound}" if ":" in name else f"http://{name}:{bound}"
    app[WHERE].address = address
    return Served(runner, app[TRAFFIC], address, socket_path)


def refuse_taken(path: Path) -> None:
    """Make sure that nobody answers at the path, and take away what a dead controller left."""
    try:
        is_socket = stat.S_ISSOCK(path.lstat().st_mode)
    except FileNotFoundError:
        return
    if not is_socket:
        raise SocketInUse(f"{path} exists and is no socket")
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
        probe.settimeout(1.0)
        try:
            probe.connect(str(path))
        except (ConnectionRefusedError, FileNotFoundError):
            path.unlink(missing_ok=True)
            return
        except OSError as error:
            raise SocketInUse(f"{path} can't be tried: {error.strerror or error}") from error
    raise SocketInUse(f"another controller answers at {path}")


def tcp_listener(host: str, port: int) -> socket.socket:
    """Return a socket that is bound to the loopback address; port 0 takes any free one."""
    name = "127.0.0.1" if host == "localhost" else host
    try:
        address = ipaddress.ip_address(name)
    except ValueError as error:
        raise NotLoopback(f"{host} is no address; write 127.0.0.1") from error
    if not address.is_loopback:
        raise NotLoopback(
            f"{host} can be reached from other machines, and there are no certificates yet; "
            "listen on 127.0.0.1"
        )
    family = socket.AF_INET6 if address.version == 6 else socket.AF_INET
    try:
        return socket.create_server((name, port), family=family, backlog=BACKLOG)
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            raise PortInUse(f"port {port} of {host} is taken by another program") from error
        raise
