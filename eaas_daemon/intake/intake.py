"""All watched folders: each has tasks of its own, and what is wrong with one stays with it."""

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from eaas.views import FolderCountsView, FolderView
from eaas_daemon.clock import Clock
from eaas_daemon.core.changes import Changes
from eaas_daemon.core.effects import Effect
from eaas_daemon.engine import Engine
from eaas_daemon.intake.hints import Hints
from eaas_daemon.intake.reading import FileReader
from eaas_daemon.intake.settings import FolderSettings
from eaas_daemon.intake.watch import FolderWatch, Tools
from eaas_daemon.logs.store import LogStore

READER_IDLE_S: Final = 30.0


class Intake:
    """The watched folders of one controller; a listener of its engine."""

    def __init__(
        self,
        engine: Engine,
        logs: LogStore,
        service_uid: int,
        clock: Clock,
        *,
        name: str,
        hints: bool = True,
    ) -> None:
        """Watch nothing yet; ``name`` is this controller's, before others that watch the same.

        Without ``hints`` folders are only looked into every few seconds.
        """
        self._listens = hints
        self._tools = Tools(
            engine=engine,
            logs=logs,
            reader=FileReader(),
            hints=Hints(self._wake),
            clock=clock,
            service_uid=service_uid,
            name=name,
            claims={},
        )
        self._watches: dict[Path, FolderWatch] = {}
        self._changed = asyncio.Event()

    def watch(self, folders: Sequence[FolderSettings]) -> None:
        """Watch these from now on, and no others; of two with the same path the later one."""
        wanted = {each.path: each for each in folders}
        self._watches = {
            path: self._kept(settings) or FolderWatch(settings, self._tools)
            for path, settings in wanted.items()
        }
        self._changed.set()

    def _kept(self, settings: FolderSettings) -> FolderWatch | None:
        """Return who watches the folder in just this way already."""
        watch = self._watches.get(settings.path)
        return watch if watch is not None and watch.settings == settings else None

    def views(self) -> tuple[FolderView, ...]:
        """Return how every folder is doing."""
        return tuple(watch.view() for watch in self._watches.values())

    def counts(self) -> FolderCountsView:
        """Return how they do together."""
        views = self.views()
        return FolderCountsView(
            watched=len(views),
            wrong=sum(view.reason is not None for view in views),
            left=sum(view.left for view in views),
        )

    # --- the engine's news

    def __call__(self, changes: Changes, effects: Sequence[Effect]) -> None:
        """Let every folder know whose jobs changed, and whether its queue still is there."""
        ways = changes.pools or changes.queues or changes.gone_pools or changes.gone_queues
        people = changes.credentials or changes.gone_credentials
        for watch in self._watches.values():
            watch.follower.changed(changes)
            if ways or people:
                watch.doubt()

    def start_over(self) -> None:
        """Let every folder look at all its jobs again."""
        for watch in self._watches.values():
            watch.follower.start_over()

    # --- work

    async def work(self) -> None:
        """Take what is dropped until cancelled."""
        try:
            async with asyncio.TaskGroup() as tasks:
                if self._listens:
                    tasks.create_task(self._tools.hints.work())
                tasks.create_task(self._end_idle_reader())
                await self._keep_watching(tasks)
        finally:
            await self._tools.reader.close()

    async def _keep_watching(self, tasks: asyncio.TaskGroup) -> None:
        """Run the watches that are wanted."""
        at_work: dict[FolderWatch, asyncio.Task[None]] = {}
        leaving: dict[asyncio.Task[None], Path] = {}
        while True:
            await self._changed.wait()
            self._changed.clear()
            wanted = set(self._watches.values())
            leaving = {task: path for task, path in leaving.items() if not task.done()}
            for watch in set(at_work) - wanted:
                leaving[at_work[watch]] = watch.settings.path
                at_work.pop(watch).cancel()
            for watch in wanted - at_work.keys():
                before = [task for task, path in leaving.items() if path == watch.settings.path]
                at_work[watch] = tasks.create_task(watch.work(before))

    async def _end_idle_reader(self) -> None:
        while True:
            await asyncio.sleep(READER_IDLE_S)
            await self._tools.reader.close_if_idle(READER_IDLE_S)

    def _wake(self, path: Path) -> None:
        if (watch := self._watches.get(path)) is not None:
            watch.wake()
