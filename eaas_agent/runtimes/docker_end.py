"""Waits for an attempt's end and tells it as evidence."""

import asyncio
from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import datetime
from typing import Any, Final

from aiodocker import DockerError
from msgspec import structs

from eaas_agent.runtimes.docker_engine import Engine, EngineAway
from eaas_agent.runtimes.docker_faults import NO_COMMAND
from eaas_agent.runtimes.kernel_log import memory_ran_out
from eaas_agent.runtimes.port import Exit

ASK_AGAIN_S: Final = 120.0
"""A wait that hangs (old Podman) is replaced by a new look at the container."""
KILLED: Final = frozenset({137, 143, 255})
"""What a container gets when its engine stops, is stopped, or forgot what it was."""
EVENTS_KEPT: Final = 250
"""The engine remembers its last 256 events, and none from before its start."""
RUNNING: Final = frozenset({"running", "paused", "restarting"})


class Backoff:
    """Grows the pause between tries from a tenth of a second to five."""

    def __init__(self) -> None:
        self._pause_s = 0.1

    async def wait(self) -> None:
        """Pause, and pause twice as long the next time."""
        await asyncio.sleep(self._pause_s)
        self._pause_s = min(5.0, self._pause_s * 2)

    def reset(self) -> None:
        """Begin with short pauses again: something came."""
        self._pause_s = 0.1


async def wait_for_end(engine: Engine, handle: str, clock: Callable[[], float]) -> Exit:
    """Return how the container ended, at once if it has; outlasts restarts of the engine."""
    cut, backoff = False, Backoff()
    while True:
        # However the waiting ends: what the container is then tells more.
        with suppress(EngineAway, DockerError):
            await engine.call("POST", f"containers/{handle}/wait", timeout_s=ASK_AGAIN_S)
        try:
            end = await engine.call("GET", f"containers/{handle}/json")
            if has_ended(end):
                return await _told(engine, end, cut=cut, clock=clock)
        except EngineAway:
            cut = True
        except DockerError as error:
            if error.status == 404:
                return _vanished(clock())
        await backoff.wait()


def has_ended(inspected: Mapping[str, Any]) -> bool:
    """Tell whether the container will do nothing more of itself."""
    return inspected["State"].get("Status") not in RUNNING


def exit_of(inspected: Mapping[str, Any], *, engine_restarted: bool, now: float) -> Exit:
    """Return the end as the engine has it; one that only a restart explains is ``lost``."""
    state = inspected["State"]
    started_at, finished_at = (
        parse_time(state.get("StartedAt")),
        parse_time(state.get("FinishedAt")),
    )
    words = state.get("Error") or None
    if started_at is None:
        text = words or "the container was made but never started"
        return Exit(exit_code=None, finished_at=now, lost=True, text=text)
    code, oom = state.get("ExitCode"), bool(state.get("OOMKilled"))
    lost = engine_restarted and code in KILLED and not oom
    return Exit(
        exit_code=code,
        oom_killed=oom,
        finished_at=finished_at or now,
        ran_for_s=max(0.0, finished_at - started_at) if finished_at else None,
        lost=lost,
        text="the container engine was restarted" if lost else words,
    )


def parse_time(text: str | None) -> float | None:
    """Return Unix seconds of the engine's time, None for its ``0001-01-01T00:00:00Z``."""
    if not text or text.startswith("0001-"):
        return None
    return datetime.fromisoformat(text).timestamp()


async def _told(
    engine: Engine, end: Mapping[str, Any], *, cut: bool, clock: Callable[[], float]
) -> Exit:
    container_id = str(end["Id"])
    end = await with_memory_told(end, container_id)
    state = end["State"]
    suspicious = state.get("ExitCode") in KILLED and not state.get("OOMKilled")
    restarted = suspicious and (cut or await _restart_killed(engine, container_id, clock()))
    told = exit_of(end, engine_restarted=restarted, now=clock())
    if told.exit_code in NO_COMMAND and told.text is None:
        return structs.replace(told, text=await _words_of_init(engine, container_id))
    return told


async def with_memory_told(end: Mapping[str, Any], container_id: str) -> Mapping[str, Any]:
    """Return the end with the kernel's word where the engine's own look at memory says no."""
    state = end["State"]
    if not state.get("ExitCode") or state.get("OOMKilled"):
        return end
    ran_out = await asyncio.to_thread(memory_ran_out, container_id)
    return {**end, "State": {**state, "OOMKilled": ran_out}}


async def _restart_killed(engine: Engine, container_id: str, now: float) -> bool:
    """Tell whether a restart of the engine, seen by nobody here, explains the kill.

    The engine's events begin empty at each start. One that did not see the container die
    was started later; one that did not see it start was started in between, and without
    live-restore that was the death of it. Once the events are full, nothing can be told.
    """
    params = {"since": "1", "until": f"{now + 0.1:.9f}"}
    try:
        async with engine.stream("GET", "events", params=params, idle_s=10) as response:
            lines = (await response.read()).splitlines()
        lives_through = (await engine.facts()).live_restore
    except (EngineAway, DockerError):
        return False
    own = [line for line in lines if container_id.encode() in line]
    started = any(b'"Action":"start"' in line for line in own)
    died = any(b'"Action":"die"' in line for line in own)
    return len(lines) < EVENTS_KEPT and (not died or not (started or lives_through))


async def _words_of_init(engine: Engine, container_id: str) -> str | None:
    """Return what the container's init said of a command that it could not execute."""
    params = {"stderr": "1", "tail": "1"}
    path = f"containers/{container_id}/logs"
    try:
        async with engine.stream("GET", path, params=params, idle_s=10) as response:
            last = (await response.content.read(4096))[8:].decode(errors="replace").strip()
    except (EngineAway, DockerError):
        return None
    return last.partition("] ")[2] if last.startswith("[FATAL tini") else None


def _vanished(now: float) -> Exit:
    text = "the container was removed from outside"
    return Exit(exit_code=None, finished_at=now, lost=True, text=text)
