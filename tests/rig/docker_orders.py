"""Orders for a container engine, and what a test does with an attempt from start to end."""

import asyncio
from collections.abc import Mapping
from contextlib import aclosing
from pathlib import Path
from typing import Final

import msgspec

from eaas.ids import JobNumber, JobUid, new_uid
from eaas_agent.runtimes.docker import DockerRuntime
from eaas_agent.runtimes.docker_pull import PullPatience
from eaas_agent.runtimes.port import AttemptKey, CardSlot, Exit, Phase, RunOrder, Started, Stream

QUICK: Final = PullPatience(idle_s=1.0, total_s=20.0, tries=2, backoff_s=0.01)
DEADLINE_S: Final = 30.0


def an_order(
    image: str | None,
    command: tuple[str, ...] | str | None,
    workspace: Path,
    *,
    env: Mapping[str, str] | None = None,
    cards: tuple[CardSlot, ...] = (),
    memory_mib: int | None = None,
    run_as: str | None = None,
    workdir: str | None = None,
    digest: str | None = None,
) -> RunOrder:
    """Return an order for the first attempt of a new job."""
    uid = JobUid(new_uid())
    return RunOrder(
        key=AttemptKey(uid, 1),
        number=JobNumber(int(uid[-6:], 16)),
        epoch=1,
        image=image,
        image_digest=digest,
        command=command,
        env=dict(env or {}),
        cards=cards,
        memory_mib=memory_mib,
        workspace=workspace,
        workdir=workdir,
        run_as=run_as,
    )


class Outcome(msgspec.Struct, frozen=True):
    """All that an attempt left."""

    exit: Exit
    stdout: bytes
    stderr: bytes


def ignore_phase(phase: Phase) -> None:
    """Take no note of the progress."""


async def started(runtime: DockerRuntime, order: RunOrder) -> Started:
    """Start the attempt; its progress interests nobody."""
    async with asyncio.timeout(DEADLINE_S):
        return await runtime.start(order, ignore_phase)


async def read_log(
    runtime: DockerRuntime,
    key: AttemptKey,
    handle: str,
    *,
    stdout_from: int = 0,
    stderr_from: int = 0,
) -> dict[Stream, bytes]:
    """Read both streams to their end, checking that the offsets leave no gap."""
    begin: dict[Stream, int] = {"stdout": stdout_from, "stderr": stderr_from}
    read: dict[Stream, bytearray] = {"stdout": bytearray(), "stderr": bytearray()}
    pieces = runtime.log(key, handle, stdout_from=stdout_from, stderr_from=stderr_from)
    async with asyncio.timeout(DEADLINE_S), aclosing(pieces):
        async for piece in pieces:
            assert piece.offset == begin[piece.stream] + len(read[piece.stream])
            read[piece.stream] += piece.data
    return {stream: bytes(data) for stream, data in read.items()}


async def run(runtime: DockerRuntime, order: RunOrder) -> Outcome:
    """Start the attempt and see it to its end, then delete it."""
    handle = (await started(runtime, order)).handle
    log = await read_log(runtime, order.key, handle)
    async with asyncio.timeout(DEADLINE_S):
        end = await runtime.wait(order.key, handle)
        await runtime.remove(order.key, handle)
    return Outcome(end, log["stdout"], log["stderr"])
