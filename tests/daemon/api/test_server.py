"""The front door as it is in a real controller: sockets, tokens, headers, bombs."""

import asyncio
import gzip
import os
import pwd
import socket
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import aiohttp
import msgspec
import pytest

from tests.daemon.api.served import TOKEN, House, a_controller, a_house

ME = pwd.getpwuid(os.geteuid()).pw_name


async def status_of(
    url: str, *, path: str = "/api/v1/status", unix: Path | None = None, **settings: Any
) -> tuple[int, dict[str, Any]]:
    """Ask and return status and answer."""
    connector = aiohttp.UnixConnector(str(unix)) if unix else aiohttp.TCPConnector()
    async with (
        aiohttp.ClientSession(connector=connector) as http,
        http.request(settings.pop("method", "GET"), url + path, **settings) as response,
    ):
        return response.status, msgspec.json.decode(await response.read())


async def test_on_the_socket_the_kernel_says_who_asks(house: House) -> None:
    async with a_controller(house) as served:
        path = house.parts.home / "real.sock"
        status, view = await status_of("http://controller", unix=path)
        mode = path.stat().st_mode & 0o777

    assert (status, view["user"], view["role"]) == (200, ME, "admin")
    assert view["address"] == served.address
    assert mode == 0o666


@pytest.mark.skipif(os.geteuid() == 0, reason="root is an admin everywhere")
async def test_whoever_is_neither_root_nor_the_service_is_a_member(house: House) -> None:
    async with a_controller(house, service_uid=os.geteuid() + 1):
        path = house.parts.home / "real.sock"
        _, view = await status_of("http://controller", unix=path)

    assert (view["user"], view["role"]) == (ME, "member")


@pytest.mark.parametrize(
    ("headers", "status", "code"),
    [
        ({"Authorization": f"Bearer {TOKEN}"}, 200, None),
        ({}, 401, "unauthenticated"),
        ({"Authorization": "Bearer wrong"}, 401, "bad_token"),
        ({"Authorization": f"Basic {TOKEN}"}, 401, "unauthenticated"),
        ({"Authorization": f"Bearer {TOKEN}", "Host": "evil.example"}, 403, "forbidden"),
        ({"Authorization": f"Bearer {TOKEN}", "Host": "127.0.0.1.evil.example"}, 403, "forbidden"),
        ({"Authorization": f"Bearer {TOKEN}", "Host": "localhost:7470"}, 200, None),
        ({"Authorization": f"Bearer {TOKEN}", "Host": "[::1]:7470"}, 200, None),
        ({"Authorization": f"Bearer {TOKEN}", "Origin": "http://localhost"}, 403, "forbidden"),
    ],
)
async def test_over_tcp_only_programs_with_the_token_are_let_in(
    house: House, headers: dict[str, str], status: int, code: str | None
) -> None:
    async with a_controller(house) as served:
        found, body = await status_of(served.address, headers=headers)

    assert (found, body.get("code")) == (status, code)
    assert TOKEN not in str(body)


async def test_health_is_told_to_anybody_on_this_host(house: House) -> None:
    async with a_controller(house) as served:
        answer = await status_of(served.address, path="/healthz")

    assert answer == (200, {"status": "ok", "reason": None})


async def test_a_web_page_can_open_no_stream(house: House) -> None:
    async with a_controller(house) as served, aiohttp.ClientSession() as http:
        with pytest.raises(aiohttp.WSServerHandshakeError) as refused:
            await http.ws_connect(
                f"{served.address}/api/v1/stream",
                headers={"Authorization": f"Bearer {TOKEN}", "Origin": "http://evil.example"},
            )

    assert refused.value.status == 403


async def test_a_form_of_a_web_page_is_no_body(house: House) -> None:
    for kind in ("text/plain", "application/x-www-form-urlencoded"):
        status, problem = await house.ask("POST", "/api/v1/jobs", b"{}", Content_Type=kind)
        assert (status, problem["code"]) == (415, "unsupported_media_type")


async def test_a_large_body_is_refused_before_it_is_read(house: House) -> None:
    reader, writer = await asyncio.open_unix_connection(str(house.socket))
    writer.write(
        b"POST /api/v1/jobs HTTP/1.1\r\nHost: c\r\nX-Test-User: ann\r\n"
        b"Content-Type: application/json\r\nContent-Length: 99999999\r\n\r\n{"
    )
    async with asyncio.timeout(5):
        line = await reader.readline()
    writer.close()
    await writer.wait_closed()

    assert line.startswith(b"HTTP/1.1 413")


async def test_a_body_without_an_announced_end_is_cut_at_the_limit(house: House) -> None:
    async def endless() -> AsyncIterator[bytes]:
        for _ in range(200):
            yield b" " * 65536

    headers = {"Content-Type": "application/json", "X-Test-User": "ann"}
    async with house.http.post(
        "http://controller/api/v1/jobs", data=endless(), headers=headers
    ) as response:
        assert response.status == 413
        assert (await response.json(content_type=None))["code"] == "too_large"


async def test_a_compressed_body_is_not_inflated(house: House) -> None:
    bomb = gzip.compress(b" " * 1_000_000)

    status, problem = await house.ask("POST", "/api/v1/jobs", bomb, Content_Encoding="gzip")

    assert (status, problem["code"]) == (400, "bad_message")


async def test_what_is_not_there_is_a_problem_object_too(house: House) -> None:
    missing = await house.ask("GET", "/api/v1/nothing")
    wrong = await house.ask("DELETE", "/api/v1/jobs")

    assert (missing[0], missing[1]["code"]) == (404, "not_found")
    assert (wrong[0], wrong[1]["code"]) == (405, "method_not_allowed")


async def test_a_failure_tells_its_number_and_nothing_of_the_inside(
    house: House, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(house.engine, "painter", lambda: {"": 1}["secret"])
    await house.pool()

    status, problem = await house.ask("POST", "/api/v1/jobs", {"image": "busybox"})

    assert (status, problem["code"]) == (500, "internal")
    assert "secret" not in str(problem)
    [record] = caplog.records
    assert problem["detail"].split()[-1] in record.message


async def test_a_socket_that_a_dead_controller_left_is_taken(tmp_path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as dead:
        dead.bind(str(tmp_path / "controller.sock"))

    async with a_house(tmp_path) as house:
        assert (await house.ask("GET", "/healthz", user=None))[0] == 200


async def test_closing_does_not_wait_for_those_who_listen(tmp_path: Path) -> None:
    loop = asyncio.get_running_loop()
    async with a_house(tmp_path) as house:
        await house.pool()
        await house.submit()
        headers = {"X-Test-User": "ann"}
        stream = await house.http.ws_connect("http://c/api/v1/stream", headers=headers)
        await stream.receive()
        log = asyncio.ensure_future(house.ask("GET", "/api/v1/jobs/1/attempts/1/log?wait_s=30"))
        while house.job(1).uid not in house.parts.bell.waited_for:
            await house.tick()
        began = loop.time()
        await house.served.close()
        took_s = loop.time() - began
        assert (await stream.receive()).type is aiohttp.WSMsgType.CLOSE
        await asyncio.wait([log])
        assert log.result()[0] == 503, "it was cut, and asking again was refused"

    assert took_s < 2
