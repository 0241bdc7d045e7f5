"""A controller on its own: it hears signals and tells its service manager how it does."""

import asyncio
import gc
import logging
import os
import sys
import time
from collections.abc import Callable
from contextlib import AsyncExitStack

from eaas.lifecycle import JobState, NodeState
from eaas.log_lines import begin_log
from eaas.paths import Paths
from eaas.program import on_signals
from eaas.service_notice import ServiceNotice
from eaas.settings.layers import Settings
from eaas.settings.reloading import Outcome, Reloading
from eaas_daemon.api.kernel_word import user_name
from eaas_daemon.app import Controller, assemble
from eaas_daemon.clock import SystemClock
from eaas_daemon.config import config_from
from eaas_daemon.core.events import SettingsReread
from eaas_daemon.core.inventory_picture import node_state
from eaas_daemon.core.state import State
from eaas_daemon.first_words import WITHOUT_A_TERMINAL, first_words
from eaas_daemon.home import prepare_home

log = logging.getLogger(__name__)

ADJUSTABLE = ("log_level", "log_format", "folders", "log_budget_mib", "journal_days")


async def run(
    paths: Paths, settings: Settings, read: Callable[[], Settings], notice: ServiceNotice
) -> None:
    """Run a controller until SIGTERM or SIGINT. Raises ``EaasError`` when it can't start.

    ``read`` reads the settings again; SIGHUP asks for it.
    """
    stop = asyncio.Event()
    working: list[Controller] = []

    def adjust(new: Settings) -> None:
        begin_log(new["log_level"], new["log_format"])
        for controller in working:
            controller.adjust(config_from(new))

    def tell(outcome: Outcome) -> None:
        for controller in working:
            controller.engine.post(SettingsReread(outcome=str(outcome)))

    async def attend(controller: Controller) -> None:
        working.append(controller)
        leave_what_is_loaded()
        notice.ready()
        state = controller.engine.state
        if config.is_open and not state.credentials:
            await introduce(controller)
        await notice.live(controller.engine.progress.idle_s, lambda: status(state))

    def end() -> None:
        log.info("stopping: what is under way is answered")
        notice.stopping()
        stop.set()

    appliers = dict.fromkeys(ADJUSTABLE, adjust)
    on_signals(stop=end, reload=Reloading(settings, read, appliers, notice=notice, tell=tell))
    config = config_from(settings)
    prepare_home(paths)
    async with AsyncExitStack() as stack:
        controller = await assemble(paths, config, SystemClock(), stack)
        await controller.work(stop, attend)
    log.info("stopped; jobs run on")


async def introduce(controller: Controller) -> None:
    """Say how others come in, to whoever started the controller in a terminal."""
    if not sys.stdout.isatty():
        log.info(WITHOUT_A_TERMINAL)
        return
    ca, service = controller.authority.fingerprint, user_name(os.geteuid())
    words = await first_words(controller.engine, ca, controller.address, service, time.time())
    print(words, flush=True)


def leave_what_is_loaded() -> None:
    """Let no later garbage collection look at what is there now: most of it stays for good.

    A full one would hold up the loop for as long as all modules and all jobs take.
    """
    gc.collect()
    gc.freeze()
    log.debug("garbage is looked for among what comes after %d objects", gc.get_freeze_count())


def status(state: State) -> str:
    """Return in one line how the pool is doing."""
    nodes = state.nodes.values()
    ready = sum(node_state(state, node) is NodeState.READY for node in nodes)
    waiting = sum(job.state is JobState.PENDING for job in state.jobs.values())
    running = state.held.jobs()
    return f"{ready} of {len(nodes)} nodes ready, {running} jobs running, {waiting} waiting"
