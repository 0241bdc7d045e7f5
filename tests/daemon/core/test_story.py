"""Anything in any order: the promises that hold after every step."""

import asyncio
import tempfile
from pathlib import Path

from hypothesis import HealthCheck, settings
from hypothesis.stateful import invariant

from eaas_daemon.core.archive import NoArchive
from eaas_daemon.core.changes import Changes
from eaas_daemon.revive import revive
from eaas_daemon.store.database import Database
from tests.rig.snapshot import durable
from tests.rig.story import Story


class StoredStory(Story):
    """The same with a real database, which must give back the same state at any moment."""

    def __init__(self) -> None:
        self.folder = tempfile.TemporaryDirectory(prefix="eaas-story-")
        self.runner = asyncio.Runner()
        self.database = Database(Path(self.folder.name) / "controller.db")
        self.runner.run(self.database.__aenter__())
        super().__init__()

    def stored(self, changes: Changes) -> None:
        if not changes.empty:
            self.runner.run(self.database.commit(changes))

    @invariant()
    def the_database_gives_it_all_back(self) -> None:
        loaded = self.runner.run(self.database.load())
        assert durable(revive(loaded, NoArchive())) == durable(self.house.state)

    def teardown(self) -> None:
        self.runner.run(self.database.close())
        self.runner.close()
        self.folder.cleanup()


TestStory = Story.TestCase
TestStory.settings = settings(
    max_examples=60,
    stateful_step_count=40,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)

TestStoredStory = StoredStory.TestCase
TestStoredStory.settings = settings(
    max_examples=12,
    stateful_step_count=30,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
