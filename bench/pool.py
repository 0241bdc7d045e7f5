"""A pool of the real programs in a folder of its own, and a client that adds little of its own.

The client is aiohttp without the client library: bodies are encoded once, answers are read and
not decoded unless the measurement needs them. All clients share this one process.
"""

import asyncio
import os
import socket
import tempfile
import time
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from contextlib import ExitStack, asynccontextmanager
from pathlib import Path
from typing import Any, Final

import aiohttp
import msgspec

from bench.programs import Program

POOL: Final = "bench"
READY_S: Final = 60.0
LOOK_EVERY_S: Final = 0.02
ANSWER_S: Final = 600.0
WAIT_S: Final = 30
JSON: Final = {"Content-Type": "application/json"}


class Agent(msgspec.Struct, frozen=True, kw_only=True):
    """An agent to start."""

    name: str
    cpus: int
    runtime: str = "process"
    pool: str = POOL


class Pool:
    """A controller with its agents."""

    def __init__(self, home: Path, controller: Program, agents: Sequence[Program]) -> None:
        self.home: Final = home
        self.controller: Final = controller
        self.agents: Final = agents
        self._session = aiohttp.ClientSession(
            "http://localhost",
            connector=aiohttp.UnixConnector(str(home / "controller.sock"), limit=0),
            timeout=aiohttp.ClientTimeout(total=ANSWER_S),
            skip_auto_headers=("User-Agent", "Accept", "Accept-Encoding"),
        )

    async def close(self) -> None:
        """Hang up."""
        await self._session.close()

    async def post(self, path: str, body: bytes) -> bytes:
        """Send the body and return the answer; raise for a refusal."""
        async with self._session.post(path, data=body, headers=JSON) as response:
            answer = await response.read()
        if response.status >= 300:
            raise RuntimeError(f"{path}: {answer.decode()}")
        return answer

    async def get(self, path: str) -> bytes:
        """Return the answer; raise for a refusal."""
        async with self._session.get(path) as response:
            answer = await response.read()
        if response.status >= 300:
            raise RuntimeError(f"{path}: {answer.decode()}")
        return answer

    async def put(self, path: str) -> None:
        """Let it be so."""
        async with self._session.put(path) as response:
            answer = await response.read()
        if response.status >= 300:
            raise RuntimeError(f"{path}: {answer.decode()}")

    async def submit(self, fields: dict[str, Any]) -> int:
        """Submit one job and return its number."""
        answer = await self.post("/api/v1/jobs", msgspec.json.encode(fields))
        return int(msgspec.json.decode(answer)["id"])

    async def ended(self, numbers: Iterable[int]) -> None:
        """Wait until the first attempts of these jobs are over, by their logs' ends.

        Nobody follows the stream for that: what is measured draws no pictures.
        """
        async with asyncio.TaskGroup() as tasks:
            for number in numbers:
                tasks.create_task(self._ended(number))

    async def _ended(self, number: int) -> None:
        path = f"/api/v1/jobs/{number}/attempts/1/log?wait_s={WAIT_S}&offset=0"
        while True:
            async with self._session.get(path) as response:
                await response.read()
            if response.headers["X-Log-Complete"] == "1":
                return

    async def cancel(self, number: int) -> None:
        """End a job at once and see it gone."""
        await self.post(f"/api/v1/jobs/{number}/cancel", b'{"grace_s": 0}')
        await self.ended([number])


@asynccontextmanager
async def a_pool(*wanted: Agent, environ: Mapping[str, str] = os.environ) -> AsyncIterator[Pool]:
    """Start a controller and these agents, each in its pool; stop and delete all of it after."""
    with ExitStack() as stack:
        home = Path(
            stack.enter_context(
                tempfile.TemporaryDirectory(prefix="eaas-bench-", ignore_cleanup_errors=True)
            )
        )
        env = {**environ, "MINI_EAAS_HOME": str(home)}
        log = home / "controller.log"
        controller = Program("eaas_daemon", ["run", "--port", "0"], log=log, env=env)
        stack.callback(controller.stop)
        await _until(controller, lambda: _is_answered(home / "controller.sock"))
        agents = []
        for agent in wanted:
            args = ["run", "--name", agent.name, "--runtime", agent.runtime]
            args += ["--cpus", str(agent.cpus), "--state-dir", str(home / agent.name)]
            program = Program("eaas_agent", args, log=home / f"{agent.name}.log", env=env)
            stack.callback(program.stop)
            agents.append(program)
        pool = Pool(home, controller, agents)
        try:
            for agent, program in zip(wanted, agents, strict=True):
                await _join(pool, agent, program)
            yield pool
        finally:
            await pool.close()


async def _join(pool: Pool, agent: Agent, program: Program) -> None:
    log = pool.home / f"{agent.name}.log"
    await _until(program, lambda: "linked to" in log.read_text(errors="replace"))
    listed = msgspec.json.decode(await pool.get("/api/v1/pools"))["items"]
    if agent.pool not in [each["name"] for each in listed]:
        await pool.post("/api/v1/pools", msgspec.json.encode({"name": agent.pool}))
    path = f"/api/v1/pools/{agent.pool}/nodes/{agent.name}"
    deadline = time.monotonic() + READY_S
    while True:
        try:
            return await pool.put(path)
        except RuntimeError:  # said hello, and the greeting is being stored
            if time.monotonic() > deadline:
                raise
            await asyncio.sleep(LOOK_EVERY_S)


def _is_answered(path: Path) -> bool:
    """Tell whether somebody listens: the file is there a moment before."""
    with socket.socket(socket.AF_UNIX) as caller:
        return caller.connect_ex(str(path)) == 0


async def _until(program: Program, holds: Any) -> None:
    """Look until it holds; none of this is timed."""
    deadline = time.monotonic() + READY_S
    while not holds():
        program.check()
        if time.monotonic() > deadline:
            raise TimeoutError("a program runs but is of no use")
        await asyncio.sleep(LOOK_EVERY_S)
