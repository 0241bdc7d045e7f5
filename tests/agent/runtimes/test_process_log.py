"""Reading files that grow, are cut, or are too long."""

import asyncio
from pathlib import Path

import pytest

from eaas_agent.runtimes.port import LogBytes
from eaas_agent.runtimes.process_attempt import Attempt
from eaas_agent.runtimes.process_folder import AttemptFolder
from eaas_agent.runtimes.process_log import (
    PIECE_BYTES,
    LogFile,
    LogTicker,
    bound_logs,
    follow,
)
from tests.rig.process_orders import a_host


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "stdout"


@pytest.fixture
def attempt(tmp_path: Path) -> Attempt:
    return Attempt(
        AttemptFolder(str(tmp_path)), pid=0, handle="", started_at=0.0, log_cap_mib=1, host=a_host()
    )


def a_log(path: Path, offset: int = 0, cap_bytes: int = 1 << 30) -> LogFile:
    return LogFile(str(path), "stdout", offset=offset, cap_bytes=cap_bytes)


def append(path: Path, data: bytes) -> None:
    with path.open("ab") as file:
        file.write(data)


def test_a_file_that_is_not_there_is_empty(path: Path) -> None:
    log = a_log(path)

    assert (log.has_more(), log.read()) == (False, None)


def test_each_byte_is_read_once(path: Path) -> None:
    log = a_log(path)
    append(path, b"abc")
    first = log.read()
    append(path, b"de")

    assert log.has_more()
    assert [first, log.read(), log.read()] == [
        LogBytes("stdout", 0, b"abc"),
        LogBytes("stdout", 3, b"de"),
        None,
    ]


def test_long_logs_come_in_pieces(path: Path) -> None:
    append(path, b"x" * (PIECE_BYTES + 1))
    log = a_log(path)

    pieces = [log.read(), log.read(), log.read()]

    assert [piece and len(piece.data) for piece in pieces] == [PIECE_BYTES, 1, None]


def test_nothing_is_read_beyond_the_cap(path: Path) -> None:
    append(path, b"abcdef")
    log = a_log(path, offset=2, cap_bytes=4)

    assert log.read() == LogBytes("stdout", 2, b"cd")
    assert (log.has_more(), log.read()) == (False, None)


def test_after_the_job_cut_its_log_the_offsets_go_on(path: Path) -> None:
    append(path, b"abcdef")
    log = a_log(path)
    log.read()
    path.write_bytes(b"xy")

    assert log.has_more()
    assert log.read() == LogBytes("stdout", 6, b"xy")
    append(path, b"z")
    assert log.read() == LogBytes("stdout", 8, b"z")


def test_a_reader_that_comes_back_to_a_cut_log_reads_what_is_new(path: Path) -> None:
    path.write_bytes(b"xy")
    log = a_log(path, offset=8)
    assert log.read() is None

    append(path, b"z")

    assert log.read() == LogBytes("stdout", 8, b"z")


async def test_followers_are_woken_by_growth_and_by_the_end(path: Path, attempt: Attempt) -> None:
    ticker = LogTicker(tick_s=0.001)
    pieces = follow(attempt, ticker, stdout_from=0, stderr_from=0)
    async with asyncio.timeout(5):
        first = asyncio.ensure_future(anext(pieces))
        await asyncio.sleep(0)
        append(path, b"grown")
        assert await first == LogBytes("stdout", 0, b"grown")

        rest = asyncio.ensure_future(anext(pieces, None))
        await asyncio.sleep(0)
        attempt.end_written(0, 1.0)
        assert await rest is None
    ticker.close()


async def test_a_follower_that_leaves_is_forgotten(attempt: Attempt) -> None:
    ticker = LogTicker()
    pieces = follow(attempt, ticker, stdout_from=0, stderr_from=0)
    reading = asyncio.ensure_future(anext(pieces))
    await asyncio.sleep(0)

    reading.cancel()
    await asyncio.wait([reading])

    assert attempt.waiting == set()
    ticker.close()


def test_what_a_live_attempt_writes_beyond_its_cap_leaves_the_disk(
    path: Path, attempt: Attempt
) -> None:
    append(path, b"x" * (2 << 20))

    bound_logs([attempt])

    assert path.stat().st_size == 1 << 20
