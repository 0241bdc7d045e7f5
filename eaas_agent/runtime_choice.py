"""Which runtime this agent uses, decided once and never switched while attempts are alive."""

import asyncio
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final, Literal

import msgspec

from eaas_agent.runtimes.port import Runtime, RuntimeState
from eaas_agent.runtimes.process import ProcessRuntime
from eaas_agent.settings import RuntimeKind

PROBE_WITHIN_S: Final = 5.0
DOCKER_SOCKET: Final = Path("/var/run/docker.sock")

Kind = Literal["docker", "process"]


class Chosen(msgspec.Struct, frozen=True, kw_only=True):
    """The runtime, and how it was found."""

    runtime: Runtime
    kind: Kind
    state: RuntimeState

    def inside(self, workspace: Path) -> str:
        """Return where a job sees its workspace."""
        return "/workspace" if self.kind == "docker" else str(workspace)


class Makers(msgspec.Struct, frozen=True):
    """How to construct each runtime."""

    docker: Callable[[], Runtime]
    process: Callable[[], Runtime]


def makers(
    state_dir: Path,
    agent_id: str,
    environ: Mapping[str, str],
    mirror: str | None = None,
    *,
    network: str | None = None,
) -> Makers:
    """Return the real runtimes' constructors; the engine's library is loaded only when used."""

    def docker() -> Runtime:
        from eaas_agent.runtimes.docker import DockerRuntime
        from eaas_agent.runtimes.docker_engine import find_socket

        socket = find_socket(environ) or DOCKER_SOCKET
        return DockerRuntime(socket, agent_id, network, mirror=mirror)

    return Makers(docker, lambda: ProcessRuntime(state_dir, agent_id))


async def choose(wanted: RuntimeKind, make: Makers, *, bound_to: str | None) -> Chosen:
    """Return the runtime to use.

    ``bound_to`` is the kind that live attempts of an earlier life run on; ``auto`` keeps to it
    even if its engine is away now. Otherwise ``auto`` takes docker when an engine answers.
    """
    if wanted == "auto" and bound_to in ("docker", "process"):
        wanted = "docker" if bound_to == "docker" else "process"
    if wanted in ("docker", "auto"):
        docker = make.docker()
        state = await probe(docker, "docker")
        if wanted == "docker" or state.fault is None:
            return Chosen(runtime=docker, kind="docker", state=state)
        await docker.close()
    process = make.process()
    return Chosen(runtime=process, kind="process", state=await probe(process, "process"))


async def probe(runtime: Runtime, kind: Kind) -> RuntimeState:
    """Return the runtime's state; one that does not answer in time is faulty."""
    try:
        async with asyncio.timeout(PROBE_WITHIN_S):
            return await runtime.probe()
    except TimeoutError:
        fault = f"the container engine does not answer within {PROBE_WITHIN_S:.0f} s"
        return RuntimeState(kind=kind, engine=None, fault=fault)
