import asyncio
import os
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest
from aiohttp import web
from click.shell_completion import BashComplete

from eaas.cli import complete
from eaas.cli.main import CLI
from eaas.client.logins import Login, Logins, write_logins
from eaas.tokens import new_token
from tests.daemon.api.served import a_controller, a_house
from tests.eaas.client.test_nodes import NODE
from tests.eaas.client.test_pools import POOL, QUEUE
from tests.rig.impostor import an_impostor
from tests.rig.stand_in import StandIn, a_job

PROGRAM = str(Path(sys.executable).with_name("mini-eaas"))


def completed(*words: str) -> list[str]:
    """Return what a shell would offer for the last word."""
    shell = BashComplete(CLI, {}, "mini-eaas", "_MINI_EAAS_COMPLETE")
    return [item.value for item in shell.get_completions(list(words[:-1]), words[-1])]


@pytest.fixture
def pool(controller: StandIn) -> StandIn:
    controller.jobs.update({41: a_job(41), 42: a_job(42), 7: a_job(7)})
    controller.answers["GET /api/v1/pools"] = {"items": [POOL], "next": None}
    controller.answers["GET /api/v1/queues"] = {"items": [QUEUE], "next": None}
    controller.answers["GET /api/v1/nodes"] = {"items": [NODE], "next": None}
    return controller


def test_commands_are_completed_without_a_controller() -> None:
    assert completed("job", "s") == ["submit", "show"]
    assert completed("sta") == ["status"]


def test_the_shells_script_asks_the_program_itself() -> None:
    asked = {
        "_MINI_EAAS_COMPLETE": "bash_complete",
        "COMP_WORDS": "mini-eaas sch",
        "COMP_CWORD": "1",
    }
    run = subprocess.run([PROGRAM], env={**os.environ, **asked}, capture_output=True, text=True)

    assert (run.stdout, run.stderr) == ("plain,schema\n", "")


@pytest.mark.parametrize(
    ("words", "found"),
    [
        (("job", "cancel", "4"), ["41", "42"]),
        (("job", "logs", ""), ["41", "42", "7"]),
        (("pool", "show", ""), ["p"]),
        (("queue", "pause", "p/"), ["p/q"]),
        (("node", "drain", "n"), ["n1"]),
        (("job", "submit", "--pool", ""), ["p"]),
        (("job", "submit", "--node", ""), ["n1"]),
        (("pool", "add", "p", ""), ["n1"]),
    ],
)
def test_names_come_from_the_controller(
    pool: StandIn, words: tuple[str, ...], found: list[str]
) -> None:
    assert completed(*words) == found


def test_no_controller_completes_nothing_and_does_not_complain() -> None:
    assert completed("job", "cancel", "4") == []


def test_a_controller_that_does_not_answer_costs_less_than_a_second(home: Path) -> None:
    with socket.socket(socket.AF_UNIX) as silent:
        silent.bind(str(home / "controller.sock"))
        silent.listen()
        begin = time.perf_counter()
        assert completed("job", "cancel", "4") == []

    assert time.perf_counter() - begin < 1


async def nested(_: web.Request) -> web.StreamResponse:
    return web.Response(text='{"items":' + "[" * 100_000)


@pytest.mark.parametrize("answer", [{"nodes": 3}, nested])
def test_an_answer_that_is_no_list_completes_nothing(controller: StandIn, answer: object) -> None:
    controller.answers["GET /api/v1/nodes"] = answer

    assert completed("node", "drain", "n") == []


async def test_who_is_logged_in_elsewhere_completes_what_is_there(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(complete, "LIMIT_S", 10.0)
    (tmp_path / "elsewhere").mkdir()
    async with a_house(tmp_path / "elsewhere") as house, a_controller(house, tls=True) as served:
        await house.pool("attic")
        ca, token = house.parts.authority.pem.decode(), str(await house.token())
        login = Login(url=served.address, token=token, ca=ca)
        write_logins({"MINI_EAAS_HOME": str(home)}, Logins(logins=(login,)))

        assert await asyncio.to_thread(completed, "pool", "show", "") == ["attic"]


async def test_completion_tells_an_impostor_nothing(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(complete, "LIMIT_S", 10.0)
    async with an_impostor(tmp_path / "true") as real:
        known = real.pem.decode()
    token = str(new_token("person", "b" * 52))
    async with an_impostor(tmp_path / "own") as impostor:
        for ca in (known, ""):
            login = Login(url=impostor.url, token=token, ca=ca)
            write_logins({"MINI_EAAS_HOME": str(home)}, Logins(logins=(login,)))

            assert await asyncio.to_thread(completed, "pool", "show", "") == []

        assert impostor.heard == b""
