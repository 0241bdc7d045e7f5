import asyncio

import pytest

from eaas.wire.logs import LogEnd
from eaas_daemon.core import events as e
from tests.daemon.api.served import House

LOG = "/api/v1/jobs/1/attempts/1/log"


async def a_running_job(house: House) -> str:
    """Let job 1 run; return its uid."""
    await house.node("n1")
    await house.pool("default", "n1")
    await house.submit()
    await house.runs(1)
    return house.job(1).uid


async def piece(house: House, query: str = "", path: str = LOG) -> tuple[bytes, int, int, int, str]:
    """Return the bytes with offset, next, size and whether that is all."""
    async with house.open("GET", path + query) as response:
        assert response.status == 200, await response.text()
        assert response.content_type == "application/octet-stream"
        numbers = [int(response.headers[f"X-Log-{word}"]) for word in ("Offset", "Next", "Size")]
        return (await response.read(), *numbers, response.headers["X-Log-Complete"])


async def ended(house: House, uid: str, size: int) -> None:
    """Let the log's end come, as an agent tells it."""
    await house.parts.logs.end(uid, 1, size, 0, 0)
    end = LogEnd(uid=uid, attempt=1, stdout_bytes=size, stderr_bytes=0)
    await house.engine.ask(e.LogFinished(end=end))


async def test_the_bytes_come_exactly_with_their_place(house: House) -> None:
    uid = await a_running_job(house)
    await house.parts.logs.append(uid, 1, "stdout", 0, b"out\x00\xff")
    await house.parts.logs.append(uid, 1, "stderr", 0, b"err")

    assert await piece(house) == (b"out\x00\xfferr", 0, 8, 8, "0")
    assert await piece(house, "?stream=stderr") == (b"err", 0, 3, 3, "0")
    assert await piece(house, "?stream=stdout&offset=1&limit=2") == (b"ut", 1, 3, 5, "0")
    assert await piece(house, "?stream=stdout&offset=-2") == (b"\x00\xff", 3, 5, 5, "0")
    assert await piece(house, "?offset=99") == (b"", 8, 8, 8, "0")


async def test_a_wait_ends_with_the_next_byte(house: House) -> None:
    uid = await a_running_job(house)

    async with asyncio.timeout(10), asyncio.TaskGroup() as tasks:
        waiting = tasks.create_task(piece(house, "?wait_s=30&stream=stdout"))
        await until_somebody_waits(house)
        await house.parts.logs.append(uid, 1, "stderr", 0, b"not this one")
        await house.parts.logs.append(uid, 1, "stdout", 0, b"x")

    assert waiting.result() == (b"x", 0, 1, 1, "0")


async def test_a_wait_for_an_attempt_that_has_not_begun_ends_with_its_first_byte(
    house: House,
) -> None:
    await house.pool("default")
    await house.submit()

    async with asyncio.timeout(10), asyncio.TaskGroup() as tasks:
        waiting = tasks.create_task(piece(house, "?wait_s=30"))
        await until_somebody_waits(house)
        await house.node("n1")
        await house.engine.ask(
            e.AddToPool(
                caller=e.Caller(user=house.job(1).user, role="admin"),
                pool="default",
                node="n1",
                cards=None,
            )
        )
        await house.parts.logs.append(house.job(1).uid, 1, "stdout", 0, b"x")

    assert waiting.result() == (b"x", 0, 1, 1, "0")


async def test_a_wait_ends_when_the_log_is_complete(house: House) -> None:
    uid = await a_running_job(house)
    await house.parts.logs.append(uid, 1, "stdout", 0, b"x")

    async with asyncio.timeout(10), asyncio.TaskGroup() as tasks:
        waiting = tasks.create_task(piece(house, "?wait_s=30&offset=1"))
        await until_somebody_waits(house)
        await house.ends(1, stdout_bytes=1, stderr_bytes=0)
        await ended(house, uid, 1)

    assert waiting.result() == (b"", 1, 1, 1, "1")
    assert await piece(house) == (b"x", 0, 1, 1, "1")


