"""The controller as a program: what it tells a service manager, how it hears signals and ends."""

import asyncio
import json
import logging
import os
import signal
import socket
import sqlite3
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, closing, contextmanager
from pathlib import Path
from typing import Final

import aiohttp
import pytest

from eaas.client import Address, Client
from eaas.paths import paths_from
from eaas_daemon.__main__ import main
from eaas_daemon.home import prepare_home
from eaas_daemon.store.database import take_lock
from tests.rig.program import Program
from tests.rig.service_manager import ServiceManager, a_service_manager

CONFIG = "port: 0\njournal_days: 30\n"


class Service:
    """A controller under a stand-in for systemd."""

    def __init__(self, home: Path, manager: ServiceManager) -> None:
        self.home = home
        self.config = home / "controller.yaml"
        self.config.write_text(CONFIG + "log_level: debug\n")
        self.manager = manager
        self.program = a_program(home, **manager.environ(watchdog_s=1.0))

    @property
    def messages(self) -> list[str]:
        """What it has logged so far."""
        return [json.loads(line)["message"] for line in self.program.words.splitlines()]

    @asynccontextmanager
    async def http(self) -> AsyncIterator[aiohttp.ClientSession]:
        """Speak plain HTTP with it."""
        connector = aiohttp.UnixConnector(str(self.home / "controller.sock"))
        async with aiohttp.ClientSession("http://c", connector=connector) as session:
            yield session

    def client(self) -> Client:
        """Return a client of it."""
        return Client(Address(socket=self.home / "controller.sock"))

    async def hear_until(self, name: str) -> list[dict[str, str]]:
        """Return what it tells its manager up to a message of this name."""
        return await asyncio.to_thread(self.manager.hear_until, name)


def a_program(home: Path, *words: str, **environ: str) -> Program:
    """Start a controller on the home."""
    clean = {k: v for k, v in os.environ.items() if not k.startswith("MINI_EAAS_")}
    return Program(
        "eaas_daemon", "run", *words, environ={**clean, "MINI_EAAS_HOME": str(home), **environ}
    )


