"""What a process writes, byte for byte."""

import asyncio
import hashlib
import os
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from eaas_agent.runtimes.process import ProcessRuntime
from tests.rig.process_orders import an_order
from tests.rig.process_runtime import a_runtime, first_output, read, run, started


@pytest.fixture
async def runtime(tmp_path: Path) -> AsyncIterator[ProcessRuntime]:
    async with a_runtime(tmp_path / "state") as runtime:
        yield runtime


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    path = tmp_path / "workspace"
    path.mkdir()
    return path


async def test_every_byte_value_comes_through(runtime: ProcessRuntime, workspace: Path) -> None:
    every = bytes(range(256)) * 3
    (workspace / "bytes").write_bytes(every)
    order = an_order("cat bytes; cat bytes >&2", workspace)

    await run(runtime, order)

    assert await read(runtime, order.key) == {"stdout": every, "stderr": every}


async def test_two_hundred_thousand_lines_arrive_whole_while_they_are_written(
    runtime: ProcessRuntime, workspace: Path
) -> None:
    order = an_order("seq 200000; seq 200000 | sed s/^/e/ >&2", workspace)
    await started(runtime, order)

    streams = await read(runtime, order.key)

    lines = [str(n).encode() + b"\n" for n in range(1, 200_001)]
    assert digest(streams["stdout"]) == digest(b"".join(lines))
    assert digest(streams["stderr"]) == digest(b"".join(b"e" + line for line in lines))


def digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


async def test_the_log_is_live(runtime: ProcessRuntime, workspace: Path) -> None:
    order = an_order("echo one; read line <gate; echo $line", workspace)
    os.mkfifo(workspace / "gate")
    await started(runtime, order)

    assert await first_output(runtime, order.key) == b"one\n"
    await asyncio.to_thread((workspace / "gate").write_text, "two\n")
    assert (await read(runtime, order.key))["stdout"] == b"one\ntwo\n"


async def test_the_log_goes_on_from_the_given_offsets(
    runtime: ProcessRuntime, workspace: Path
) -> None:
    order = an_order("echo abc; echo def >&2", workspace)
    await run(runtime, order)

    assert await read(runtime, order.key, stdout_from=2, stderr_from=4) == {
        "stdout": b"c\n",
        "stderr": b"",
    }


async def test_the_log_of_an_ended_attempt_does_not_wait_for_a_tick(
    runtime: ProcessRuntime, workspace: Path
) -> None:
    order = an_order("echo abc", workspace)
    await run(runtime, order)

    async with asyncio.timeout(0.15):
        assert (await read(runtime, order.key))["stdout"] == b"abc\n"


async def test_the_log_ends_at_its_cap(runtime: ProcessRuntime, workspace: Path) -> None:
    order = an_order("head -c 2000000 /dev/zero; echo end >&2", workspace, log_cap_mib=1)
    await run(runtime, order)

    streams = await read(runtime, order.key)

    assert (len(streams["stdout"]), streams["stderr"]) == (1 << 20, b"end\n")
