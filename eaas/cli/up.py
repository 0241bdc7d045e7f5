"""``up``: a whole pool on this machine, and how to go on."""

import asyncio
import os
import re
import socket
import subprocess
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Final

import click
import msgspec

from eaas.cli.draw_up import up_picture
from eaas.cli.group import Command
from eaas.cli.line import Line, prints
from eaas.cli.processes import (
    DEMO,
    DidNotStart,
    check_alive,
    one_at_a_time,
    programs,
    running,
    start,
)
from eaas.client import Address, Client
from eaas.errors import NotFound, Unreachable
from eaas.ids import is_name
from eaas.lifecycle import NodeState
from eaas.node_views import NodeView
from eaas.paths import Paths, paths_from
from eaas.settings.files import settings_file
from eaas.views import StatusView

START_S: Final = 60.0
BACK_S: Final = 5.0
"""How long agents of this host may take to find a controller that was started again."""
AGENT: Final = "agent-"

LOOK_EVERY_S: Final = 0.05
"""A socket that is not there yet can't be awaited, so it is looked for."""

DEFAULT_POOL: Final = "default"
DEMO_POOL: Final = "demo"
DEMO_CPUS: Final = 16
"""A demo's node has enough for all its cards, however small this machine is."""

DEMO_AGENTS: Final[Mapping[str, str]] = {"demo-a": "2x24GiB", "demo-b": "4x48GiB"}
"""Agents of a demo, each with its simulated cards."""
RUNTIMES: Final = ("auto", "docker", "process")


class Pool(msgspec.Struct, frozen=True, kw_only=True):
    """What runs on this machine after ``up``; the answer of ``up -o json``."""

    home: str
    socket: str
    logs: str
    controller: StatusView
    nodes: list[NodeView]
    started: list[str]
    """The programs that this ``up`` started; empty when all ran already."""


class Wanted(msgspec.Struct, frozen=True, kw_only=True):
    """What to bring up."""

    name: str
    port: int | None
    runtime: str
    simulate: str | None
    demo: bool
    cpus: int | None = None
    """What the node offers; None for as many as the machine has."""


@click.command(cls=Command)
@click.option("--demo", is_flag=True, help="Add two agents with simulated cards, and jobs.")
@click.option("--headless", is_flag=True, help="Only start the programs, never a console.")
@click.option("--port", type=click.IntRange(0, 65535), help="The controller's TCP port.")
@click.option("--name", metavar="NODE", help="This machine's node name (default: its host name).")
@click.option("--runtime", type=click.Choice(RUNTIMES), default="auto", help="How jobs run here.")
@click.option("--simulate", metavar="2x24GiB", help="Pretend that this node has such cards.")
@prints
def up(
    line: Line,
    demo: bool,
    headless: bool,
    port: int | None,
    name: str | None,
    runtime: str,
    simulate: str | None,
) -> None:
    """Start a whole pool on this machine.

    A controller and an agent, apart from this terminal, and a pool `default` with this machine
    in it. What runs already is left alone.
    """
    if name is not None and not is_name(name):
        raise click.UsageError(f"{name} is no node name: lower case, digits and . _ - inside")
    wanted = Wanted(
        name=name or host_name(socket.gethostname()),
        port=port,
        runtime=runtime,
        simulate=simulate,
        demo=demo,
    )
    paths = paths_from(os.environ)
    with one_at_a_time(paths):
        pool = asyncio.run(bring_up(paths, wanted, os.environ))
    line.out.answer(pool, lambda: up_picture(pool))
    for remark in too_late(wanted, pool.started):
        line.out.remark(remark)


def too_late(wanted: Wanted, started: Sequence[str]) -> list[str]:
    """Return a sentence for each option whose program ran already and did not hear of it."""
    agent = f"agent-{wanted.name}"
    asked = (
        ("--simulate", wanted.simulate is not None, agent),
        ("--runtime", wanted.runtime != "auto", agent),
        ("--port", wanted.port is not None, "controller"),
    )
    return [
        f"{option} changed nothing, as {program} ran already: mini-eaas down, then up again"
        for option, is_asked, program in asked
        if is_asked and program not in started
    ]


async def bring_up(paths: Paths, wanted: Wanted, environ: Mapping[str, str]) -> Pool:
    """Start what does not run yet, wait until it is of use, and return what there is."""
    started: list[str] = []
    async with Client(Address(socket=paths.socket)) as client:
        await _controller(client, paths, wanted, environ, started)
        await _agent(client, paths, wanted, environ, started)
        await _make_pool(client, DEFAULT_POOL, [wanted.name])
        if wanted.demo:
            await _demo(client, paths, environ, started)
        return Pool(
            home=str(paths.home),
            socket=str(paths.socket),
            logs=str(paths.logs),
            controller=await client.status(),
            nodes=await _nodes_back(client, paths),
            started=started,
        )