@contextmanager
def locked(service: Service) -> Iterator[None]:
    """Keep the controller from storing anything."""
    with closing(sqlite3.connect(service.home / "controller.db", isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        yield


@contextmanager
def a_request(
    service: Service, body: bytes, *, path: str, length: int | None = None
) -> Iterator[socket.socket]:
    """Send a request, all of it or only a beginning, and yield the connection."""
    head = f"POST {path} HTTP/1.1\r\nHost: c\r\nContent-Type: application/json\r\n"
    head += f"Content-Length: {len(body) if length is None else length}\r\n\r\n"
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(str(service.home / "controller.sock"))
        connection.sendall(head.encode() + body)
        yield connection


@contextmanager
def a_service(home: Path) -> Iterator[Service]:
    """Run a controller until the block ends."""
    with a_service_manager(home) as manager:
        service = Service(home, manager)
        try:
            manager.hear_until("READY")
            yield service
        finally:
            service.program.kill()


@pytest.fixture
def service(tmp_path: Path) -> Iterator[Service]:
    """A controller of the test's own, which may end it."""
    with a_service(tmp_path) as service:
        yield service


@pytest.fixture(scope="module")
def lasting(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """A controller that several tests ask."""
    with a_service(tmp_path_factory.mktemp("home")) as service:
        yield service


async def test_it_is_ready_when_it_serves_and_its_first_word_says_how_the_pool_is(
    lasting: Service,
) -> None:
    async with lasting.http() as http, http.get("/readyz") as answer:
        assert answer.status == 200
    status, alive = await lasting.hear_until("STATUS"), await lasting.hear_until("WATCHDOG")

    assert status[-1] == {"STATUS": "0 of 0 nodes ready, 0 jobs running, 0 waiting"}
    assert alive[-1] == {"WATCHDOG": "1"}


async def test_a_stuck_engine_gives_no_sign_of_life_until_it_moves_again(lasting: Service) -> None:
    async with lasting.client() as client:
        await lasting.hear_until("WATCHDOG")
        with locked(lasting):
            waiting = asyncio.create_task(client.create_pool("lab"))
            silence: dict[str, str] | None = {}
            while silence is not None:  # the last sign of life may still be on its way
                silence = await asyncio.to_thread(lasting.manager.hear, 1.2)
        await waiting
        await lasting.hear_until("WATCHDOG")


async def test_sighup_takes_what_can_change_names_the_rest_and_survives_mistakes(
    lasting: Service,
) -> None:
    lasting.config.write_text(CONFIG + "log_level: info\nlisten: 127.0.0.2\nfolders: [/srv/x]\n")
    lasting.program.send(signal.SIGHUP)
    heard = await lasting.hear_until("READY")
    lasting.config.write_text("prot: 1\n")
    lasting.program.send(signal.SIGHUP)
    await lasting.hear_until("READY")

    async with lasting.http() as http, http.get("/api/v1/folders") as answer:
        folders = [folder["path"] for folder in (await answer.json())["items"]]
    async with lasting.client() as client:
        events = await client.events()
    sentence = "the settings were read again: changed: folders, log_level; listen needs a restart"
    assert any("RELOADING" in message for message in heard)
    assert sentence in lasting.messages
    assert ("controller.reloaded", sentence) in [(e.kind, e.text) for e in events.items]
    assert folders[-1] == "/srv/x"
    assert any("1:1: prot: there is no such key; did you mean port?" in s for s in lasting.messages)


async def test_sigterm_answers_what_is_under_way_closes_streams_and_ends_with_0(
    service: Service,
) -> None:
    loop = asyncio.get_running_loop()
    async with service.http() as http:
        stream = await http.ws_connect("/api/v1/stream")
        await stream.receive()
        lab = b'{"name": "lab"}'
        with a_request(service, lab, path="/api/v1/pools") as asked:
            with locked(service):
                for _ in range(2):  # answered after the request has been read
                    assert (await http.get("/healthz")).status == 200
                began = loop.time()
                service.program.send(signal.SIGTERM)
                await service.hear_until("STOPPING")
                closed = await stream.receive()
            answer = await asyncio.to_thread(asked.recv, 4096)
    code = await asyncio.to_thread(service.program.ended)
    took_s = loop.time() - began

    assert (closed.type, closed.data) == (aiohttp.WSMsgType.CLOSE, 1001)
    assert answer.startswith(b"HTTP/1.1 201 ")
    assert (code, service.messages[-1]) == (0, "stopped; jobs run on")
    assert took_s < 5
    assert not (service.home / "controller.sock").exists()


def test_a_second_signal_ends_it_at_once_with_0(service: Service) -> None:
    with a_request(service, b"{", path="/api/v1/jobs", length=99):  # it never comes to its end
        service.manager.hear_until("WATCHDOG")
        service.program.send(signal.SIGTERM)
        service.manager.hear_until("STOPPING")
        service.program.send(signal.SIGINT)

        assert service.program.ended() == 0
    assert service.messages[-1] == "stopping: what is under way is answered"


LATER_COLLECTIONS: Final = """
import gc, time
from eaas_daemon.headless import leave_what_is_loaded

def collection_s():
    began = time.process_time()
    gc.collect()
    return time.process_time() - began

heap = [[number] for number in range(100_000)]
before = min(collection_s() for _ in range(3))
leave_what_is_loaded()
print(min(collection_s() for _ in range(3)) / before)
"""


def test_later_garbage_collections_leave_alone_what_was_loaded(lasting: Service) -> None:
    took = subprocess.run(
        [sys.executable, "-c", LATER_COLLECTIONS], capture_output=True, text=True, check=True
    )

    assert float(took.stdout) < 0.1
    [kept] = [words for words in lasting.messages if words.startswith("garbage is looked for")]
    assert int(kept.split()[-2]) > 10_000


@pytest.fixture
def log_kept() -> Iterator[None]:
    """Give the root logger back as it was."""
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    yield
    root.handlers[:] = handlers
    root.setLevel(level)


@pytest.mark.usefixtures("log_kept")
def test_what_keeps_it_from_starting_is_one_sentence_and_an_exit_code(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").write_text("")
    (tmp_path / "bad.yaml").write_text("port: x\n")
    with socket.create_server(("127.0.0.1", 0)) as taken, open_home(tmp_path / "held"):
        port = str(taken.getsockname()[1])
        for home, words, code, says in (
            ("held", (), 1, "another controller (pid"),
            ("a", ("--port", port), 1, f"port {port} of 127.0.0.1 is taken"),
            ("file/home", (), 1, "can't be used: Not a directory"),
            ("b", ("--config", str(tmp_path / "bad.yaml")), 2, "bad.yaml:1:7: port: "),
            ("c", ("--config", str(tmp_path / "none")), 2, "none can't be read: No such"),
        ):
            monkeypatch.setenv("MINI_EAAS_HOME", str(tmp_path / home))
            assert main(["run", *words]) == code
            [last] = capsys.readouterr().err.splitlines()
            assert says in json.loads(last)["message"]
            assert json.loads(last)["exc"] is None


@contextmanager
def open_home(home: Path) -> Iterator[None]:
    """Hold a controller's home as another controller would."""
    lock = take_lock(home / "controller.lock")
    try:
        yield
    finally:
        os.close(lock)


@pytest.mark.parametrize("again", [False, True], ids=["moved", "made again"])
def test_a_controller_whose_folder_is_lost_takes_nothing_more_and_ends_with_a_sentence(
    service: Service, *, again: bool
) -> None:
    paths = paths_from({"MINI_EAAS_HOME": str(service.home)})
    service.home.rename(service.home.with_name(f"{service.home.name}-elsewhere"))
    if again:
        prepare_home(paths)
        (paths.inbox / "job.yaml").write_text("command: 'true'\n")

    assert service.program.ended() == 1

    last = [message for message in service.messages if "controller.lock" in message][-1]
    assert last.startswith(f"{service.home}/controller.lock is not the file any more")
    assert "Traceback" not in service.program.words
    assert [path.name for path in paths.inbox.rglob("*.yaml")] == ["job.yaml"] * again
    assert not list(paths.inbox.glob("*ed/*.yaml")), "it lies in accepted/ or refused/"
