"""An agent on its own: it hears signals and tells its service manager how it does."""

import asyncio
import logging
import os
from collections.abc import Callable

from eaas.log_lines import begin_log
from eaas.program import on_signals
from eaas.service_notice import ServiceNotice
from eaas.settings.layers import Settings
from eaas.settings.reloading import Reloading
from eaas_agent.app import Given, serve
from eaas_agent.at_work import AtWork
from eaas_agent.config import config_from
from eaas_agent.renaming import note_name, refuse_another_name

log = logging.getLogger(__name__)

ADJUSTABLE = (
    "log_level",
    "log_format",
    "labels",
    "mounts",
    "log_cap",
    "keep",
    "share_reserve",
    "max_sharers",
)


async def run(settings: Settings, read: Callable[[], Settings], notice: ServiceNotice) -> None:
    """Run an agent until SIGTERM or SIGINT; its jobs run on. Raises ``EaasError``.

    ``read`` reads the settings again; SIGHUP asks for it.
    """
    serving = asyncio.current_task()
    assert serving is not None, "called from a coroutine"
    working: list[AtWork] = []
    config = config_from(settings, os.environ)

    def adjust(new: Settings) -> None:
        begin_log(new["log_level"], new["log_format"])
        for agent in working:
            agent.adjust(config_from(new, os.environ))

    async def attend(agent: AtWork) -> None:
        working.append(agent)
        note_name(settings, config)
        notice.ready()
        await notice.live(agent.progress.idle_s, agent.status)

    def stop() -> None:
        notice.stopping()
        serving.cancel()

    reloading = Reloading(settings, read, dict.fromkeys(ADJUSTABLE, adjust), notice=notice)
    on_signals(stop=stop, reload=reloading)
    refuse_another_name(settings, config, os.environ)
    try:
        await serve(config, Given(environ=os.environ), attend)
    except asyncio.CancelledError:
        log.info("stopped; jobs run on")
