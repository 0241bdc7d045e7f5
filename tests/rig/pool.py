"""A whole pool under a home of its own: real programs, real sockets, started and ended at will."""

import asyncio
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import aclosing, asynccontextmanager, suppress
from pathlib import Path
from typing import Final

import aiohttp
from aiodocker import Docker, DockerError

from eaas.client import Address, Client
from eaas.lifecycle import NodeState
from eaas.node_views import NodeView
from eaas.paths import Paths, paths_from
from eaas.views import JobView
from eaas.wire.to_client import Changes, Snapshot
from tests.rig.program import ROOT, WITHIN_S, Program

CLI: Final = Path(sys.executable).with_name("mini-eaas")
NO_ENGINE: Final = "unix:///nowhere.sock"
EIGHT_CPUS: Final = ("--cpus", "8")
"""However few this machine has: what is tried here is no matter of CPUs."""


class Installation:
    """One ``MINI_EAAS_HOME`` and the programs that run for it."""

    def __init__(self, home: Path, engine: str | None = None) -> None:
        self.home: Final = home
        self.environ: Final = {
            **{key: value for key, value in os.environ.items() if not key.startswith("MINI_EAAS_")},
            "MINI_EAAS_HOME": str(home),
            "DOCKER_HOST": engine or NO_ENGINE,
        }
        self.paths: Final[Paths] = paths_from(self.environ)
        self.agents: Final[dict[str, Program]] = {}
        self._arguments: Final[dict[str, tuple[str, ...]]] = {}
        self._controller: Program | None = None
        self._engine: Final = engine

    # --- programs

    @property
    def controller(self) -> Program:
        """The controller's process."""
        assert self._controller is not None, "start it first"
        return self._controller

    def start_controller(self, *more: str) -> None:
        """Start the controller, with more words to its line; returns when it serves."""
        line = ("run", "--port", "0", *more)
        self._controller = Program("eaas_daemon", *line, environ=self.environ)
        self._controller.await_words("listening on")

    async def add_agent(
        self,
        name: str,
        *,
        runtime: str = "process",
        simulate: str | None = None,
        environ: Mapping[str, str] | None = None,
        pool: str | None = "default",
    ) -> NodeView:
        """Start one more agent, put it into the pool, and return it once it is ready for jobs."""
        cards = () if simulate is None else ("--simulate", simulate)
        state_dir = str(self.paths.agent_state(name))
        self._arguments[name] = (
            *("run", "--name", name, "--state-dir", state_dir, "--runtime", runtime),
            *(*cards, *EIGHT_CPUS),
        )
        self.start_agent(name, environ)
        async with self.client() as client:
            if pool is not None:
                if pool not in {view.name for view in await client.pools()}:
                    await client.create_pool(pool)
                await client.add_node(pool, name)
            state = NodeState.UNASSIGNED if pool is None else NodeState.READY
            return await node_when(client, name, lambda node: node.state == state)

    def start_agent(self, name: str, environ: Mapping[str, str] | None = None) -> None:
        """Start an agent that was added, again or for the first time; returns once it is linked."""
        program = Program(
            "eaas_agent", *self._arguments[name], environ={**self.environ, **(environ or {})}
        )
        self.agents[name] = program
        program.await_words("linked to")

    # --- ways in

    def client(self) -> Client:
        """Return a client of this controller."""
        return Client(Address(socket=self.paths.socket))

    @asynccontextmanager
    async def http(self) -> AsyncIterator[aiohttp.ClientSession]:
        """Speak plain HTTP with this controller, as a script does."""
        connector = aiohttp.UnixConnector(str(self.paths.socket))
        async with aiohttp.ClientSession("http://controller", connector=connector) as session:
            yield session

    def eaas(self, *words: str, cwd: Path = ROOT) -> subprocess.CompletedProcess[bytes]:
        """Run ``mini-eaas`` and return how it ended, and every byte it wrote."""
        return subprocess.run(
            [CLI, *words], env=self.environ, cwd=cwd, capture_output=True, timeout=60
        )

    def said(self, *words: str) -> str:
        """Run ``mini-eaas``, see that it succeeds, and return its stdout."""
        done = self.eaas(*words)
        assert done.returncode == 0, done.stderr.decode()
        return done.stdout.decode()

    def workspace(self, job: JobView) -> Path:
        """Return where this host has the workspace of a job that was placed."""
        assert job.node is not None, "a job without a node has none"
        return self.paths.agent_state(job.node) / "workspaces" / job.uid

    # --- the end

    async def close(self) -> None:
        """End everything: programs, jobs, containers; then remove the home."""
        nodes = await self._cancel_all()
        for program in (*self.agents.values(), self._controller):
            if program is not None:
                program.kill()
        for pid in self.processes():
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        if self._engine is not None:
            await _remove_containers(self._engine, nodes)
        shutil.rmtree(self.home, ignore_errors=True)

    def processes(self) -> list[int]:
        """Return every process that has this home in its environment: programs, shims, jobs."""
        mark = os.fsencode(self.home) + b"/"
        return [int(proc.name) for proc in Path("/proc").glob("[0-9]*") if mark in _environ(proc)]

    async def _cancel_all(self) -> list[str]:
        """Cancel what still waits or runs, if the controller is there; return the nodes' uids."""
        with suppress(Exception):
            async with asyncio.timeout(WITHIN_S), self.client() as client:
                ids = [job.id async for job in client.each_job()]
                for id in ids:
                    await client.cancel(id, grace_s=0)
                nodes = await client.nodes()
                if all(node.state != NodeState.OFFLINE for node in nodes):
                    await client.wait(*ids)
                return [node.uid for node in nodes]
        return []


@asynccontextmanager
async def an_installation(engine: str | None = None) -> AsyncIterator[Installation]:
    """Yield an empty installation whose programs are still to be started."""
    installation = Installation(Path(tempfile.mkdtemp(prefix="eaas-e2e-")), engine)
    try:
        yield installation
    finally:
        await installation.close()


async def node_when(client: Client, name: str, holds: Callable[[NodeView], bool]) -> NodeView:
    """Return the node as soon as ``holds`` says yes to it."""
    async with asyncio.timeout(WITHIN_S), aclosing(client.stream()) as frames:
        async for frame in frames:
            if isinstance(frame, Snapshot | Changes):
                for node in frame.nodes:
                    if node.name == name and holds(node):
                        return node
    raise AssertionError("the stream goes on for ever")


def _environ(proc: Path) -> bytes:
    try:
        return (proc / "environ").read_bytes().replace(b"\0", b"/\0") + b"/"
    except OSError:
        return b""


async def _remove_containers(engine: str, nodes: list[str]) -> None:
    async with Docker(engine) as docker:
        for node in nodes:
            filters = {"label": [f"eaas.agent={node}"]}
            for container in await docker.containers.list(all=True, filters=filters):
                with suppress(DockerError):  # its agent was about to do the same
                    await container.delete(force=True, v=True)
