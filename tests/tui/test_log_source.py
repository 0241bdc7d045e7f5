import asyncio
from pathlib import Path

import pytest

from eaas_tui.log_source import PIECE_BYTES, LogSource
from eaas_tui.model.log_pages import PAGE_BYTES
from tests.rig.logs_in_memory import LogsInMemory

BIG = b"".join(b"line %07d loss=0.%03d\n" % (number, number % 997) for number in range(200_000))


def a_source(log: bytes) -> tuple[LogsInMemory, LogSource]:
    client = LogsInMemory()
    client.write(log)
    return client, LogSource(client, 42, 1, "both")


def nobody() -> int | None:
    return None


async def test_a_long_log_begins_with_its_end_and_nothing_else_is_asked_for() -> None:
    client, source = a_source(BIG)

    await source.open()

    assert client.asked == [(-PAGE_BYTES, PAGE_BYTES)]
    assert source.pages.line(source.pages.count - 1) == BIG.splitlines()[-1]
    assert source.pages.size == len(BIG)


async def test_what_is_written_comes_when_it_is_written() -> None:
    client, source = a_source(b"one\n")
    await source.open()

    polled = asyncio.create_task(source.poll(nobody))
    await asyncio.sleep(0)
    client.write(b"two\n")
    await polled

    assert source.pages.bytes_between(0, 100) == b"one\ntwo\n"


async def test_a_log_that_grows_faster_than_it_is_read_is_shown_from_its_end() -> None:
    client, source = a_source(b"one\n")
    await source.open()
    client.write(BIG)

    await source.poll(nobody)

    assert source.pages.reaches_end
    assert source.pages.begin == len(BIG) + 4 - PAGE_BYTES


async def test_an_answer_that_comes_after_a_jump_does_not_undo_the_jump() -> None:
    client, source = a_source(BIG)
    await source.open()
    polled = asyncio.create_task(source.poll(lambda: source.pages.begin))
    await asyncio.sleep(0)
    await source.show(0)

    client.write(b"more\n")
    await polled

    assert source.pages.reaches_top
    assert source.pages.size == len(BIG) + 5


@pytest.mark.parametrize("number", [0, 5, 100_000, 199_999])
async def test_words_beyond_the_window_are_found_by_the_controller(number: int) -> None:
    _, source = a_source(BIG)
    await source.open()

    hit = await source.seek(
        f"LINE {number:07}", source.pages.end, backwards=True, asks=lambda: None
    )

    assert hit == number * (len(BIG) // 200_000)
    index = source.pages.index_at(hit)
    assert source.pages.line(index) == BIG.splitlines()[number]
    if number < 199_000:
        assert source.pages.number(index) == number + 1


async def test_hit_after_hit_through_a_log_that_is_never_held_whole() -> None:
    client, source = a_source(BIG)
    width = len(BIG) // 200_000
    await source.show(0)
    expected = [width * number for number in range(0, 200_000, 10_000)]
    asked: list[bool] = []

    def asks() -> None:
        asked.append(True)

    there, hit = [], source.pages.find("0000 loss", 0)
    while hit is not None:
        there.append(hit)
        hit = await source.seek("0000 loss", hit + 1, backwards=False, asks=asks)
    back, hit = [], there[-1]
    while hit is not None:
        back.append(hit)
        hit = await source.seek("0000 loss", hit, backwards=True, asks=asks)

    assert [hit - hit % width for hit in there] == expected
    assert back == there[::-1]
    assert 0 < len(asked) == len(client.searched)
    assert all(limit <= PAGE_BYTES for _, limit in client.asked)


async def test_the_line_is_known_again_after_every_hit() -> None:
    client, source = a_source(BIG)
    width = len(BIG) // 200_000
    await source.show(0)

    hit = await source.seek("0150000 loss", 0, backwards=False, asks=lambda: None)

    assert hit == 150_000 * width + 5
    assert source.pages.number(source.pages.index_at(hit)) == 150_001
    assert client.searched[0][0] is not None
    assert ":" in client.searched[0][0]


async def test_words_that_stand_nowhere_are_found_nowhere() -> None:
    _, source = a_source(BIG)
    await source.open()

    assert await source.seek("nowhere", 0, backwards=False, asks=lambda: None) is None
    assert await source.seek("nowhere", len(BIG), backwards=True, asks=lambda: None) is None


async def test_a_saved_log_is_the_log_byte_for_byte_and_replaces_nothing(tmp_path: Path) -> None:
    log = BIG + b"\x1b[31m\xff\x00\r\n no end"
    client, source = a_source(log)

    assert await source.save(tmp_path / "a.log", lambda _: None) == len(log)

    assert (tmp_path / "a.log").read_bytes() == log
    assert all(limit <= PIECE_BYTES for _, limit in client.asked)
    with pytest.raises(FileExistsError):
        await source.save(tmp_path / "a.log", lambda _: None)
