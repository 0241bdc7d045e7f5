import asyncio
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from eaas.errors import Conflict, Unavailable
from eaas.job_spec import read_spec
from eaas.lifecycle import JobState
from eaas.wire import from_agent as wire
from eaas_daemon.core import events as e
from eaas_daemon.core.changes import Changes, ClaimRow
from eaas_daemon.core.effects import Acknowledge, Dispatch, Effect
from eaas_daemon.core.invariants import broken
from eaas_daemon.engine import TICK_S, InternalFault
from eaas_daemon.store.failures import StoreFull, StoreRefused, StoreUnavailable
from tests.daemon.shell import Shell, a_submit
from tests.rig.builders import ADMIN, ALICE, a_hello, an_inventory
from tests.rig.listener import Listener
from tests.rig.snapshot import snapshot


async def test_an_answer_is_stored_when_it_comes(shell: Shell) -> None:
    await shell.furnish()

    (job,) = await shell.engine.ask(a_submit())

    assert shell.reader.job_by_number(job.number) == job
    assert job.state is JobState.STARTING


async def test_listeners_hear_of_a_step_after_it_is_stored_and_before_its_answer(
    shell: Shell,
) -> None:
    await shell.furnish()
    stored: list[bool] = []
    shell.engine.listen(
        Listener(lambda changes, effects: stored.append(shell.reader.job_by_number(1) is not None))
    )

    (job,) = await shell.engine.ask(a_submit())

    assert stored == [True]
    ((changes, effects),) = shell.steps
    assert changes.jobs == (job,)
    assert effects == (Dispatch(node=job.attempts[0].node, uid=job.uid),)


async def test_a_refusal_reaches_the_one_who_asked(shell: Shell) -> None:
    await shell.furnish()

    with pytest.raises(Conflict):
        await shell.engine.ask(e.CreatePool(caller=ADMIN, name="default"))


async def test_what_comes_together_is_stored_together_and_answered_in_order(shell: Shell) -> None:
    await shell.furnish()

    answers = await asyncio.gather(*(shell.engine.ask(a_submit()) for _ in range(50)))

    assert [jobs[0].number for jobs in answers] == list(range(1, 51))
    assert len(shell.steps) == 1


async def test_an_asker_who_has_gone_does_not_disturb(shell: Shell) -> None:
    await shell.furnish()
    asking = asyncio.create_task(shell.engine.ask(a_submit()))
    await asyncio.sleep(0)
    asking.cancel()

    await shell.engine.ask(a_submit())

    assert shell.reader.job_by_number(1) is not None


async def test_a_locked_database_refuses_and_leaves_the_state_as_it_was(shell: Shell) -> None:
    await shell.furnish()
    await shell.engine.ask(a_submit())
    before = snapshot(shell.engine.state)
    other = shell.lock()

    refused = await asyncio.gather(
        *(shell.engine.ask(a_submit()) for _ in range(3)), return_exceptions=True
    )
    other.close()

    assert [type(error) for error in refused] == [StoreUnavailable] * 3
    assert snapshot(shell.engine.state) == before
    assert broken(shell.engine.state) == []


async def test_after_the_database_is_writable_again_all_goes_on(shell: Shell) -> None:
    await shell.furnish()
    other = shell.lock()
    with pytest.raises(StoreUnavailable):
        await shell.engine.ask(a_submit())
    other.close()

    (job,) = await shell.engine.ask(a_submit())

    assert (job.number, job.state) == (1, JobState.STARTING)
    assert [line.kind for line in shell.steps[-1][0].journal] == ["job.submitted", "job.placed"]


