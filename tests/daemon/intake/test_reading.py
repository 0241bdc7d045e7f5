import os
import signal
import sys
from collections.abc import AsyncIterator

import pytest

from eaas_daemon.intake.parser import Unread
from eaas_daemon.intake.reading import FileReader, ReaderUnusable
from tests.rig.program import await_end


@pytest.fixture
async def reader() -> AsyncIterator[FileReader]:
    reader = FileReader()
    try:
        yield reader
    finally:
        await reader.close()


def a_file(name: str, text: str = "command: a\n") -> Unread:
    return Unread(name=name, data=text.encode())


async def test_each_file_gets_its_own_answer_in_order(reader: FileReader) -> None:
    good, bad = await reader.read([a_file("a.yaml"), a_file("b.yaml", "gpus: x\n")])

    assert good.content is not None
    assert bad.content is None
    assert bad.errors[0].line == 1


async def test_a_reader_that_was_killed_is_started_again(reader: FileReader) -> None:
    await reader.read([a_file("a.yaml")])
    assert reader._process is not None
    os.kill(reader._process.pid, signal.SIGKILL)
    await_end(reader._process.pid)

    (read,) = await reader.read([a_file("a.yaml")])

    assert read.content is not None


async def test_a_warm_reader_is_not_started_twice(reader: FileReader) -> None:
    await reader.warm()
    assert reader._process is not None
    pid = reader._process.pid

    await reader.warm()
    await reader.read([a_file("a.yaml")])

    assert reader._process.pid == pid


async def test_only_the_file_that_takes_too_long_is_refused() -> None:
    reader = FileReader(limit_s=0.0)
    try:
        (read,) = await reader.read([a_file("a.yaml")])
    finally:
        await reader.close()

    assert "make it simpler" in read.errors[0].message


async def test_it_ends_when_there_was_nothing_to_read_for_a_while(reader: FileReader) -> None:
    await reader.read([a_file("a.yaml")])
    assert reader._process is not None
    pid = reader._process.pid

    await reader.close_if_idle(0.0)

    await_end(pid)


@pytest.mark.parametrize(
    ("argv", "why"),
    [
        (("/nowhere/python",), "No such file or directory"),
        ((__file__,), "Permission denied"),
        ((sys.executable, "-c", "import nowhere"), "No module named 'nowhere'"),
    ],
)
async def test_an_installation_that_does_not_work_is_not_blamed_on_the_file(
    argv: tuple[str, ...], why: str
) -> None:
    reader = FileReader(argv=argv)
    await reader.warm()
    try:
        with pytest.raises(ReaderUnusable) as told:
            await reader.read([a_file("a.yaml")])
    finally:
        await reader.close()

    assert argv[0] in told.value.sentence
    assert why in told.value.sentence
