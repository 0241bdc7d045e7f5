import asyncio
import hashlib
import random
import resource
import stat
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eaas_daemon.logs.answers import LogPosition
from eaas_daemon.logs.failures import LogDiskFull, LogDropped, LogHole
from eaas_daemon.logs.store import DroppedLog, LogStore

UID = "0197a000-0000-7000-8000-0000000000ab"
OTHER = "0197a000-0000-7000-8000-0000000000ac"
MIB = 1 << 20
Stream = Literal["stdout", "stderr"]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path / "job-logs"


@pytest.fixture
async def store(root: Path) -> AsyncIterator[LogStore]:
    async with LogStore(root, 100) as store:
        yield store


async def read_all(store: LogStore, stream: Literal["stdout", "stderr", "both"]) -> bytes:
    pieces = []
    offset = 0
    while (piece := await store.read(UID, 1, stream, offset, 700)).data:
        pieces.append(piece.data)
        offset += len(piece.data)
    return b"".join(pieces)


async def test_every_byte_comes_back_as_it_was(store: LogStore) -> None:
    data = bytes(range(256)) * 3 + b"\r\n\x00" + random.Random(1).randbytes(200_000)
    await store.append(UID, 1, "stdout", 0, data[:100])
    await store.append(UID, 1, "stdout", 100, data[100:])
    piece = await store.read(UID, 1, "stdout", 0)

    assert hashlib.sha256(piece.data).digest() == hashlib.sha256(data).digest()
    assert (piece.offset, piece.size, piece.complete) == (0, len(data), False)


async def test_a_repeated_piece_adds_nothing_and_an_overlapping_one_its_rest(
    store: LogStore,
) -> None:
    await store.append(UID, 1, "stdout", 0, b"abcd")
    await store.append(UID, 1, "stdout", 0, b"abcd")
    await store.append(UID, 1, "stdout", 2, b"cdef")
    await store.append(UID, 1, "stdout", 1, b"")

    assert (await store.read(UID, 1, "stdout", 0)).data == b"abcdef"


async def test_a_hole_is_refused_and_says_how_far_the_log_is(store: LogStore) -> None:
    await store.append(UID, 1, "stderr", 0, b"abcd")

    with pytest.raises(LogHole) as refusal:
        await store.append(UID, 1, "stderr", 6, b"gh")

    assert refusal.value.stored == 4
    assert store.position(UID, 1) == LogPosition(0, 4, ended=False)


async def test_an_end_before_the_last_byte_is_refused(store: LogStore) -> None:
    await store.append(UID, 1, "stdout", 0, b"abcd")

    with pytest.raises(LogHole):
        await store.end(UID, 1, 5, 0, 0)
    with pytest.raises(LogHole):
        await store.end(UID, 1, 4, 1, 0)

    assert not store.position(UID, 1).ended


async def test_an_ended_log_is_complete_and_takes_nothing_more_even_after_a_restart(
    store: LogStore, root: Path
) -> None:
    await store.append(UID, 1, "stdout", 0, b"abcd")
    await store.end(UID, 1, 4, 0, None)
    await store.end(UID, 1, 4, 0, None)
    store.close()

    async with LogStore(root, 100) as again:
        await again.append(UID, 1, "stdout", 4, b"late")
        piece = await again.read(UID, 1, "stdout", 1)

    assert (piece.data, piece.complete, piece.gap_bytes) == (b"bcd", True, None)


async def test_attempts_and_streams_are_kept_apart(store: LogStore) -> None:
    await store.append(UID, 1, "stdout", 0, b"1")
    await store.append(UID, 2, "stdout", 0, b"2")
    await store.append(OTHER, 1, "stderr", 0, b"3")

    assert (await store.read(UID, 1, "both", 0)).data == b"1"
    assert (await store.read(UID, 2, "both", 0)).data == b"2"
    assert (await store.read(OTHER, 1, "both", 0)).data == b"3"


@pytest.mark.parametrize(
    ("offset", "limit", "data", "begins"),
    [(-3, 100, b"hij", 7), (-99, 2, b"ab", 0), (8, 9, b"ij", 8), (99, 9, b"", 10), (3, 0, b"", 3)],
)
async def test_a_part_is_read_from_either_end(
    store: LogStore, offset: int, limit: int, data: bytes, begins: int
) -> None:
    await store.append(UID, 1, "stdout", 0, b"abcdefghij")
    piece = await store.read(UID, 1, "stdout", offset, limit)

    assert (piece.data, piece.offset, piece.size) == (data, begins, 10)


async def test_nothing_is_known_of_an_attempt_that_wrote_nothing(
    store: LogStore, root: Path
) -> None:
    piece = await store.read(UID, 1, "both", 0)
    await store.end(UID, 1, 0, 0, 0)

    assert (piece.data, piece.size, piece.complete) == (b"", 0, False)
    assert (await store.read(UID, 1, "both", 0)).complete
    assert list(root.iterdir()) == []


