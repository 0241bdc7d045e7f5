"""Real cards: readings from a child process that alone talks to NVIDIA's driver.

The child is spawned, never forked, and replaced when it crashes, hangs, misses a card or meets a
driver that is not there (yet). What it last said stands until it is too old to be believed.
"""

import asyncio
import logging
import sys
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Final, Literal

import msgspec

from eaas_agent.cards.nvml_reading import Sample
from eaas_agent.cards.port import CardsPicture

log = logging.getLogger(__name__)

LINE_LIMIT: Final = 4 * 1024 * 1024
"""Bytes of one sample; a node with thousands of processes on its cards stays below it."""

Ending = Literal["crashed", "hung", "told"]
"""How a child ended: with an error, killed for its silence, or after saying all it could."""


class Patience(msgspec.Struct, frozen=True, kw_only=True):
    """How long to wait for what, in seconds."""

    period_s: float = 1.0
    start_s: float = 10.0
    """For a first sample; doubled after each child that never gave one, up to ``retry_s``."""
    silence_s: float = 5.0
    """Between two samples; then the child is killed."""
    retry_s: float = 60.0
    """Until the next try when there is no driver or it refuses."""
    respawn_s: float = 0.5
    """Before a crashed child's successor; doubled with each early crash, up to ``retry_s``."""