async def _nodes_back(client: Client, paths: Paths) -> list[NodeView]:
    """Return the nodes once those whose agents run here are back, or after a while without them.

    After a controller was killed its agents need a moment until they try it again.
    """
    here = {name.removeprefix(AGENT) for name in programs(paths) if name.startswith(AGENT)}
    deadline = time.monotonic() + BACK_S
    while True:
        nodes = await client.nodes()
        away = any(node.state == NodeState.OFFLINE and node.name in here for node in nodes)
        if not away or time.monotonic() > deadline:
            return nodes
        await asyncio.sleep(LOOK_EVERY_S)


def host_name(host: str) -> str:
    """Return the machine's name as a node may be called."""
    short = host.partition(".")[0].lower()
    name = re.sub(r"[^a-z0-9._-]+", "-", short)[:63].strip("._-")
    return name or "node"


async def _controller(
    client: Client,
    paths: Paths,
    wanted: Wanted,
    environ: Mapping[str, str],
    started: list[str],
) -> None:
    async def answers() -> bool:
        try:
            await client.status()
        except Unreachable:
            return False
        return True

    if await answers():
        return
    process = None
    if running(paths, "controller") is None:
        args = ["run", *_settings_file("controller", environ)]
        args += [] if wanted.port is None else ["--port", str(wanted.port)]
        process = start(paths, "controller", "eaas_daemon", args, environ)
        started.append("controller")
    await _until(answers, paths, "controller", process)


async def _agent(
    client: Client,
    paths: Paths,
    wanted: Wanted,
    environ: Mapping[str, str],
    started: list[str],
) -> None:
    async def is_there() -> bool:
        try:
            return (await client.node(wanted.name)).state != NodeState.OFFLINE
        except NotFound:
            return False

    program = f"agent-{wanted.name}"
    process = None
    if running(paths, program) is None:
        if await is_there():
            return  # started by other means, such as systemd
        args = ["--name", wanted.name, "--state-dir", str(paths.agent_state(wanted.name))]
        args += _settings_file("agent", environ)
        args += [] if wanted.runtime == "auto" else ["--runtime", wanted.runtime]
        args += [] if wanted.simulate is None else ["--simulate", wanted.simulate]
        args += [] if wanted.cpus is None else ["--cpus", str(wanted.cpus)]
        process = start(paths, program, "eaas_agent", ["run", *args], environ)
        started.append(program)
    await _until(is_there, paths, program, process)


def _settings_file(program: str, environ: Mapping[str, str]) -> list[str]:
    """Return the option for the file that is read here: the program itself is given a home."""
    file = settings_file(program, environ)
    return [] if file is None else ["--config", str(file)]


async def _make_pool(client: Client, pool: str, nodes: list[str]) -> None:
    """Make the pool with these nodes, or fill one that a cut-off ``up`` left empty."""
    pools = {view.name: view for view in await client.pools()}
    if pool not in pools:
        if pool == DEFAULT_POOL and pools.keys() - {DEMO_POOL}:
            return  # people have made their own pools; they know where this node belongs
        await client.create_pool(pool)
    elif pools[pool].nodes:
        return
    for node in nodes:
        await client.add_node(pool, node)


async def _demo(
    client: Client, paths: Paths, environ: Mapping[str, str], started: list[str]
) -> None:
    for name, cards in DEMO_AGENTS.items():
        agent = Wanted(
            name=name, port=None, runtime="process", simulate=cards, demo=False, cpus=DEMO_CPUS
        )
        await _agent(client, paths, agent, environ, started)
    await _make_pool(client, DEMO_POOL, list(DEMO_AGENTS))
    if running(paths, DEMO) is None:
        args = ["--pool", DEMO_POOL]
        process = start(paths, DEMO, "eaas.cli.demo", args, environ)
        check_alive(paths, DEMO, process)
        started.append(DEMO)


async def _until(
    holds: Callable[[], Awaitable[bool]],
    paths: Paths,
    program: str,
    process: "subprocess.Popen[bytes] | None",
) -> None:
    """Wait until the program is of use; raise ``DidNotStart`` if it ends or takes too long."""
    deadline = time.monotonic() + START_S
    while not await holds():
        check_alive(paths, program, process)
        if time.monotonic() > deadline:
            log = paths.log_file(program)
            raise DidNotStart(f"the {program} runs but is of no use after {START_S:g} s; see {log}")
        await asyncio.sleep(LOOK_EVERY_S)