async def test_only_the_owner_can_read_the_files(store: LogStore, root: Path) -> None:
    await store.append(UID, 1, "stdout", 0, b"a")
    await store.append(UID, 1, "stderr", 0, b"b")
    await store.end(UID, 1, 1, 1, 0)

    folder = root / UID[-2:]
    assert {stat.S_IMODE(path.stat().st_mode) for path in (root, folder)} == {0o700}
    assert {stat.S_IMODE(path.stat().st_mode) for path in folder.iterdir()} == {0o600}
    assert len(list(folder.iterdir())) == 4


@given(
    pieces=st.lists(
        st.tuples(st.sampled_from(["stdout", "stderr"]), st.binary(max_size=5)), max_size=30
    ),
    start=st.integers(-50, 50),
    limit=st.integers(0, 50),
    restart=st.integers(0, 30),
)
async def test_both_streams_together_are_read_in_the_order_of_their_arrival(
    tmp_path_factory: pytest.TempPathFactory,
    pieces: list[tuple[Stream, bytes]],
    start: int,
    limit: int,
    restart: int,
) -> None:
    root = tmp_path_factory.mktemp("logs")
    for part in (pieces[:restart], pieces[restart:]):
        async with LogStore(root, 100) as store:
            for stream, data in part:
                position = store.position(UID, 1)
                await store.append(UID, 1, stream, getattr(position, stream), data)
    async with LogStore(root, 100) as store:
        whole = (await store.read(UID, 1, "both", 0)).data
        piece = await store.read(UID, 1, "both", start, limit)

    expected = b"".join(data for _, data in pieces)
    begins = max(0, len(expected) + start) if start < 0 else min(start, len(expected))
    assert whole == expected
    assert (piece.offset, piece.data) == (begins, expected[begins : begins + limit])


async def test_a_log_of_many_turns_is_read_in_small_parts(store: LogStore) -> None:
    expected = b""
    offsets = {"stdout": 0, "stderr": 0}
    streams: tuple[Stream, Stream] = ("stdout", "stderr")
    for turn in range(600):
        stream = streams[turn % 2]
        line = f"{turn}\n".encode()
        await store.append(UID, 1, stream, offsets[stream], line)
        offsets[stream] += len(line)
        expected += line

    assert await read_all(store, "both") == expected


async def test_long_pieces_of_one_attempt_do_not_overtake_each_other(store: LogStore) -> None:
    data = random.Random(2).randbytes(1_000_000)
    step = 100_000
    async with asyncio.TaskGroup() as tasks:
        for offset in range(0, len(data), step):
            tasks.create_task(store.append(UID, 1, "stdout", offset, data[offset : offset + step]))

    assert (await store.read(UID, 1, "stdout", 0)).data == data


async def test_a_cancelled_sender_leaves_whole_pieces_behind(store: LogStore) -> None:
    data = random.Random(3).randbytes(200_000)
    task = asyncio.create_task(store.append(UID, 1, "stdout", 0, data))
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await store.append(UID, 1, "stdout", 0, data)

    assert (await store.read(UID, 1, "stdout", 0)).data == data


async def test_a_follower_is_woken_by_growth_by_the_end_and_misses_nothing(
    store: LogStore,
) -> None:
    async def follow() -> bytes:
        got = b""
        while True:
            piece = await store.read(UID, 1, "both", len(got))
            got += piece.data
            if piece.complete and not piece.data:
                return got
            if not piece.data:
                await store.changed(UID, 1, seen=piece.seen)

    followers = [asyncio.create_task(follow()) for _ in range(5)]
    for number in range(200):
        await store.append(UID, 1, "stdout", number, b"x")
        if number % 50 == 0:
            await asyncio.sleep(0)
    await store.end(UID, 1, 200, 0, 0)
    async with asyncio.timeout(10):
        assert await asyncio.gather(*followers) == [b"x" * 200] * 5
    assert store._waiting == {}


async def test_a_follower_that_leaves_is_forgotten(store: LogStore) -> None:
    follower = asyncio.create_task(store.changed(UID, 1, seen=0))
    await asyncio.sleep(0)
    assert len(store._waiting) == 1
    follower.cancel()
    await asyncio.wait([follower])

    assert store._waiting == {}


async def test_more_attempts_than_open_files_can_be_written_in_turn(root: Path) -> None:
    attempts = range(1, 21)
    async with LogStore(root, 100, max_open=3, max_known=5) as store:
        for turn in range(3):
            for attempt in attempts:
                await store.append(UID, attempt, "stdout", turn, b"x")
        sizes = [store.position(UID, attempt).stdout for attempt in attempts]
        held = len(store._open), len(store._known)

    assert sizes == [3] * 20
    assert held == (3, 5)


