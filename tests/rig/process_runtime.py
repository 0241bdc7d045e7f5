"""Short ways to run orders as processes and to see what came of them."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path

from eaas_agent.runtimes.port import AttemptKey, Exit, RunOrder, Started, Stream
from eaas_agent.runtimes.process import ProcessRuntime
from tests.rig.process_orders import ignore_phase


@asynccontextmanager
async def a_runtime(state_dir: Path) -> AsyncIterator[ProcessRuntime]:
    """Yield a runtime; nothing that it started outlives the block."""
    runtime = ProcessRuntime(state_dir, "agent-1")
    yield runtime
    for found in await runtime.find():
        await runtime.remove(found.key, found.handle)
    await runtime.close()


async def started(runtime: ProcessRuntime, order: RunOrder) -> Started:
    """Start the order."""
    return await runtime.start(order, ignore_phase)


async def run(runtime: ProcessRuntime, order: RunOrder) -> Exit:
    """Run the order and return how it ended."""
    return await runtime.wait(order.key, (await started(runtime, order)).handle)


async def read(
    runtime: ProcessRuntime, key: AttemptKey, *, stdout_from: int = 0, stderr_from: int = 0
) -> dict[Stream, bytes]:
    """Read the whole log; its offsets must be without gaps."""
    streams: dict[Stream, bytes] = {"stdout": b"", "stderr": b""}
    begins: dict[Stream, int] = {"stdout": stdout_from, "stderr": stderr_from}
    async for piece in runtime.log(key, "", stdout_from=stdout_from, stderr_from=stderr_from):
        assert piece.offset == begins[piece.stream] + len(streams[piece.stream])
        streams[piece.stream] += piece.data
    return streams


async def output(runtime: ProcessRuntime, order: RunOrder) -> bytes:
    """Run the order and return its stdout; it must end with 0 and say nothing on stderr."""
    end = await run(runtime, order)
    streams = await read(runtime, order.key)
    assert (end.exit_code, streams["stderr"]) == (0, b"")
    return streams["stdout"]


async def first_output(runtime: ProcessRuntime, key: AttemptKey) -> bytes:
    """Return the first bytes that the attempt writes."""
    async for piece in runtime.log(key, "", stdout_from=0, stderr_from=0):
        return piece.data
    raise AssertionError("it ended without a word")


async def eventually(is_true: Callable[[], bool | Awaitable[bool]]) -> None:
    """Wait for what no event tells: another process' doing."""
    async with asyncio.timeout(5):
        while True:
            answer = is_true()
            if answer if isinstance(answer, bool) else await answer:
                return
            await asyncio.sleep(0.005)


def is_alive(pid: int) -> bool:
    """Tell whether the process can still do something."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return False
    return stat.rpartition(")")[2].split()[0] not in "ZX"
