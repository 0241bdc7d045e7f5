"""Pulls an image: with progress, with an end to patience, and really stopped when cancelled."""

import asyncio
import json
from collections.abc import Callable
from typing import Any, Final

import msgspec
from aiodocker import DockerError

from eaas_agent.runtimes.docker_config import split_reference
from eaas_agent.runtimes.docker_engine import Engine, EngineAway
from eaas_agent.runtimes.docker_faults import pull_failed
from eaas_agent.runtimes.port import Phase, StartFailed

REPORT_EVERY_S: Final = 0.25


class PullPatience(msgspec.Struct, frozen=True, kw_only=True):
    """How long a pull may take, and how often it is begun again."""

    idle_s: float = 300.0
    """Without a word from the engine."""
    total_s: float = 3600.0
    tries: int = 5
    backoff_s: float = 1.0
    """Before the second try; doubles each time."""


class PullProgress:
    """Sums the engine's words about single layers."""

    def __init__(self) -> None:
        self._done: dict[str, int] = {}
        self._total: dict[str, int] = {}

    def take(self, event: dict[str, Any]) -> None:
        """Note one event of the stream; unpacking does not count again."""
        layer, status = event.get("id", ""), event.get("status", "")
        detail = event.get("progressDetail") or {}
        if status == "Downloading" and (total := detail.get("total")):
            self._total[layer] = total
            self._done[layer] = detail.get("current", 0)
        elif status in ("Download complete", "Pull complete") and layer in self._total:
            self._done[layer] = self._total[layer]

    def phase(self) -> Phase:
        """Return where the pull stands, over the layers that the registry has named so far."""
        if not self._total:
            return Phase(name="pulling")
        return Phase(
            name="pulling",
            done_bytes=sum(self._done.values()),
            total_bytes=sum(self._total.values()),
        )


async def pull(
    engine: Engine, image: str, progress: Callable[[Phase], None], patience: PullPatience
) -> None:
    """Pull the image; raise ``StartFailed`` with the registry's words when that can't be.

    A missing image or a refused login ends it at once. What may pass (network, 5xx) is
    tried again, then it is the node's fault. Cancelling ends the pull at the engine.
    """
    progress(Phase(name="pulling"))
    try:
        async with asyncio.timeout(patience.total_s):
            await _try_until_pulled(engine, image, progress, patience)
    except TimeoutError:
        words = f"image {image}: the pull took longer than {patience.total_s:g} s"
        raise StartFailed(words, code="image_unreachable", fault="node") from None


async def _try_until_pulled(
    engine: Engine, image: str, progress: Callable[[Phase], None], patience: PullPatience
) -> None:
    words = ""
    for attempt in range(patience.tries):
        if attempt:
            await asyncio.sleep(patience.backoff_s * 2 ** (attempt - 1))
        try:
            return await _pull_once(engine, image, progress, patience.idle_s)
        except DockerError as error:
            words = error.message
            if failure := pull_failed(image, words, status=error.status or None):
                raise failure from error
        except EngineAway as error:
            words = error.sentence
    raise StartFailed(f"image {image}: {words.strip()}", code="image_unreachable", fault="node")


async def _pull_once(
    engine: Engine, image: str, progress: Callable[[Phase], None], idle_s: float
) -> None:
    repository, tag = split_reference(image)
    params = {"fromImage": repository, "tag": tag}
    sums, now = PullProgress(), asyncio.get_running_loop().time
    told, told_at = Phase(name="pulling"), 0.0
    # The answer's head comes only with the registry's first word: silence has its own clock.
    try:
        async with (
            asyncio.timeout(idle_s) as silence,
            engine.stream("POST", "images/create", params=params) as response,
        ):
            async for line in response.content:
                silence.reschedule(now() + idle_s)
                sums.take(_event(line))
                phase = sums.phase()
                if phase.total_bytes != told.total_bytes or now() - told_at >= REPORT_EVERY_S:
                    told, told_at = phase, now()
                    progress(phase)
    except TimeoutError:
        words = f"image {image}: the registry was silent for {idle_s:g} s"
        raise StartFailed(words, code="image_unreachable", fault="node") from None


def _event(line: bytes) -> dict[str, Any]:
    event: dict[str, Any] = json.loads(line) if line.strip() else {}
    if words := event.get("error"):
        raise DockerError(0, str(words))
    return event
