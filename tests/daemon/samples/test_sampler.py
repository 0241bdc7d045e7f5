import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from eaas.ids import JobUid, NodeName
from eaas_daemon.core import events as e
from eaas_daemon.samples.files import RunFiles
from eaas_daemon.samples.sampler import WRITE_EVERY_S, Sampler, card_sample
from tests.daemon.api.served import House, a_house
from tests.rig.builders import ADMIN, a_card


@pytest.fixture
async def house(tmp_path: Path) -> AsyncIterator[House]:
    """A served house with one node of two cards."""
    async with a_house(tmp_path) as served:
        await served.node("n1", a_card(0), a_card(1))
        await served.pool("default", "n1")
        yield served


async def a_running_job(house: House, **fields: Any) -> JobUid:
    number = await house.submit(gpus=1, **fields)
    await house.runs(number)
    return house.job(number).uid


async def beat(house: House, load: int, *, after_s: float = 5.0) -> None:
    house.clock.at += after_s
    await house.beat("n1", a_card(0, utilization_pct=load), a_card(1))


async def loads(sampler: Sampler, uid: JobUid, attempt: int = 1) -> tuple[int | None, ...]:
    run = await sampler.of_run(uid, attempt)
    return () if run is None else run.cards["GPU-n1-0"].utilization.means()


def reborn(house: House) -> Sampler:
    """Return the sampler of a controller that was started again on the same files."""
    return Sampler(house.state, house.clock, RunFiles(house.parts.home / "job-samples"))


async def test_a_run_is_sampled_from_its_start_and_an_idle_card_before_it_is_not(
    house: House,
) -> None:
    await beat(house, 99)
    number = await house.submit(gpus=1)
    await beat(house, 98)
    await house.runs(number)
    await beat(house, 10, after_s=0)
    await beat(house, 20)

    assert await loads(house.parts.sampler, house.job(number).uid) == (10, 20)


async def test_a_run_is_there_after_its_end_and_after_the_controllers(house: House) -> None:
    uid = await a_running_job(house)
    await beat(house, 10, after_s=0)
    await house.ends(1)
    await beat(house, 99)

    assert await loads(house.parts.sampler, uid) == (10,)
    await house.parts.sampler.write_due()

    assert await loads(house.parts.sampler, uid) == (10,)
    assert await loads(reborn(house), uid) == (10,)


async def test_each_attempt_has_samples_of_its_own(house: House) -> None:
    uid = await a_running_job(house, restart={"policy": "on-failure", "retries": 1})
    await beat(house, 10, after_s=0)
    await house.ends(1, exit_code=1)
    await beat(house, 0)
    await house.tick(60)
    await house.runs(1)
    await beat(house, 20, after_s=0)

    assert await loads(house.parts.sampler, uid, 1) == (10,)
    assert await loads(house.parts.sampler, uid, 2) == (20,)
    assert await loads(house.parts.sampler, uid, 3) == ()


async def test_a_live_run_goes_on_after_a_restart_with_a_hole_where_nobody_looked(
    house: House,
) -> None:
    uid = await a_running_job(house)
    await beat(house, 10, after_s=0)
    await house.parts.sampler.write_all()

    again = reborn(house)
    await again.recall()
    house.engine.listen(again)
    await beat(house, 30, after_s=15)

    assert await loads(again, uid) == (10, None, None, 30)


async def test_a_live_run_is_written_once_a_minute_and_not_more(house: House) -> None:
    uid = await a_running_job(house)
    await beat(house, 10)
    await house.parts.sampler.write_due()
    assert await loads(reborn(house), uid) == ()

    await beat(house, 20, after_s=WRITE_EVERY_S)
    await house.parts.sampler.write_due()
    await beat(house, 30)
    await house.parts.sampler.write_due()

    known = await loads(reborn(house), uid)
    assert (known[-1], len(known)) == (20, 14)


async def test_the_end_of_a_run_is_written_by_itself(house: House) -> None:
    uid = await a_running_job(house)
    await beat(house, 10)
    async with asyncio.timeout(10), asyncio.TaskGroup() as tasks:
        writing = tasks.create_task(house.parts.sampler.run())
        await house.ends(1)
        while await loads(reborn(house), uid) == ():
            pass
        writing.cancel()


async def test_samples_go_when_the_log_of_their_attempt_goes(house: House) -> None:
    uid = await a_running_job(house)
    await beat(house, 10)
    await house.ends(1)
    await house.parts.sampler.write_due()

    house.parts.sampler.forget(uid, 1)
    await house.parts.sampler.write_due()

    assert await loads(house.parts.sampler, uid) == ()


async def test_jobs_without_cards_and_runs_without_a_reading_leave_nothing(house: House) -> None:
    number = await house.submit()
    await house.runs(number)
    await a_running_job(house)
    await house.ends(1)
    await house.ends(2)
    await house.parts.sampler.write_due()

    assert list((house.parts.home / "job-samples").glob("*/*")) == []


async def test_a_disk_that_takes_nothing_costs_the_curve_and_nothing_else(
    house: House, caplog: pytest.LogCaptureFixture
) -> None:
    uid = await a_running_job(house)
    (house.parts.home / "job-samples").write_text("a file where a folder should be")
    await beat(house, 10)
    await house.ends(1)

    await house.parts.sampler.write_due()

    assert "can't be kept" in caplog.text
    assert house.job(1).uid == uid


async def test_a_step_that_could_not_be_told_is_made_up_for(house: House) -> None:
    uid = await a_running_job(house)
    deaf = reborn(house)
    deaf.start_over()
    house.engine.listen(deaf)
    await beat(house, 40)

    assert await loads(deaf, uid) == (None, 40)


async def test_a_node_that_is_gone_is_forgotten(house: House) -> None:
    sampler, now = house.parts.sampler, house.clock.now()
    await house.node("n2", a_card(0, node="n2"))
    await house.beat("n2", a_card(0, node="n2"))
    assert sampler.recent(NodeName("n2")).window(now) is not None

    await house.engine.ask(e.AgentGone(node=NodeName("n2"), session="s-n2", why="gone"))
    await house.engine.ask(e.RemoveNode(caller=ADMIN, node="n2"))

    assert sampler.recent(NodeName("n2")).window(now) is None


def test_a_reading_beyond_what_a_card_can_be_is_cut_to_that() -> None:
    wild = a_card(0, utilization_pct=10**9, memory_used_mib=-(10**12))

    assert card_sample(wild)[1:3] == (100, 0)
    assert card_sample(a_card(0, utilization_pct=None))[1] is None
