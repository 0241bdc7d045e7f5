"""The controller put together: everything is constructed here and nowhere else."""

import asyncio
import logging
import os
from collections.abc import Callable, Coroutine, Sequence
from contextlib import AsyncExitStack
from functools import partial
from pathlib import Path
from socket import gethostname
from ssl import SSLContext
from typing import Any, Final

from aiohttp import web

from eaas.errors import EaasError
from eaas.ids import JobUid
from eaas.paths import Paths
from eaas_daemon.agents.roster import Roster
from eaas_daemon.api.hub import Hub
from eaas_daemon.api.listening import PortInUse
from eaas_daemon.api.packs import PackStore
from eaas_daemon.api.server import WHERE, Served, make_app, serve
from eaas_daemon.api.traffic import STOPPING
from eaas_daemon.clock import Clock
from eaas_daemon.config import DEFAULT_PORT, ControllerConfig
from eaas_daemon.core.events import LogWasDropped
from eaas_daemon.core.picture import LogSize
from eaas_daemon.engine import Engine
from eaas_daemon.intake.intake import Intake
from eaas_daemon.intake.settings import FolderSettings
from eaas_daemon.logs.store import DroppedLog, LogStore
from eaas_daemon.metrics.job_counts import JobCounts
from eaas_daemon.metrics.live import Live
from eaas_daemon.metrics.loop_lag import LoopLag
from eaas_daemon.revive import revive
from eaas_daemon.samples.files import RunFiles
from eaas_daemon.samples.sampler import Sampler
from eaas_daemon.store.database import Database
from eaas_daemon.store.failures import PlaceLost
from eaas_daemon.store.readers import Reader
from eaas_daemon.trust.authority import Authority, authority_in
from eaas_daemon.trust.names import advertised, server_names
from eaas_daemon.trust.tls import ServerTls

log = logging.getLogger(__name__)

PRUNE_EVERY_S: Final = 60.0
LOOK_EVERY_S: Final = 1.0
"""How often an idle controller looks whether its database is still in its place."""
DAY_S: Final = 86400.0


class Controller:
    """One controller's parts, alive."""

    def __init__(
        self,
        *,
        database: Database,
        engine: Engine,
        served: Served,
        logs: LogStore,
        intake: Intake,
        inbox: Path,
        clock: Clock,
        authority: Authority,
        address: str,
        beside: Sequence[Callable[[], Coroutine[Any, Any, None]]],
    ) -> None:
        self.engine: Final = engine
        self.served: Final = served
        self.authority: Final = authority
        self.address: Final = address
        """What others type to reach it."""
        self._database = database
        self._logs = logs
        self._intake = intake
        self._inbox = inbox
        self._clock = clock
        self._beside = beside
        """What else works until the controller stops."""
        self._lost: PlaceLost | None = None

    async def work(self, until: asyncio.Event, attend: "Attend | None" = None) -> None:
        """Run everything until the event is set; ``attend`` runs beside it.

        Raises ``PlaceLost`` when the data folder is not the one any more that it began with.
        """
        async with asyncio.TaskGroup() as tasks:
            running = [
                tasks.create_task(self.engine.run()),
                tasks.create_task(self.engine.tick()),
                tasks.create_task(self._prune()),
                tasks.create_task(self._watch_place(until)),
                *(tasks.create_task(work()) for work in self._beside),
            ]
            if attend is not None:
                running.append(tasks.create_task(attend(self)))
            await until.wait()
            await self.served.close()
            self.engine.refuse_all(STOPPING)
            for task in running:
                task.cancel()
        if self._lost is not None:
            raise self._lost

    async def _watch_place(self, until: asyncio.Event) -> None:
        """Set the event when the database is no longer where it was; keep why."""
        while self._lost is None:
            await asyncio.sleep(LOOK_EVERY_S)
            try:
                await self._database.look()
            except PlaceLost as lost:
                self._lost = lost
                until.set()

    def adjust(self, config: ControllerConfig) -> None:
        """Take over what can change while the controller runs."""
        self._database.keep_journal_s = config.journal_days * DAY_S
        self._logs.limit(config.log_budget_mib)
        self._intake.watch((FolderSettings(path=self._inbox), *config.folders))

    async def _prune(self) -> None:
        while True:
            await asyncio.sleep(PRUNE_EVERY_S)
            try:
                await self._database.prune(self._clock.now())
            except EaasError as error:
                log.warning("old rows stay for now: %s", error)


