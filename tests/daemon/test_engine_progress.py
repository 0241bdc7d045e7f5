"""When the engine counts as stuck, and how it finds out that the disk takes something again."""

import asyncio

import pytest

from eaas_daemon import engine
from eaas_daemon.core import events as e
from eaas_daemon.store.failures import StoreUnavailable
from tests.daemon.shell import Shell, a_submit


async def test_a_store_that_takes_nothing_is_tried_again_without_anything_to_store(
    shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engine, "TRY_STORE_EVERY_S", 0.0)
    await shell.furnish()
    other = shell.lock()
    with pytest.raises(StoreUnavailable):
        await shell.engine.ask(a_submit())
    faults = [shell.engine.store_fault]
    with pytest.raises(StoreUnavailable):
        await shell.engine.ask(e.Tick())
    faults.append(shell.engine.store_fault)
    other.close()

    await shell.engine.ask(e.Tick())

    assert all(fault is not None and "keeps" in fault for fault in faults)
    assert shell.engine.store_fault is None


async def test_work_counts_as_waiting_from_when_it_comes_until_its_step_is_stored(
    shell: Shell,
) -> None:
    await shell.furnish()
    idle = shell.engine.progress.idle_s()
    asking = asyncio.create_task(shell.engine.ask(a_submit()))
    await asyncio.sleep(0)
    waiting = shell.engine.progress.idle_s()
    await asking

    assert (idle, shell.engine.progress.idle_s()) == (0.0, 0.0)
    assert waiting > 0.0
