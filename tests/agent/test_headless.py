"""The agent as a program: what it tells a service manager, how it hears signals and ends."""

import asyncio
import json
import os
import signal
import sqlite3
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path

import pytest

from tests.rig.agents import an_order
from tests.rig.program import Program
from tests.rig.scripted_controller import scripted_controller
from tests.rig.service_manager import ServiceManager, a_service_manager

CONFIG = "name: node-a\nruntime: process\nsimulate: 1x8GiB\n"


class Service:
    """An agent under a stand-in for systemd."""

    def __init__(self, home: Path, manager: ServiceManager) -> None:
        self.ledger = home / "agents" / "node-a" / "ledger.db"
        self.config = home / "agent.yaml"
        self.config.write_text(CONFIG)
        self.manager = manager
        self.program = Program(
            "eaas_agent",
            "run",
            environ={
                **{k: v for k, v in os.environ.items() if not k.startswith("MINI_EAAS_")},
                "MINI_EAAS_HOME": str(home),
                **manager.environ(watchdog_s=0.5),
            },
        )


@pytest.fixture
def service(tmp_path: Path) -> Iterator[Service]:
    with ExitStack() as stack:
        manager = stack.enter_context(a_service_manager(tmp_path))
        service = Service(tmp_path, manager)
        stack.callback(service.program.kill)
        yield service


def messages(service: Service) -> list[str]:
    return [json.loads(line)["message"] for line in service.program.words.splitlines()]


def test_an_agent_is_ready_without_its_controller_reloads_and_stops(service: Service) -> None:
    heard = service.manager.hear_until("WATCHDOG")
    service.config.write_text(CONFIG + "labels: {rack: 3}\ncpus: 2\n")
    service.program.send(signal.SIGHUP)
    reloaded = service.manager.hear_until("READY")
    service.config.write_text("nmae: x\n")
    service.program.send(signal.SIGHUP)
    service.manager.hear_until("READY")
    code = service.program.terminate()

    assert heard[:2] == [
        {"READY": "1"},
        {"STATUS": "node node-a: the controller is away, 0 attempts here"},
    ]
    assert any("RELOADING" in message for message in reloaded)
    assert "STOPPING" in service.manager.hear_until("STOPPING")[-1]
    assert code == 0
    said = messages(service)
    assert "the settings were read again: changed: labels; cpus needs a restart" in said
    assert any("agent.yaml:1:1: nmae: there is no such key; did you mean name?" in s for s in said)
    assert said[-1] == "stopped; jobs run on"


async def test_a_stuck_engine_gives_no_sign_of_life_until_it_moves_again(
    service: Service, tmp_path: Path
) -> None:
    order = an_order("true")
    async with scripted_controller(tmp_path / "controller.sock") as controller:
        await asyncio.to_thread(service.manager.hear_until, "WATCHDOG")
        await controller.until(lambda: bool(controller.hellos))
        with closing(sqlite3.connect(service.ledger, isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            await controller.want(order)
            silence: dict[str, str] | None = {}
            while silence is not None:  # the last sign of life may still be on its way
                silence = await asyncio.to_thread(service.manager.hear, 0.6)
            assert controller.facts_about(order.uid) == []
        await asyncio.to_thread(service.manager.hear_until, "WATCHDOG")
        await controller.ended(order.uid)


@contextmanager
def an_agent(home: Path, *words: str) -> Iterator[Program]:
    environ = {**os.environ, "MINI_EAAS_HOME": str(home), "MINI_EAAS_SIMULATE": "1x8GiB"}
    program = Program("eaas_agent", "run", *words, environ=environ)
    try:
        yield program
    finally:
        program.kill()


def test_an_agent_that_cannot_start_says_why_in_a_sentence(
    service: Service, tmp_path: Path
) -> None:
    service.manager.hear_until("READY")
    with an_agent(tmp_path) as second:
        assert second.ended() == 1
        assert "another agent (process" in second.words
        assert "Traceback" not in second.words
    with an_agent(tmp_path, "--config", str(tmp_path / "none.yaml")) as third:
        assert third.ended() == 2
        assert "none.yaml can't be read: No such file" in third.words