Attend = Callable[[Controller], Coroutine[Any, Any, None]]
"""Looks after a controller from when it serves; cancelled when it stops."""


async def assemble(
    paths: Paths, config: ControllerConfig, clock: Clock, stack: AsyncExitStack
) -> Controller:
    """Return a controller that serves; the stack closes what it opened."""
    database = await stack.enter_async_context(Database(paths.database))
    reader = await stack.enter_async_context(Reader(paths.database))
    state = revive(await database.load(), reader)
    late: list[Engine] = []
    sampler = Sampler(state, clock, RunFiles(paths.job_samples))
    await sampler.recall()
    stack.push_async_callback(sampler.write_all)
    on_dropped = _noting_dropped(sampler, late)
    logs = LogStore(paths.job_logs, config.log_budget_mib, on_dropped=on_dropped)
    engine = Engine(state, database, clock, _sizes_in(logs))
    late.append(engine)
    await stack.enter_async_context(logs)
    roster, hub = Roster(state, clock.now), Hub(engine)
    intake = Intake(engine, logs, os.geteuid(), clock, name=f"{paths.home} on {gethostname()}")
    live = _measured(engine)
    for listener in (roster, hub, sampler, intake):
        engine.listen(listener)
    authority = authority_in(paths.trust, clock.now())
    app = make_app(
        engine=engine,
        roster=roster,
        reader=reader,
        logs=logs,
        packs=PackStore(paths.packs),
        hub=hub,
        sampler=sampler,
        intake=intake,
        live=live,
        home=paths.home,
        authority=authority,
        service_uid=os.geteuid(),
        members=config.members,
        clock=clock,
        started_at=clock.now(),
    )
    tls = None
    if config.has_tls:  # else no name is looked up, which can take long where nobody answers
        tls = ServerTls(authority, server_names(config.listen, config.names), clock.now)
    served = await _serve(app, paths, config, None if tls is None else tls.context)
    controller = Controller(
        database=database,
        engine=engine,
        served=served,
        logs=logs,
        intake=intake,
        inbox=paths.inbox,
        clock=clock,
        authority=authority,
        address=app[WHERE].address or served.address,
        beside=(
            *(sampler.run, intake.work, LoopLag(live.engine.lag).run),
            *(() if tls is None else (tls.keep_fresh,)),
        ),
    )
    controller.adjust(config)
    return controller


def _noting_dropped(sampler: Sampler, late: Sequence[Engine]) -> Callable[[DroppedLog], None]:
    """Return what is to be done when a log is dropped; the engine is there by then."""

    def note(dropped: DroppedLog) -> None:
        sampler.forget(JobUid(dropped.uid), dropped.attempt)
        event = LogWasDropped(
            uid=JobUid(dropped.uid), attempt=dropped.attempt, size_bytes=dropped.size_bytes
        )
        late[0].post(event)

    return note


def _sizes_in(logs: LogStore) -> LogSize:
    """Return what knows how long logs are."""

    def size(uid: JobUid, attempt: int) -> tuple[int, int]:
        stdout, stderr, _ = logs.position(uid, attempt)
        return stdout, stderr

    return size


def _measured(engine: Engine) -> Live:
    """Return what counts how the engine does from here on, and what it does with jobs."""
    live = Live()
    engine.measure(live.engine)
    engine.listen(JobCounts(engine.state, live.jobs))
    return live


async def _serve(
    app: web.Application, paths: Paths, config: ControllerConfig, tls: SSLContext | None
) -> Served:
    """Serve on the asked port, or, when none was asked for and 7470 is taken, on a free one.

    That is for this host only: others are told a port, and it has to be that one.
    """
    port = DEFAULT_PORT if config.port is None else config.port
    place = partial(serve, app, socket_path=paths.socket, host=config.listen, tls=tls)
    try:
        served = await place(port=port)
    except PortInUse:
        if config.port is not None or config.is_open:
            raise
        log.info("port %d is taken; using a free one", port)
        served = await place(port=0)
    log.info("listening on %s and %s", paths.socket, served.address)
    app[WHERE].address = advertised(served.address, config.listen, config.names)
    if config.is_open and tls is None:
        log.warning("no TLS on %s: whoever listens in on the way has every token", served.address)
    return served
