import asyncio
import socket
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from eaas_agent.runtimes.docker_engine import Engine, EngineAway, find_socket


@pytest.fixture
async def quick_engine(tmp_path: Path) -> AsyncIterator[Engine]:
    engine = Engine(tmp_path / "engine.sock", call_s=0.2)
    yield engine
    await engine.close()


def test_docker_host_names_the_socket() -> None:
    assert find_socket({"DOCKER_HOST": "unix:///run/x.sock"}) == Path("/run/x.sock")


def test_a_rootless_engine_is_found_where_the_system_has_none(tmp_path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(tmp_path / "docker.sock"))

        found = find_socket({"XDG_RUNTIME_DIR": str(tmp_path)})

    assert found in (Path("/var/run/docker.sock"), tmp_path / "docker.sock")


async def test_nobody_at_the_socket_is_away(quick_engine: Engine) -> None:
    with pytest.raises(EngineAway, match="no engine answers at"):
        await quick_engine.call("GET", "version")


async def test_an_engine_that_accepts_and_says_nothing_is_away_in_time(
    quick_engine: Engine, tmp_path: Path
) -> None:
    async def hang(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read()
        writer.close()

    async with await asyncio.start_unix_server(hang, tmp_path / "engine.sock"):
        with pytest.raises(EngineAway, match="does not answer in time"):
            await quick_engine.call("GET", "version")


async def test_an_engine_that_breaks_off_is_away(quick_engine: Engine, tmp_path: Path) -> None:
    async def cut(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readline()
        head = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
        writer.write(head + b"Content-Length: 1000\r\n\r\n{")
        writer.close()

    async with await asyncio.start_unix_server(cut, tmp_path / "engine.sock"):
        with pytest.raises(EngineAway, match="broke off"):
            await quick_engine.call("GET", "version")
