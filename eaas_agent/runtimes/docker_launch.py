"""Brings one container into being, or takes over the one that an earlier try left."""

import asyncio
import os
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

import msgspec
from aiodocker import DockerError

from eaas_agent.runtimes.docker_config import (
    LABEL_AGENT,
    LABEL_ATTEMPT,
    LABEL_JOB,
    container_names,
)
from eaas_agent.runtimes.docker_end import Backoff, has_ended, parse_time
from eaas_agent.runtimes.docker_engine import Engine, EngineAway
from eaas_agent.runtimes.docker_faults import start_failed
from eaas_agent.runtimes.port import CardSlot, Phase, RunOrder, Started, StartFailed

TRIES: Final = 7
"""With growing pauses of eleven seconds together: an engine that restarts is back by then."""
START_S: Final = 120.0
"""Without persistence mode the driver alone takes tens of seconds."""


class ImageGone(Exception):
    """The engine no longer has the image that it had a moment ago."""


class Claim(msgspec.Struct, frozen=True, kw_only=True):
    """A container that bears the attempt's name and labels."""

    handle: str
    ran_already: bool = False
    """It was started by an earlier call, and is not this call's to throw away."""
    started_at: float | None = None


async def launch(
    engine: Engine, order: RunOrder, payload: dict[str, Any], progress: Callable[[Phase], None]
) -> Started:
    """Create and start the container, or adopt it; a failed or cancelled call leaves nothing.

    What ran before this call is never touched, whatever happens here.
    """
    progress(Phase(name="creating"))
    claim = await _claim_shielded(engine, order, payload)
    if claim.ran_already:
        return Started(handle=claim.handle, started_at=claim.started_at or time.time())
    progress(Phase(name="starting"))
    try:
        # Taken before: an end must never come before its start, however short the job.
        started_at = time.time()
        await _start(engine, order, claim.handle)
        warnings = await _check_cards(engine, order.cards, claim.handle)
    except BaseException:
        await discard(engine, claim.handle)
        raise
    return Started(handle=claim.handle, started_at=started_at, warnings=warnings)


async def discard(engine: Engine, handle: str) -> None:
    """Kill and delete a container as well as can be done now; a missing one is fine."""
    with suppress(EngineAway, DockerError):
        await engine.call("DELETE", f"containers/{handle}", params={"force": "1", "v": "1"})


async def _claim_shielded(engine: Engine, order: RunOrder, payload: dict[str, Any]) -> Claim:
    # A create that was sent can't be taken back, so a cancelled one is waited for, then deleted.
    task = asyncio.ensure_future(_claim(engine, order, payload))
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        with suppress(StartFailed, ImageGone):
            claim = await task
            if not claim.ran_already:
                await discard(engine, claim.handle)
        raise


async def _claim(engine: Engine, order: RunOrder, payload: dict[str, Any]) -> Claim:
    for name in container_names(order):
        if claim := await _claim_name(engine, name, order, payload):
            return claim
    raise _conflict(container_names(order)[-1])


async def _claim_name(
    engine: Engine, name: str, order: RunOrder, payload: dict[str, Any]
) -> Claim | None:
    """Create under this name or adopt what bears it; None when another pool's attempt does."""
    backoff, words = Backoff(), ""
    for _ in range(TRIES):
        try:
            made = await engine.call(
                "POST", "containers/create", params={"name": name}, body=payload
            )
            return Claim(handle=made["Id"])
        except EngineAway as error:
            words = error.sentence
        except DockerError as error:
            if error.status == 404:
                raise ImageGone from error
            words = error.message
            if _name_is_taken(error):
                # A container that is just being made has its name, but can't be looked at yet.
                if (found := await _look(engine, name)) is not None:
                    return _judge(name, found, payload["Labels"])
            elif (failure := start_failed(name, words)).fault == "user" or error.status < 500:
                raise failure from error
        await backoff.wait()
    raise start_failed(name, words)


def _judge(name: str, found: dict[str, Any], labels: dict[str, str]) -> Claim | None:
    theirs = found["Config"].get("Labels") or {}
    if any(theirs.get(key) != labels[key] for key in (LABEL_AGENT, LABEL_JOB, LABEL_ATTEMPT)):
        if LABEL_AGENT in theirs:
            return None
        raise _conflict(name)
    started_at = parse_time(found["State"].get("StartedAt"))
    return Claim(handle=found["Id"], ran_already=started_at is not None, started_at=started_at)


async def _start(engine: Engine, order: RunOrder, handle: str) -> None:
    name = container_names(order)[0]
    backoff, words = Backoff(), ""
    for _ in range(TRIES):
        try:
            await engine.call("POST", f"containers/{handle}/start", timeout_s=START_S)
            return
        except EngineAway as error:
            words = error.sentence
        except DockerError as error:
            state = ((await _look(engine, handle)) or {}).get("State", {})
            code = state.get("ExitCode")
            raise start_failed(name, error.message, exit_code=code) from error
        await backoff.wait()
    raise start_failed(name, words)


async def _check_cards(engine: Engine, cards: tuple[CardSlot, ...], handle: str) -> tuple[str, ...]:
    """Raise when the container has other cards than its own: some engines ignore the request."""
    given = {card.minor for card in cards if not card.simulated and card.minor is not None}
    real = [card for card in cards if not card.simulated]
    if not real:
        return ()
    found = await _look(engine, handle)
    if found is None or has_ended(found) or len(given) < len(real):
        return ()
    seen = await asyncio.to_thread(_minors_inside, int(found["State"]["Pid"]))
    if seen is None:
        return ("could not look into the container to check its cards",)
    if seen != given:
        raise StartFailed(
            f"the engine gave the container cards {sorted(seen)} instead of {sorted(given)}",
            code="cards_not_given",
            fault="node",
        )
    return ()


def _minors_inside(pid: int) -> set[int] | None:
    try:
        names = os.listdir(Path("/proc", str(pid), "root/dev"))
    except OSError:
        return None
    numbers = (name.removeprefix("nvidia") for name in names if name.startswith("nvidia"))
    return {int(number) for number in numbers if number.isdigit()}


async def _look(engine: Engine, handle: str) -> dict[str, Any] | None:
    try:
        found: dict[str, Any] = await engine.call("GET", f"containers/{handle}/json")
    except (EngineAway, DockerError):
        return None
    return found


def _name_is_taken(error: DockerError) -> bool:
    # Podman says it with a 500.
    return error.status == 409 or (error.status == 500 and "already in use" in error.message)


def _conflict(name: str) -> StartFailed:
    words = f"a container named {name} exists and does not belong to Mini EaaS; remove or rename it"
    return StartFailed(words, code="name_conflict", fault="node")