async def test_over_the_budget_the_oldest_ended_logs_go_and_that_is_remembered(
    root: Path,
) -> None:
    dropped: list[DroppedLog] = []
    times = iter(range(1, 100))
    async with LogStore(
        root, 3, clock=lambda: float(next(times)), on_dropped=dropped.append
    ) as store:
        await store.append(OTHER, 9, "stdout", 0, b"still running")
        for attempt in range(1, 6):
            await store.append(UID, attempt, "stdout", 0, b"x" * MIB)
            await store.end(UID, attempt, MIB, 0, 0)
        with pytest.raises(LogDropped, match="make room"):
            await store.read(UID, 1, "both", 0)
        position = store.position(UID, 1)
        live = await store.read(OTHER, 9, "stdout", 0)

    assert dropped == [DroppedLog(UID, attempt, MIB) for attempt in (1, 2, 3)]
    assert position == LogPosition(MIB, 0, ended=True)
    assert live.data == b"still running"

    async with LogStore(root, 3) as store:
        with pytest.raises(LogDropped) as refusal:
            await store.search(UID, 2, "stdout", "x")
        assert (await store.read(UID, 5, "stdout", -1)).data == b"x"
    assert (refusal.value.http_status, refusal.value.code) == (410, "log_dropped")


@pytest.fixture
def file_limit() -> Iterator[int]:
    """Lets no file grow over this many bytes while the test runs."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, before[1]))
    yield 100_000
    resource.setrlimit(resource.RLIMIT_FSIZE, before)


async def test_when_the_disk_takes_no_more_what_is_stored_stays_as_it_was(
    store: LogStore, file_limit: int
) -> None:
    data = random.Random(4).randbytes(file_limit + 10)
    await store.append(UID, 1, "stdout", 0, data[:90_000])
    with pytest.raises(LogDiskFull):
        await store.append(UID, 1, "stdout", 90_000, data[90_000:])
    assert store.position(UID, 1).stdout == 90_000

    await store.append(UID, 1, "stdout", 90_000, data[90_000:95_000])
    store.close()
    async with LogStore(store.root, 100) as again:
        assert (await again.read(UID, 1, "stdout", 0)).data == data[:95_000]


async def test_a_search_goes_over_one_stream_or_both(store: LogStore) -> None:
    await store.append(UID, 1, "stdout", 0, b"fine\n")
    await store.append(UID, 1, "stderr", 0, b"Error: disk\n")
    await store.append(UID, 1, "stdout", 5, b"error again\n")

    both = await store.search(UID, 1, "both", "error")
    stdout = await store.search(UID, 1, "stdout", "error")

    assert [(match.line, match.offset, match.text) for match in both.matches] == [
        (2, 5, "Error: disk"),
        (3, 17, "error again"),
    ]
    assert [(match.line, match.offset) for match in stdout.matches] == [(2, 5)]


async def test_a_search_goes_on_behind_a_place_or_back_from_it(store: LogStore) -> None:
    await store.append(UID, 1, "stdout", 0, b"hit\n" * 300)

    first = await store.search(UID, 1, "both", "hit")
    second = await store.search(UID, 1, "both", "hit", after=first.next)
    last = await store.search(UID, 1, "stdout", "hit", 2, before=9_999)

    assert [len(page.matches) for page in (first, second)] == [100, 100]
    assert (second.matches[0].offset, second.matches[0].line) == (400, 101)
    assert [(match.offset, match.line) for match in last.matches] == [(1192, 299), (1196, 300)]


async def test_a_piece_came_when_its_sender_says_or_else_now(root: Path) -> None:
    async with LogStore(root, 100, clock=lambda: 5000.5) as store:
        await store.append(UID, 1, "stdout", 0, b"one\n", at=1000.25)
        await store.append(UID, 1, "stdout", 4, b"two\n")
        await store.append(UID, 1, "stdout", 8, b"nan\n", at=float("nan"))
        await store.append(UID, 1, "stdout", 12, b"far\n", at=1e300)

        times = await store.times(UID, 1, "stdout", 0, 99)

    assert times.times == ((0, 1_000_250), (4, 5_000_500))
    assert (times.end, times.is_all) == (16, True)


async def test_times_cost_a_few_bytes_a_piece_that_are_counted_and_go_with_the_log(
    root: Path,
) -> None:
    clock = iter(float(second) for second in range(1, 99))
    async with LogStore(root, 1, clock=lambda: next(clock)) as store:
        for turn in range(10):
            await store.append(UID, 1, "stdout", turn, b"x")
        await store.end(UID, 1, 10, 0, 0)
        assert store._budget.used_bytes == sum(
            path.stat().st_size for path in root.rglob("*.*") if path.suffix != ".end"
        )
        await store.append(OTHER, 1, "stdout", 0, b"x" * MIB)

    assert [path.suffix for path in (root / UID[-2:]).iterdir()] == [".dropped"]
