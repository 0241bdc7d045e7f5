"""A real engine on a real database, for tests of what the engine does with both."""

import asyncio
import sqlite3
from collections.abc import Sequence
from contextlib import AsyncExitStack, suppress
from pathlib import Path

from eaas.job_spec import read_spec
from eaas_daemon.clock import SystemClock
from eaas_daemon.core import events as e
from eaas_daemon.core.changes import Changes
from eaas_daemon.core.effects import Effect
from eaas_daemon.engine import Engine
from eaas_daemon.revive import revive
from eaas_daemon.store.database import Database
from eaas_daemon.store.readers import Reader
from tests.rig.builders import ADMIN, ALICE, a_card, a_hello, an_inventory
from tests.rig.listener import Listener

SPEC = read_spec({"image": "busybox", "gpus": 1})


class Shell:
    """A real engine on a real database, with what its listeners heard."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "controller.db"
        self.database = Database(self.path, busy_timeout_s=0.01)
        self.steps: list[tuple[Changes, Sequence[Effect]]] = []
        self.stack = AsyncExitStack()

    async def start(self) -> None:
        await self.stack.enter_async_context(self.database)
        self.reader = await self.stack.enter_async_context(Reader(self.path))
        state = revive(await self.database.load(), self.reader)
        self.engine = Engine(state, self.database, SystemClock(), lambda uid, attempt: (0, 0))
        self.engine.listen(Listener(lambda changes, effects: self.steps.append((changes, effects))))
        self.running = asyncio.create_task(self.engine.run())

    async def stop(self) -> None:
        self.running.cancel()
        with suppress(asyncio.CancelledError):
            await self.running
        await self.stack.aclose()

    async def furnish(self) -> None:
        """Make a pool of one node with one card."""
        hello = a_hello("n1", an_inventory(a_card(0)))
        await self.engine.ask(e.AgentSaidHello(session="s", address=None, hello=hello))
        await self.engine.ask(e.CreatePool(caller=ADMIN, name="default"))
        await self.engine.ask(e.AddToPool(caller=ADMIN, pool="default", node="n1", cards=None))
        self.steps.clear()

    def lock(self) -> sqlite3.Connection:
        """Keep the database from being written until the connection is closed."""
        other = sqlite3.connect(self.path, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        return other


def a_submit(count: int = 1) -> e.Submit:
    return e.Submit(caller=ALICE, specs=(SPEC,) * count)
