import asyncio
from contextlib import aclosing
from pathlib import Path
from typing import Final

from eaas.ids import JobNumber, JobUid
from eaas_agent.runtimes.fake import FakeRuntime
from eaas_agent.runtimes.port import AttemptKey, RunOrder

KEY: Final = AttemptKey(JobUid("job"), 1)
ORDER: Final = RunOrder(
    key=KEY, number=JobNumber(1), epoch=1, image=None, command="x", env={}, workspace=Path("/")
)


async def a_started(runtime: FakeRuntime) -> str:
    return (await runtime.start(ORDER, lambda phase: None)).handle


async def test_a_second_start_adopts() -> None:
    runtime = FakeRuntime(lambda: 5.0)

    assert await a_started(runtime) == await a_started(runtime)
    assert runtime.starts == [KEY]


async def test_a_stop_ends_it_and_the_wait_says_so() -> None:
    runtime = FakeRuntime(lambda: 5.0)
    handle = await a_started(runtime)
    waiting = asyncio.create_task(runtime.wait(KEY, handle))

    await runtime.stop(KEY, handle, 1.0)

    assert (await waiting).exit_code == 143
    assert [found.running for found in await runtime.find()] == [False]


async def test_a_log_is_read_from_any_offset_to_the_end() -> None:
    runtime = FakeRuntime(lambda: 5.0)
    handle = await a_started(runtime)
    await runtime.attempts[KEY].write(b"abcdef")
    await runtime.attempts[KEY].write(b"xy", "stderr")
    await runtime.attempts[KEY].end()

    async with aclosing(runtime.log(KEY, handle, stdout_from=4, stderr_from=0)) as pieces:
        got = [(piece.stream, piece.offset, piece.data) async for piece in pieces]

    assert got == [("stdout", 4, b"ef"), ("stderr", 0, b"xy")]


async def test_what_is_removed_is_lost_to_whoever_waits() -> None:
    runtime = FakeRuntime(lambda: 5.0)
    handle = await a_started(runtime)

    await runtime.remove(KEY, handle)

    assert (await runtime.wait(KEY, handle)).lost
    assert await runtime.find() == []