async def test_facts_are_acknowledged_once_they_are_stored_and_not_before(shell: Shell) -> None:
    await shell.furnish()
    (job,) = await shell.engine.ask(a_submit())
    fact = wire.AttemptRunning(uid=job.uid, attempt=1, started_at=1.0, handle="c")
    facts = wire.Facts(spool_id="spool", facts=(wire.Spooled(1, fact),))
    said = e.AgentSaidFacts(node=job.attempts[0].node, session="s", facts=facts)
    shell.steps.clear()
    other = shell.lock()
    with pytest.raises(StoreUnavailable):
        await shell.engine.ask(said)
    other.close()
    assert shell.steps == []

    await shell.engine.ask(said)

    ((_, effects),) = shell.steps
    assert effects == (Acknowledge(node=said.node, spool_id="spool", seq=1),)


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of 1 MiB; only root can make one."""
    disk = tmp_path / "disk"
    disk.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", disk], capture_output=True
    )
    if mounted.returncode != 0:
        pytest.skip(f"can't mount a small disk: {mounted.stderr.decode().strip()}")
    yield disk
    subprocess.run(["umount", disk], check=True)


async def test_a_full_disk_refuses_and_leaves_the_state_as_it_was_until_there_is_room(
    small_disk: Path,
) -> None:
    ballast = small_disk / "ballast"
    ballast.write_bytes(bytes(256 << 10))
    shell = Shell(small_disk)
    await shell.start()
    try:
        await shell.furnish()
        big = read_spec({"image": "busybox", "env": {"A": "x" * 30_000}})
        before, refused = snapshot(shell.engine.state), None
        while refused is None:
            before = snapshot(shell.engine.state)
            try:
                await shell.engine.ask(e.Submit(caller=ALICE, specs=(big,)))
            except StoreFull as error:
                refused = error
        assert snapshot(shell.engine.state) == before
        assert broken(shell.engine.state) == []

        ballast.unlink()
        (job,) = await shell.engine.ask(a_submit())

        assert shell.reader.job_by_number(job.number) == job
    finally:
        await shell.stop()


async def test_what_waited_for_room_is_placed_although_the_step_that_made_it_was_taken_back(
    shell: Shell,
) -> None:
    await shell.furnish()
    await shell.engine.ask(e.SetDraining(caller=ADMIN, node="n1", draining=True))
    (job,) = await shell.engine.ask(a_submit())
    other = shell.lock()
    with pytest.raises(StoreUnavailable):
        await shell.engine.ask(e.SetDraining(caller=ADMIN, node="n1", draining=False))
    other.close()

    await shell.engine.ask(e.SetDraining(caller=ADMIN, node="n1", draining=False))

    placed = shell.engine.state.job(job.uid)
    assert placed is not None
    assert placed.state is JobState.STARTING


async def test_one_event_that_can_not_be_stored_does_not_take_the_others_with_it(
    shell: Shell,
) -> None:
    """The database knows a claim on the only card that the state does not know."""
    await shell.furnish()
    (job,) = await shell.engine.ask(e.Submit(caller=ALICE, specs=(read_spec({"image": "x"}),)))
    claim = ClaimRow(job=job.uid, attempt=1, node=job.attempts[0].node, card="GPU-n1-0")
    state = shell.engine.state
    await shell.database.commit(
        Changes(seq=state.seq, next_number=state.next_number, claimed=(claim,))
    )

    answers = await asyncio.gather(
        shell.engine.ask(e.CreatePool(caller=ADMIN, name="a")),
        shell.engine.ask(a_submit()),
        shell.engine.ask(e.CreatePool(caller=ADMIN, name="b")),
        return_exceptions=True,
    )

    assert [type(answer).__name__ for answer in answers] == ["Pool", "StoreRefused", "Pool"]
    assert isinstance(answers[1], StoreRefused)
    assert set(state.pools) == {"default", "a", "b"}


async def test_posted_events_happen_though_nobody_waits(shell: Shell) -> None:
    shell.engine.post(e.CreatePool(caller=ADMIN, name="lab"))

    with pytest.raises(Conflict):
        await shell.engine.ask(e.CreatePool(caller=ADMIN, name="lab"))


async def test_the_clock_ticks(shell: Shell) -> None:
    hello = a_hello("n1", an_inventory())
    await shell.engine.ask(e.AgentSaidHello(session="s", address=None, hello=hello))
    ticked = asyncio.Event()
    shell.engine.listen(Listener(lambda changes, effects: ticked.set()))

    ticking = asyncio.create_task(shell.engine.tick())
    async with asyncio.timeout(80 * TICK_S):
        await ticked.wait()
    ticking.cancel()

    assert shell.engine.state.last_tick_at is not None


async def test_a_painter_draws_the_state_after_the_step(shell: Shell) -> None:
    await shell.furnish()
    before = shell.engine.painter()
    assert shell.engine.painter() is before

    (job,) = await shell.engine.ask(a_submit())

    assert shell.engine.painter() is not before
    assert shell.engine.painter().job(job).state == "Starting"


async def test_nobody_is_left_waiting_when_the_engine_stops(tmp_path: Path) -> None:
    shell = Shell(tmp_path)
    await shell.start()
    asking = asyncio.create_task(shell.engine.ask(e.CreatePool(caller=ADMIN, name="lab")))
    await asyncio.sleep(0)

    await shell.stop()

    with pytest.raises(Unavailable):
        await asking
    with pytest.raises(Unavailable, match="has stopped"):
        await shell.engine.ask(e.CreatePool(caller=ADMIN, name="lab"))


async def test_who_is_refused_at_the_end_hears_why(shell: Shell) -> None:
    asking = asyncio.create_task(shell.engine.ask(e.CreatePool(caller=ADMIN, name="lab")))
    await asyncio.sleep(0)

    shell.engine.refuse_all("stopping; try again")

    with pytest.raises(Unavailable, match="try again"):
        await asking


async def test_a_restart_goes_on_where_the_last_answer_was_given(tmp_path: Path) -> None:
    first = Shell(tmp_path)
    await first.start()
    await first.furnish()
    jobs = await first.engine.ask(a_submit(3))
    await first.stop()

    second = Shell(tmp_path)
    await second.start()
    try:
        state = second.engine.state
        assert tuple(state.job(job.uid) for job in jobs) == jobs
        assert broken(state) == []
        (job,) = await second.engine.ask(a_submit())
        assert (job.number, job.state) == (4, JobState.PENDING)
    finally:
        await second.stop()


class Strange(e.Event, frozen=True, kw_only=True):
    """An event that no handler knows: a bug as good as any."""


async def test_a_bug_that_one_event_meets_refuses_that_one_and_nothing_else(shell: Shell) -> None:
    await shell.furnish()

    submit = asyncio.ensure_future(shell.engine.ask(a_submit()))
    with pytest.raises(InternalFault):
        await shell.engine.ask(Strange())

    (job,) = await submit
    assert shell.reader.job_by_number(job.number) == job
    assert broken(shell.engine.state) == []


async def test_a_listener_that_fails_begins_anew_and_the_engine_goes_on(shell: Shell) -> None:
    def fail(changes: Changes, effects: Sequence[Effect]) -> None:
        raise ZeroDivisionError

    broken_one = Listener(fail)
    shell.engine.listen(broken_one)

    await shell.engine.ask(e.CreatePool(caller=ADMIN, name="default"))

    assert broken_one.starts == 1
    assert len(shell.steps) == 1


async def test_who_looks_while_a_step_is_being_stored_sees_it_stored(shell: Shell) -> None:
    await shell.furnish()
    submit = asyncio.create_task(shell.engine.ask(a_submit()))
    await asyncio.sleep(0)  # the submit is in the inbox
    await asyncio.sleep(0)  # and the engine has begun its step
    assert shell.engine.state.jobs

    await shell.engine.at_rest()

    (job,) = shell.engine.state.jobs.values()
    assert shell.reader.job_by_number(job.number) == job
    await submit