@pytest.mark.parametrize(
    "end",
    [
        {"stdout_bytes": 0, "stderr_bytes": 0},
        {"cause": "start_failed", "exit_code": None, "fault": "job", "text": "no such image"},
    ],
)
async def test_an_attempt_without_a_byte_is_complete_once_it_is_over(
    house: House, end: dict[str, object]
) -> None:
    await house.node("n1")
    await house.pool("default", "n1")
    await house.submit()

    async with asyncio.timeout(10), asyncio.TaskGroup() as tasks:
        waiting = tasks.create_task(piece(house, "?wait_s=30"))
        await until_somebody_waits(house)
        await house.ends(1, **end)  # type: ignore[arg-type]

    assert waiting.result() == (b"", 0, 0, 0, "1")


async def test_only_the_next_attempt_of_a_living_job_can_be_waited_for(house: House) -> None:
    await a_running_job(house)

    assert await piece(house, path="/api/v1/jobs/1/attempts/2/log") == (b"", 0, 0, 0, "0")
    for path in ("1/attempts/3", "1/attempts/0", "1/attempts/x", "7/attempts/1"):
        assert (await house.ask("GET", f"/api/v1/jobs/{path}/log"))[0] == 404
    await house.ends(1)
    assert (await house.ask("GET", "/api/v1/jobs/1/attempts/2/log"))[0] == 404


async def test_search_names_the_lines_that_have_the_words(house: House) -> None:
    uid = await a_running_job(house)
    await house.parts.logs.append(uid, 1, "stdout", 0, b"one\ntwo Loss: 3\nthree loss\n")

    status, page = await house.ask("GET", f"{LOG}/search?q=loss&stream=stdout")
    first = await house.ask("GET", f"{LOG}/search?q=loss&stream=stdout&limit=1")
    nothing = await house.ask("GET", f"{LOG}/search")

    assert status == 200
    assert [(match["line"], match["text"]) for match in page["items"]] == [
        (2, "two Loss: 3"),
        (3, "three loss"),
    ]
    assert len(first[1]["items"]) == 1
    assert nothing[0] == 422


async def test_search_goes_on_where_its_cursor_says_and_back_from_a_byte(house: House) -> None:
    uid = await a_running_job(house)
    await house.parts.logs.append(uid, 1, "stdout", 0, b"loss 1\nloss 2\nloss 3\n")

    first = (await house.ask("GET", f"{LOG}/search?q=loss&limit=2"))[1]
    rest = (await house.ask("GET", f"{LOG}/search?q=loss&after={first['next']}"))[1]
    back = (await house.ask("GET", f"{LOG}/search?q=loss&before=14&limit=1"))[1]

    assert (len(first["items"]), first["next"]) == (2, "13:3")
    assert rest == {"items": [{"offset": 14, "line": 3, "text": "loss 3"}], "next": None}
    assert [match["line"] for match in back["items"]] == [2]
    for wrong in ("after=x", "after=1:0", "before=-1", "after=1&before=2"):
        assert (await house.ask("GET", f"{LOG}/search?q=loss&{wrong}"))[0] == 422


async def test_times_say_when_which_bytes_came(house: House) -> None:
    uid = await a_running_job(house)
    await house.parts.logs.append(uid, 1, "stdout", 0, b"one\n", at=1.5)
    await house.parts.logs.append(uid, 1, "stderr", 0, b"two\n", at=60.25)

    both = await house.ask("GET", f"{LOG}/times")
    part = (await house.ask("GET", f"{LOG}/times?stream=stderr&offset=2&limit=1"))[1]
    later = (await house.ask("GET", "/api/v1/jobs/1/attempts/2/log/times"))[1]

    assert both == (
        200,
        {
            "items": [
                {"offset": 0, "at": "1970-01-01T00:00:01.500Z"},
                {"offset": 4, "at": "1970-01-01T00:01:00.250Z"},
            ],
            "next": None,
        },
    )
    assert part["items"] == [{"offset": 2, "at": "1970-01-01T00:01:00.250Z"}]
    assert later == {"items": [], "next": None}


async def until_somebody_waits(house: House) -> None:
    """Return once a request waits for job 1."""
    uid = house.job(1).uid
    while uid not in house.parts.bell.waited_for:
        await house.tick()
