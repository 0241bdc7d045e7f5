import msgspec
import pytest
from aiohttp import web

from eaas.client import Client
from eaas.client import logs as module
from eaas.views import LogMatchView, LogTimeView, Page
from tests.rig.stand_in import AT, StandIn, a_change, a_job, a_snapshot

LINES = b"".join(b"line %d\n" % number for number in range(100))


async def test_a_piece_knows_where_it_stands(client: Client, controller: StandIn) -> None:
    controller.logs[1, 1, "stdout"] = b"0123456789"

    piece = await client.log(1, 1, stream="stdout", offset=3, limit=4)

    assert (piece.data, piece.offset, piece.next, piece.size) == (b"3456", 3, 7, 10)
    assert not piece.is_last
    assert (await client.log(1, 1, stream="stdout", offset=-3)).data == b"789"


async def test_a_whole_log_is_read_in_pieces(
    client: Client, controller: StandIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        module.LogCalls.log,
        "__kwdefaults__",
        {**(module.LogCalls.log.__kwdefaults__ or {}), "limit": 7},
    )
    content = bytes(range(256))
    controller.logs[1, 1, "both"] = content

    assert b"".join([piece.data async for piece in client.read_log(1, 1)]) == content


@pytest.mark.parametrize(
    ("count", "first"), [(1, b"line 99"), (2, b"line 98"), (100, b"line 0"), (500, b"line 0")]
)
async def test_a_tail_is_exactly_the_last_lines(
    client: Client,
    controller: StandIn,
    monkeypatch: pytest.MonkeyPatch,
    count: int,
    first: bytes,
) -> None:
    monkeypatch.setattr(module, "TAIL_BYTES", 16)
    controller.logs[1, 1, "both"] = LINES

    piece = await client.tail_log(1, 1, count)

    assert piece.data.splitlines()[0] == first
    assert len(piece.data.splitlines()) == min(count, 100)
    assert piece.next == len(LINES)
    assert piece.offset == len(LINES) - len(piece.data)


async def test_a_tail_counts_a_last_line_without_an_end(
    client: Client, controller: StandIn
) -> None:
    controller.logs[1, 1, "both"] = b"one\ntwo\nthree"

    assert (await client.tail_log(1, 1, 2)).data == b"two\nthree"
    assert (await client.tail_log(1, 1, 0)).data == b""


async def test_following_goes_through_the_attempts_until_the_job_has_ended(
    client: Client, controller: StandIn
) -> None:
    waiting, first = a_job(1), a_job(1, "Running", attempt=1)
    second, ended = a_job(1, "Running", attempt=2), a_job(1, "Failed", attempt=2)
    controller.logs.update({(1, 1, "both"): b"first", (1, 2, "both"): b"second"})
    controller.jobs[1] = waiting
    controller.frames[:] = [
        [a_snapshot(waiting), a_change(first, after=1)],
        [a_snapshot(first), a_change(second, after=1)],
        [a_snapshot(second), a_change(ended, after=1)],
        [],
    ]

    found = [(piece.attempt, piece.data) async for piece in client.follow_log(1)]

    assert found == [(1, b"first"), (2, b"second")]


async def test_a_job_that_is_cancelled_before_it_begins_has_no_log_to_follow(
    client: Client, controller: StandIn
) -> None:
    controller.jobs[1] = a_job(1, "Cancelled", attempt=0)
    controller.frames[:] = [[a_snapshot()], []]

    assert [piece async for piece in client.follow_log(1)] == []


async def test_a_search_asks_for_words(client: Client, controller: StandIn) -> None:
    route = "GET /api/v1/jobs/1/attempts/2/log/search"
    controller.answers[route] = {
        "items": [{"offset": 30, "line": None, "text": "loss nan"}],
        "next": "40:9",
    }

    page = await client.search_log(1, 2, "nan & co", after="7:2", limit=5)

    assert page == Page([LogMatchView(offset=30, line=None, text="loss nan")], "40:9")
    assert controller.asked[0].query == {
        "q": "nan & co",
        "stream": "both",
        "after": "7:2",
        "limit": "5",
    }


async def test_the_times_of_a_part_come_whole_however_many_pages_they_are(
    client: Client, controller: StandIn
) -> None:
    nine, ten = LogTimeView(offset=5, at=None), LogTimeView(offset=8, at=AT)
    pages = [Page([nine], "8"), Page([ten])]

    async def next_page(request: web.Request) -> web.Response:
        return web.json_response(body=msgspec.json.encode(pages.pop(0)))

    controller.answers["GET /api/v1/jobs/1/attempts/2/log/times"] = next_page

    assert await client.log_times(1, 2, stream="stderr", offset=5, limit=10) == [nine, ten]
    assert [(asked.query["offset"], asked.query["limit"]) for asked in controller.asked] == [
        ("5", "10"),
        ("8", "7"),
    ]
