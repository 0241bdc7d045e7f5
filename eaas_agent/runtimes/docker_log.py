"""Follows an attempt's log byte for byte, through cut connections and restarts of the engine.

aiodocker's own ``log()`` drops bytes, mixes the streams and leaks its connection when
broken off, so the engine's stream is read here as it comes.
"""

from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from datetime import datetime
from typing import Final

import msgspec
from aiodocker import DockerError

from eaas_agent.runtimes.docker_end import Backoff, has_ended
from eaas_agent.runtimes.docker_engine import Engine, EngineAway
from eaas_agent.runtimes.docker_frames import Tape
from eaas_agent.runtimes.port import LogBytes

SILENCE_S: Final = 600.0
"""Old followers go silent at a rotation [moby#37646]; asking again scans the whole file."""
CLOCK_STEP_S: Final = 0.5


class LogClocks(msgspec.Struct, frozen=True):
    """What tells that the wall clock was set back while a log was followed."""

    wall: Callable[[], float]
    monotonic: Callable[[], float]

    def lead_s(self) -> float:
        """Return wall time minus running time: a constant, until somebody sets the clock."""
        return self.wall() - self.monotonic()


class LogFollower:
    """One reading of one attempt's log, in as many passes over the engine's file as it takes."""

    def __init__(
        self,
        engine: Engine,
        handle: str,
        *,
        stdout_from: int,
        stderr_from: int,
        clocks: LogClocks,
        is_over: bool = False,
    ) -> None:
        """``is_over``: the engine has said so; one pass then reads everything."""
        self._engine = engine
        self._path = f"containers/{handle}"
        self._tape = Tape(stdout_from=stdout_from, stderr_from=stderr_from)
        self._clocks = clocks
        self._lead_s = clocks.lead_s()
        self._backoff = Backoff()
        self._follow = not is_over
        self._since = ""

    async def pieces(self) -> AsyncGenerator[LogBytes, None]:
        """Yield both streams until the attempt has ended and all was read, or it is gone.

        Leave it with ``aclosing``: only then does the engine stop sending.
        """
        while True:
            try:
                async with aclosing(self._one_pass()) as one_pass:
                    async for piece in one_pass:
                        yield piece
                if await self._read_all():
                    break
            except EngineAway:
                await self._backoff.wait()
            except DockerError as error:
                if error.status == 404:
                    return
                await self._backoff.wait()
            self._rewind()
        for piece in self._tape.finish(drops_newlines=(await self._engine.facts()).drops_newlines):
            yield piece

    async def _one_pass(self) -> AsyncGenerator[LogBytes, None]:
        params = _params(follow=self._follow, since=self._since)
        async with self._engine.stream(
            "GET", f"{self._path}/logs", params=params, idle_s=SILENCE_S
        ) as response:
            async for chunk in response.content.iter_any():
                self._backoff.reset()
                for piece in self._tape.feed(chunk):
                    yield piece

    async def _read_all(self) -> bool:
        """Tell whether the finished pass saw everything; decide how the next one reads.

        A follower that was there when the container ended may have been cut at that
        moment, so one more pass reads the rest without following. The end's own time does
        not help: the engine goes on writing for a moment after it, until it calls it ended.
        """
        if not self._follow:
            return True
        end = await self._engine.call("GET", f"{self._path}/json")
        if not has_ended(end):
            await self._backoff.wait()
            return False
        self._follow = False
        return False

    def _rewind(self) -> None:
        clock_was_set_back = self._clocks.lead_s() < self._lead_s - CLOCK_STEP_S
        self._since = _second_before(self._tape.rewind(to_stamp=not clock_was_set_back))


def _params(*, follow: bool, since: str) -> dict[str, str]:
    params = {"stdout": "1", "stderr": "1", "timestamps": "1", "follow": "1" if follow else "0"}
    return params | ({"since": since} if since else {})


def _second_before(stamp: bytes) -> str:
    """Return the engine's ``since`` for one second before a frame's stamp; empty for no stamp."""
    if not stamp:
        return ""
    seconds = int(datetime.fromisoformat(f"{stamp[:19].decode()}+00:00").timestamp()) - 1
    return f"{seconds}.{stamp[20:29].decode()}"
