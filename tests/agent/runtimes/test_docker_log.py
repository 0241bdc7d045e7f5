"""The log, byte for byte: by hash, through cuts, from the middle."""

import asyncio
import hashlib
from contextlib import aclosing
from pathlib import Path

import pytest
from aiodocker import Docker

from eaas_agent.runtimes.docker import DockerRuntime
from eaas_agent.runtimes.port import LogBytes
from tests.rig.docker_orders import an_order, read_log, run, started
from tests.rig.engine import PrivateEngine
from tests.rig.images import import_busybox

pytestmark = pytest.mark.docker


def numbers(count: int) -> bytes:
    return b"".join(b"%d\n" % number for number in range(1, count + 1))


async def test_two_hundred_thousand_lines_come_unchanged(
    docker_runtime: DockerRuntime, busybox: str, workspace: Path
) -> None:
    outcome = await run(docker_runtime, an_order(busybox, ("seq", "200000"), workspace))

    assert hashlib.sha256(outcome.stdout).digest() == hashlib.sha256(numbers(200_000)).digest()


async def test_a_log_first_read_when_the_end_was_told_is_whole(
    docker_runtime: DockerRuntime, busybox: str, workspace: Path
) -> None:
    order = an_order(busybox, ("seq", "200000"), workspace)
    handle = (await started(docker_runtime, order)).handle
    await docker_runtime.wait(order.key, handle)

    log = await read_log(docker_runtime, order.key, handle)

    assert hashlib.sha256(log["stdout"]).digest() == hashlib.sha256(numbers(200_000)).digest()


async def test_every_byte_there_is_comes_unchanged(
    docker_runtime: DockerRuntime, busybox: str, workspace: Path
) -> None:
    every_byte = bytes(range(256)) * 8
    (workspace / "bytes").write_bytes(every_byte)

    outcome = await run(docker_runtime, an_order(busybox, "cat bytes; cat bytes >&2", workspace))

    assert (outcome.stdout, outcome.stderr) == (every_byte, every_byte)


async def test_lines_of_any_length_come_unchanged(
    docker_runtime: DockerRuntime, busybox: str, workspace: Path
) -> None:
    sizes = (10_000_000, 16_383, 16_384, 16_385, 0, 32_768, 1)
    content = b"".join(b"x" * size + b"\n" for size in sizes)
    (workspace / "lines").write_bytes(content)

    outcome = await run(docker_runtime, an_order(busybox, ("cat", "lines"), workspace))

    assert hashlib.sha256(outcome.stdout).digest() == hashlib.sha256(content).digest()


async def test_a_last_line_without_newline_gets_none(
    docker_runtime: DockerRuntime, busybox: str, workspace: Path
) -> None:
    outcome = await run(docker_runtime, an_order(busybox, "echo one; printf two", workspace))

    assert outcome.stdout == b"one\ntwo"


async def test_reading_goes_on_from_any_offset(
    docker_runtime: DockerRuntime, busybox: str, workspace: Path
) -> None:
    order = an_order(busybox, "seq 1000; seq 5 >&2", workspace)
    handle = (await started(docker_runtime, order)).handle
    await docker_runtime.wait(order.key, handle)

    read = [
        await read_log(docker_runtime, order.key, handle, stdout_from=at, stderr_from=3)
        for at in (0, 1, 2000, len(numbers(1000)))
    ]

    assert [each["stdout"] for each in read] == [
        numbers(1000)[at:] for at in (0, 1, 2000, len(numbers(1000)))
    ]
    assert {each["stderr"] for each in read} == {numbers(5)[3:]}


async def test_a_line_is_seen_while_the_job_runs(
    docker_runtime: DockerRuntime, busybox: str, workspace: Path
) -> None:
    order = an_order(busybox, "echo early; until [ -e go ]; do sleep 0.05; done", workspace)
    handle = (await started(docker_runtime, order)).handle
    pieces = docker_runtime.log(order.key, handle, stdout_from=0, stderr_from=0)
    async with asyncio.timeout(20), aclosing(pieces):
        first = await anext(pieces)
        (workspace / "go").touch()
        rest = [piece async for piece in pieces]

    assert (first, rest) == (LogBytes("stdout", 0, b"early\n"), [])


async def test_the_log_of_a_vanished_container_just_ends(docker_runtime: DockerRuntime) -> None:
    gone = "0" * 64

    log = await read_log(docker_runtime, an_order(None, None, Path()).key, gone)

    assert log == {"stdout": b"", "stderr": b""}


async def test_no_line_is_lost_or_told_twice_when_the_engine_crashes(
    private_engine: PrivateEngine, workspace: Path
) -> None:
    runtime = DockerRuntime(Path(private_engine.address.removeprefix("unix://")), "agent", "none")
    command = "i=0; while [ $i -lt 400 ]; do i=$((i+1)); echo $i; usleep 5000; done; exit 5"
    try:
        async with Docker(private_engine.address) as docker:
            await import_busybox(docker, "box:1")
        order = an_order("box:1", command, workspace)
        handle = (await started(runtime, order)).handle
        async with asyncio.TaskGroup() as group:
            log = group.create_task(read_log(runtime, order.key, handle))
            end = group.create_task(runtime.wait(order.key, handle))
            await asyncio.to_thread(private_engine.crash)
            await asyncio.to_thread(private_engine.start)
        await runtime.remove(order.key, handle)
    finally:
        await runtime.close()

    assert log.result()["stdout"] == numbers(400)
    assert (end.result().exit_code, end.result().lost) == (5, False)
