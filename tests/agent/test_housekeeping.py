import asyncio
import os
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import IO

import pytest

from eaas.ids import NodeName
from eaas.wire.from_agent import Beat, FilesFailed, InventoryChanged
from eaas_agent import housekeeping
from eaas_agent.card_desk import SIMULATED_RULES, CardDesk
from eaas_agent.cards.port import CardsPicture
from eaas_agent.cards.simulated import SimulatedCards
from eaas_agent.changes import Changes, Touched
from eaas_agent.housekeeping import CardWatch, Housekeeping
from eaas_agent.inventory import Surroundings
from eaas_agent.ledger import Ledger
from eaas_agent.machine import read_machine
from eaas_agent.model import Attempt, Event, Surveyed, WorkspaceDeleted
from eaas_agent.mount_check import places_of
from eaas_agent.mounts import Mounts
from eaas_agent.named_folders import Mount
from eaas_agent.runtime_choice import Chosen
from eaas_agent.runtimes.fake import FakeRuntime
from eaas_agent.runtimes.port import RuntimeState, StartFailed
from eaas_agent.workspace import Workspaces
from tests.rig.agents import an_order

NO_CARDS = CardsPicture(state="none", sampled_at=0.0)


@asynccontextmanager
async def no_pack(pack: str) -> AsyncIterator[IO[bytes]]:
    raise AssertionError
    yield


class Bench:
    def __init__(self, tmp_path: Path, ledger: Ledger) -> None:
        self.ledger = ledger
        self.runtime = FakeRuntime(lambda: 0.0)
        self.events: list[Event] = []
        self.said: list[Beat | InventoryChanged | FilesFailed] = []
        self.workspaces = Workspaces(tmp_path / "workspaces", no_pack)
        self.workspaces.open()
        self.shelf = tmp_path / "shelf"
        shelf = Mount(name="shelf", path=self.shelf)
        self.mounts = Mounts([shelf], places_of(tmp_path / "state", os.geteuid()))
        self.around = Surroundings(
            read_machine(),
            CardDesk(),
            cpus=None,
            mounts=self.mounts.told,
            labels={},
            cards=lambda: NO_CARDS,
            clock=lambda: 0.0,
        )
        self.now = 1000.0
        self.keeping = Housekeeping(
            Chosen(
                runtime=self.runtime,
                kind="process",
                state=RuntimeState(kind="process", engine=None),
            ),
            self.around,
            self.mounts,
            ledger=ledger,
            workspaces=self.workspaces,
            post=self.events.append,
            say=self.said.append,
            clock=lambda: self.now,
        )

    async def ended_job(self, uid: str) -> Path:
        changes = Changes()
        changes.touched.append(Touched(uid, 1, 60.0, 900.0))
        changes.ended_jobs.append((1000.0, uid))
        await self.ledger.commit(changes)
        return await self.workspaces.prepare(uid, None)


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Bench]:
    monkeypatch.setattr(housekeeping, "LOOK_EVERY_S", 0.005)
    with Ledger(tmp_path / "ledger.db") as ledger:
        yield Bench(tmp_path, ledger)


async def until(holds: Callable[[], object]) -> None:
    async with asyncio.timeout(5):
        while True:
            if holds():
                return
            await asyncio.sleep(0.005)


async def test_an_expired_workspace_is_deleted_and_told(bench: Bench) -> None:
    path = await bench.ended_job("job")
    bench.now = 2000.0
    running = asyncio.create_task(bench.keeping.run())

    await until(lambda: bench.events)
    running.cancel()

    assert bench.events[0] == WorkspaceDeleted(uid="job", why="expired")
    assert not path.exists()


async def test_a_workspace_in_its_keeping_time_stays(bench: Bench) -> None:
    path = await bench.ended_job("job")
    await bench.keeping.first_look()

    assert path.exists()
    assert bench.events == []


async def test_a_full_disk_costs_the_workspace_that_ended_first(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(housekeeping, "ROOM_NEEDED_MIB", 1 << 40)
    path = await bench.ended_job("job")

    await bench.keeping.first_look()

    assert bench.events == [WorkspaceDeleted(uid="job", why="disk_pressure")]
    assert not path.exists()


async def test_an_engine_that_goes_away_is_told_once(bench: Bench) -> None:
    await bench.keeping.first_look()
    bench.runtime.fault = "no answer"
    running = asyncio.create_task(bench.keeping.run())

    await until(lambda: bench.said)
    running.cancel()

    (told,) = bench.said
    assert isinstance(told, InventoryChanged)
    assert told.inventory.faults == (("engine_hung", "no answer"),)


async def test_a_survey_waits_for_an_answer(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(housekeeping, "SURVEY_AGAIN_S", 0.0)
    tries = iter([OSError("away"), None])
    find = bench.runtime.find

    async def find_at_last() -> object:
        error = next(tries)
        if error is not None:
            raise error
        return await find()

    monkeypatch.setattr(bench.runtime, "find", find_at_last)

    await bench.keeping.survey()

    assert bench.events == [Surveyed(found=())]


async def test_a_card_that_changes_hands_is_told_at_once() -> None:
    cards = SimulatedCards("1x8GiB", NodeName("n"), period_s=0.01)
    desk = CardDesk(SIMULATED_RULES)
    said: asyncio.Queue[Beat | InventoryChanged | FilesFailed] = asyncio.Queue()
    attempts: list[Attempt] = []

    def beat(lag_s: float) -> Beat:
        picture = cards.picture()
        reports = desk.reports(picture, picture.sampled_at)
        return Beat(memory_used_mib=None, loop_lag_s=lag_s, cards=reports, sampled_at=None)

    watch = CardWatch(cards, desk, attempts=lambda: attempts, beat=beat, say=said.put_nowait)
    running = asyncio.create_task(watch.run())
    first = await said.get()
    assert isinstance(first, Beat)
    order = an_order(cards=(first.cards[0].uuid,))
    attempts.append(Attempt(order=order, state="running", boot_id="b", handle="1:2:b"))
    watch.claims_changed()

    second = await said.get()
    running.cancel()

    assert isinstance(second, Beat)
    assert [first.cards[0].state, second.cards[0].state] == ["free", "held"]


async def test_a_mount_that_comes_back_is_told(bench: Bench) -> None:
    await bench.keeping.first_look()
    running = asyncio.create_task(bench.keeping.run())

    bench.shelf.mkdir()
    await until(lambda: bench.said)
    running.cancel()

    [told] = [said for said in bench.said if isinstance(said, InventoryChanged)][:1]
    assert [mount.unavailable for mount in told.inventory.named_mounts] == [None]


async def test_a_mount_that_a_job_finds_gone_is_told_before_the_next_look(bench: Bench) -> None:
    bench.shelf.mkdir()
    await bench.keeping.first_look()
    bench.shelf.rmdir()

    with pytest.raises(StartFailed):
        await bench.keeping.binds(an_order(mounts=("shelf:/data",)))

    [told] = [said for said in bench.said if isinstance(said, InventoryChanged)]
    assert told.inventory.named_mounts[0].unavailable == f"{bench.shelf} is not there"
