"""Agents for tests: in this process or as a real one, on plain processes, at a socket."""

import asyncio
import itertools
import os
import random
import sys
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

from eaas.client.address import Address
from eaas.ids import NodeName, new_uid
from eaas.wire.from_agent import Hello, Inventory
from eaas.wire.to_agent import Order
from eaas_agent.app import Given, serve
from eaas_agent.config import AgentConfig
from eaas_agent.machine import Machine, read_machine
from eaas_agent.runtime_choice import Makers, makers
from eaas_agent.runtimes.process import ProcessRuntime

_numbers = itertools.count(1)


def an_order(command: tuple[str, ...] | str = "true", **fields: Any) -> Order:
    """Return an order of a job of its own, unless the fields say otherwise."""
    given: dict[str, Any] = {
        "uid": new_uid(),
        "number": next(_numbers),
        "attempt": 1,
        "epoch": 1,
        "known": False,
        "user": "root",
        "cards": (),
        "command": command,
    }
    return Order(**(given | fields))


def a_config(state_dir: Path, socket: Path, **fields: Any) -> AgentConfig:
    """Return the configuration of an agent on plain processes."""
    given: dict[str, Any] = {
        "name": NodeName("node-a"),
        "state_dir": state_dir,
        "runtime": "process",
        "simulate": "1x8GiB",
        "address": Address(socket=socket),
        "cpus": 4.0,
        "labels": {},
        "mounts": (),
        "image_mirror": None,
        "log_cap_mib": None,
        "keep_s": None,
    }
    return AgentConfig(**(given | fields))


@asynccontextmanager
async def an_agent(
    state_dir: Path,
    socket: Path,
    *,
    clock: Callable[[], float] = time.time,
    machine: Callable[[], Machine] = read_machine,
    **fields: Any,
) -> AsyncIterator[None]:
    """Run an agent in this process while the block runs; its jobs run on after it."""
    given = Given(
        environ=dict(os.environ),
        rng=random.Random(1),
        clock=clock,
        machine=machine,
        runtimes=_runtimes_by(clock),
    )
    task = asyncio.create_task(serve(a_config(state_dir, socket, **fields), given))
    try:
        yield
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


def _runtimes_by(clock: Callable[[], float]) -> Callable[..., Makers]:
    """Return what makes the real runtimes, with this clock on the wall of their machine."""

    def make(state_dir: Path, agent_id: str, *more: Any) -> Makers:
        return Makers(
            makers(state_dir, agent_id, *more).docker,
            lambda: ProcessRuntime(state_dir, agent_id, wall=clock),
        )

    return make


@asynccontextmanager
async def an_agent_process(
    state_dir: Path, socket: Path
) -> AsyncIterator[asyncio.subprocess.Process]:
    """Run a real agent program, and kill it after the block if it is still there."""
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        *("-m", "eaas_agent", "run", "--name", "node-a", "--runtime", "process"),
        *("--simulate", "1x8GiB", "--state-dir", str(state_dir), "--server", str(socket)),
        stderr=asyncio.subprocess.DEVNULL,
        cwd=Path(__file__).parents[2],
    )
    try:
        yield process
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()


def a_hello(**fields: Any) -> Hello:
    """Return the greeting of an agent without cards."""
    inventory = Inventory(
        runtime="process", engine=None, cpus=4.0, memory_mib=8192, disk_free_mib=None, cards=()
    )
    given: dict[str, Any] = {
        "protocol_min": 1,
        "protocol_max": 1,
        "version": "0",
        "node": "node-a",
        "node_uid": "node-uid",
        "instance": "instance",
        "boot_id": "boot",
        "epoch": 0,
        "spool_id": "spool",
        "last_seq": 0,
        "inventory": inventory,
        "held": (),
    }
    return Hello(**(given | fields))
