import asyncio
import resource
import signal
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from eaas.lives import Obeyed
from eaas.wire.from_agent import AttemptStopping, Spooled
from eaas_agent.changes import Changes, Touched
from eaas_agent.ledger import RESERVE_BYTES, Ledger, LedgerFull, who_was_obeyed
from eaas_agent.model import Attempt
from tests.rig.agents import an_order

DAY_S = 86400.0


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[Ledger]:
    with Ledger(tmp_path / "ledger.db") as ledger:
        yield ledger


def a_fact(seq: int) -> Spooled:
    return Spooled(seq, AttemptStopping(uid="job", attempt=1, at=float(seq)))


def touching(uid: str, attempt: int = 1, keep_s: float = 60.0, at: float = 1000.0) -> Changes:
    changes = Changes()
    changes.touched.append(Touched(uid, attempt, keep_s, at))
    return changes


async def test_what_was_committed_is_there_after_a_crash(tmp_path: Path) -> None:
    attempt = Attempt(order=an_order(), state="running", boot_id="b", handle="h")
    changes = Changes()
    changes.attempts[attempt.key] = attempt
    changes.facts.append(a_fact(1))
    changes.meta.update(epoch="4", life="l-1", life_seq="17")
    with Ledger(tmp_path / "ledger.db") as ledger:
        first = ledger.recover()
        await ledger.commit(changes)
        for name in ("ledger.db", "ledger.db-wal"):  # what a crash would leave
            (tmp_path / f"copy-{name}").write_bytes((tmp_path / name).read_bytes())

    with Ledger(tmp_path / "copy-ledger.db") as ledger:
        again = ledger.recover()
        facts = ledger.facts_after(0, 10)

    assert (again.node_uid, again.spool_id) == (first.node_uid, first.spool_id)
    assert (again.attempts, again.last_seq) == ((attempt,), 1)
    assert again.obeyed == Obeyed(epoch=4, life="l-1", seq=17)
    assert facts == (a_fact(1),)


async def test_who_was_obeyed_can_be_read_while_an_agent_is_at_work(tmp_path: Path) -> None:
    changes = Changes()
    changes.meta.update(epoch="4", life="l-1", life_seq="17")
    assert who_was_obeyed(tmp_path / "ledger.db") == Obeyed()

    with Ledger(tmp_path / "ledger.db") as ledger:
        await ledger.commit(changes)

        assert who_was_obeyed(tmp_path / "ledger.db") == Obeyed(epoch=4, life="l-1", seq=17)


async def test_a_forgotten_attempt_is_gone_but_its_number_is_not(ledger: Ledger) -> None:
    attempt = Attempt(order=an_order(attempt=3), state="ended", boot_id="b")
    changes = touching(attempt.order.uid, 3)
    changes.attempts[attempt.key] = attempt
    await ledger.commit(changes)
    forgotten = Changes()
    forgotten.attempts[attempt.key] = None

    await ledger.commit(forgotten)

    assert ledger.recover().attempts == ()
    assert ledger.highest([attempt.order.uid, "stranger"]) == {attempt.order.uid: 3}


async def test_the_highest_attempt_never_sinks(ledger: Ledger) -> None:
    await ledger.commit(touching("job", 5))
    await ledger.commit(touching("job", 2))

    assert ledger.highest(["job"]) == {"job": 5}


async def test_a_refused_commit_leaves_nothing_of_itself(ledger: Ledger) -> None:
    changes = Changes()
    changes.facts.extend([a_fact(1), a_fact(1)])

    with pytest.raises(sqlite3.IntegrityError):
        await ledger.commit(changes)

    assert ledger.facts_after(0, 10) == ()
    await ledger.commit(touching("job"))


async def test_workspaces_expire_after_the_end_of_their_job(ledger: Ledger) -> None:
    await ledger.commit(touching("job"))
    assert ledger.expired(now=5000.0) == []
    ended = Changes()
    ended.ended_jobs.append((2000.0, "job"))
    await ledger.commit(ended)

    assert ledger.expired(now=2059.0) == []
    assert ledger.expired(now=2061.0) == ["job"]
    assert ledger.ended_first() == ["job"]


async def test_a_job_whose_end_nobody_told_expires_much_later(ledger: Ledger) -> None:
    await ledger.commit(touching("job"))

    assert ledger.expired(now=1000.0 + 31 * DAY_S) == ["job"]


async def test_a_person_can_keep_a_workspace_longer(ledger: Ledger) -> None:
    await ledger.commit(touching("job"))
    changes = Changes()
    changes.ended_jobs.append((2000.0, "job"))
    changes.keep_until.append((9000.0, "job"))
    await ledger.commit(changes)

    assert ledger.expired(now=8999.0) == []
    assert ledger.expired(now=9001.0) == ["job"]


async def test_a_job_that_runs_again_has_no_end(ledger: Ledger) -> None:
    await ledger.commit(touching("job"))
    ended = Changes()
    ended.ended_jobs.append((2000.0, "job"))
    await ledger.commit(ended)

    await ledger.commit(touching("job", 2, at=2010.0))

    assert ledger.ended_first() == []


async def test_a_deleted_workspace_is_not_deleted_again(ledger: Ledger) -> None:
    changes = touching("job")
    changes.ended_jobs.append((2000.0, "job"))
    await ledger.commit(changes)
    gone = Changes()
    gone.gone_workspaces.append("job")
    await ledger.commit(gone)

    assert ledger.expired(now=1e9) == []
    assert ledger.highest(["job"]) == {"job": 1}


async def test_pruned_facts_do_not_bring_their_numbers_back(ledger: Ledger) -> None:
    changes = Changes()
    changes.facts.extend(a_fact(seq) for seq in range(1, 6))
    changes.prune_facts_to = 5
    changes.meta["last_seq"] = "5"
    await ledger.commit(changes)

    assert ledger.facts_after(0, 10) == ()
    assert ledger.recover().last_seq == 5


async def test_a_full_disk_gives_up_its_reserve_for_results(tmp_path: Path) -> None:
    big = Changes()
    big.facts.append(Spooled(1, AttemptStopping(uid="x" * 3_000_000, attempt=1, at=0.0)))
    with Ledger(tmp_path / "ledger.db") as ledger, _files_no_larger_than(1 << 20):
        with pytest.raises(LedgerFull):
            await ledger.commit(big)
        reserve_was_used = not (tmp_path / "reserve").exists()
        await ledger.commit(touching("job"))
        assert not ledger.refill()

    assert reserve_was_used


async def test_the_reserve_comes_back_when_there_is_room(ledger: Ledger, tmp_path: Path) -> None:
    (tmp_path / "reserve").unlink()

    assert ledger.refill()
    assert (tmp_path / "reserve").stat().st_size == RESERVE_BYTES


async def test_commits_from_many_tasks_all_arrive(ledger: Ledger) -> None:
    await asyncio.gather(*(ledger.commit(touching(f"job-{n}")) for n in range(50)))

    assert len(ledger.highest(f"job-{n}" for n in range(50))) == 50


@contextmanager
def _files_no_larger_than(size: int) -> Iterator[None]:
    """Stand in for a full disk: the kernel refuses to grow a file beyond this."""
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, limits[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        signal.signal(signal.SIGXFSZ, handler)