class NvmlCards:
    """Cards as NVIDIA's driver shows them; ``close`` ends the child and the task that minds it."""

    def __init__(
        self,
        *,
        env: Mapping[str, str],
        patience: Patience | None = None,
        clock: Callable[[], float] = time.time,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        """``env`` is the child's; ``clock`` gives Unix seconds, ``monotonic`` ages the readings."""
        self._env = dict(env)
        self._patience = patience or Patience()
        self._monotonic = monotonic
        self._last = Sample(
            picture=CardsPicture(
                state="unknown", text="the NVIDIA driver has not answered yet", sampled_at=clock()
            )
        )
        self._taken_at = monotonic()
        self._news = asyncio.Event()
        self._minder: asyncio.Task[None] | None = None

    async def start(self) -> CardsPicture:
        """Spawn the first child; return its picture, ``unknown`` when it takes over 10 s."""
        news = self._news
        self._minder = asyncio.create_task(self._mind(), name="nvml")
        with suppress(TimeoutError):
            async with asyncio.timeout(self._patience.start_s):
                await news.wait()
        return self.picture()

    def picture(self) -> CardsPicture:
        """Return the newest picture; ``unknown``, cards and all, when it is too old."""
        picture = self._last.picture
        age_s = self._monotonic() - self._taken_at
        if picture.state != "ok" or age_s <= 3 * self._patience.period_s:
            return picture
        text = f"the NVIDIA driver has not answered for {age_s:.0f} s"
        return msgspec.structs.replace(picture, state="unknown", text=text)

    async def changed(self) -> CardsPicture:
        """Wait for the next sample, or for the moment it is missed; return the picture."""
        await self._news.wait()
        return self.picture()

    async def close(self) -> None:
        """End the child; one that the kernel can't end is left behind after 5 s."""
        if self._minder is None:
            return
        self._minder.cancel()
        await asyncio.wait([self._minder], timeout=5.0)
        self._minder = None

    async def _mind(self) -> None:
        """Run one child after the other, each a little later when the one before failed early."""
        crashes, silences = 0, 0
        while True:
            began = self._monotonic()
            try:
                ending = await self._run_child(
                    min(
                        self._patience.start_s * 2.0**silences,
                        max(self._patience.retry_s, self._patience.start_s),
                    )
                )
            except Exception:
                log.exception("the process that reads the cards could not be run")
                ending = "crashed"
            answered = self._taken_at >= began
            settled = self._monotonic() - began > self._patience.retry_s
            silences = silences + 1 if ending == "hung" and not answered else 0
            crashes = 0 if settled else crashes + 1 if ending == "crashed" else crashes
            await asyncio.sleep(self._pause_s(ending, crashes))

    def _pause_s(self, ending: Ending, crashes: int) -> float:
        if ending == "told":
            return 0.0 if self._last.picture.state == "ok" else self._patience.retry_s
        return min(self._patience.respawn_s * 2.0 ** max(0, crashes - 1), self._patience.retry_s)

    async def _run_child(self, grace_s: float) -> Ending:
        """Run one child to its end; ``grace_s`` is for its first sample."""
        child = await self._spawn()
        try:
            code = await self._follow(child, grace_s)
        finally:
            await _end(child)
        if code is None:
            self._say_unknown(
                "the NVIDIA driver does not answer; it is asked anew by a fresh process"
            )
            return "hung"
        if code:
            log.warning(
                "the process that reads the cards ended with %s; a new one is started", code
            )
            if self._last.picture.state != "ok":
                self._say_unknown("the NVIDIA driver crashes the process that reads it")
        return "crashed" if code else "told"

    async def _spawn(self) -> asyncio.subprocess.Process:
        root = str(Path(__file__).parents[2])
        python_path = ":".join(filter(None, (root, self._env.get("PYTHONPATH"))))
        memory = msgspec.structs.replace(
            self._last,
            picture=CardsPicture(state="unknown", sampled_at=self._last.picture.sampled_at),
        )
        return await asyncio.create_subprocess_exec(
            sys.executable,
            "-P",  # the working folder is not the agent's own, so nothing is imported from it
            "-m",
            "eaas_agent.cards.nvml_child",
            str(self._patience.period_s),
            msgspec.json.encode(memory).decode(),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            env={**self._env, "PYTHONPATH": python_path},
            limit=LINE_LIMIT,
            start_new_session=True,  # Ctrl-C in the agent's terminal is the agent's to handle
        )

    async def _follow(self, child: asyncio.subprocess.Process, grace_s: float) -> int | None:
        """Take samples until the child ends; return its exit code, or None when it falls silent."""
        assert child.stdout is not None
        stale_s, limit_s = grace_s, grace_s
        while line := await self._line(child.stdout, stale_s, limit_s):
            self._take(msgspec.json.decode(line, type=Sample))
            limit_s = self._patience.silence_s
            stale_s = min(3 * self._patience.period_s, limit_s)
        if line is None:
            return None
        with suppress(TimeoutError):
            async with asyncio.timeout(limit_s):
                return await child.wait()
        return None

    async def _line(
        self, stdout: asyncio.StreamReader, stale_s: float, limit_s: float
    ) -> bytes | None:
        """Return the next line, b"" at the end, None after ``limit_s``; wake all at ``stale_s``."""
        with suppress(TimeoutError):
            async with asyncio.timeout(stale_s):
                return await stdout.readline()
        self._give_word()
        with suppress(TimeoutError):
            async with asyncio.timeout(limit_s - stale_s):
                return await stdout.readline()
        return None

    def _take(self, sample: Sample) -> None:
        """Make the sample the newest; cards that it lacks stay listed, as unknown."""
        if sample.picture.state == "ok" or not self._last.picture.cards:
            self._last = sample
        else:
            self._say_unknown(sample.picture.text)
        self._taken_at = self._monotonic()
        self._give_word()

    def _say_unknown(self, text: str | None) -> None:
        picture = msgspec.structs.replace(self._last.picture, state="unknown", text=text)
        self._last = msgspec.structs.replace(self._last, picture=picture)
        self._give_word()

    def _give_word(self) -> None:
        self._news.set()
        self._news = asyncio.Event()


async def _end(child: asyncio.subprocess.Process) -> None:
    """Kill the child if it lives and collect it, so that neither a zombie nor a pipe is left."""
    assert child.stdin is not None
    assert child.stdout is not None
    child.stdin.close()
    with suppress(ProcessLookupError):
        child.kill()
    await child.stdout.read()
    await child.wait()
