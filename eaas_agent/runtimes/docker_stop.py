"""Ends a container: TERM, a grace, KILL, and the truth about one that can't be killed."""

import asyncio
import math
from typing import Final

from aiodocker import DockerError

from eaas_agent.runtimes.docker_end import Backoff, has_ended
from eaas_agent.runtimes.docker_engine import Engine, EngineAway

UNKILLABLE_S: Final = 60.0
"""A process that outlives KILL by this long is stuck in the kernel."""


async def stop_container(engine: Engine, handle: str, grace_s: float) -> None:
    """Return when the container has ended, or a minute after the kill if it has not.

    A restart of the engine in between does not lengthen the grace.
    """
    now = asyncio.get_running_loop().time
    kill_at, backoff = now() + grace_s, Backoff()
    try:
        async with asyncio.timeout_at(kill_at + UNKILLABLE_S):
            while not await _stopped(engine, handle, max(0.0, kill_at - now())):
                await backoff.wait()
    except TimeoutError:
        return


async def remove_container(engine: Engine, handle: str) -> None:
    """Delete the container with its log; raise ``EngineAway`` when the engine does not answer."""
    try:
        await engine.call("DELETE", f"containers/{handle}", params={"force": "1", "v": "1"})
    except DockerError as error:
        # 409: somebody is removing it already.
        if error.status not in (404, 409):
            raise


async def _stopped(engine: Engine, handle: str, grace_s: float) -> bool:
    params, patience_s = {"t": str(math.ceil(grace_s))}, grace_s + UNKILLABLE_S
    try:
        await engine.call("POST", f"containers/{handle}/stop", params=params, timeout_s=patience_s)
        return has_ended(await engine.call("GET", f"containers/{handle}/json"))
    except EngineAway:
        return False
    except DockerError as error:
        return error.status == 404
