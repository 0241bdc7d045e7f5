from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from msgspec.structs import replace

from eaas.ids import CardUuid, NodeName, PoolName, QueueName
from eaas.lifecycle import JobState
from eaas.reasons import Exited
from eaas_daemon.core.changes import Changes
from eaas_daemon.core.model import Pool, Queue
from eaas_daemon.store.database import Database
from eaas_daemon.store.failures import StoreRefused
from eaas_daemon.store.transactions import KEEP_LIVES, Loaded, begin_life, read_all
from tests.daemon.store.builders import (
    CARD,
    a_claim,
    a_credential,
    a_job,
    a_key,
    a_line,
    a_node,
    a_share,
    a_step,
    an_attempt,
)

S = JobState


@pytest.fixture
async def database(tmp_path: Path) -> AsyncIterator[Database]:
    async with Database(tmp_path / "controller.db", clock=lambda: 1234.5) as database:
        yield database


async def claims(database: Database) -> list[tuple[object, ...]]:
    query = "SELECT card, job, attempt, claimed_at, released_at FROM claims ORDER BY id"
    return await database._in_thread(lambda: list(database._open_one.execute(query)))


async def test_a_job_comes_back_as_it_was_with_its_attempts_and_reason(database: Database) -> None:
    failed = an_attempt(1, S.FAILED)
    job = a_job(1, S.RUNNING, attempts=(failed, an_attempt(2, S.RUNNING)))
    job = a_job(2, S.UNKNOWN, attempts=job.attempts, reason=Exited(exit_code=3), infra_retries=1)
    await database.commit(a_step(a_job(2)))
    await database.commit(a_step(job))

    assert (await database.load()).jobs == (job,)


async def test_a_second_live_attempt_is_refused(database: Database) -> None:
    await database.commit(a_step(a_job(1, S.RUNNING, attempts=(an_attempt(1, S.RUNNING),))))

    with pytest.raises(StoreRefused, match="attempts"):
        await database.commit(a_step(a_job(1, S.STARTING, attempts=(an_attempt(2, S.STARTING),))))


async def test_the_next_attempt_may_begin_when_the_last_has_ended(database: Database) -> None:
    first = an_attempt(1, S.RUNNING)
    await database.commit(a_step(a_job(1, S.RUNNING, attempts=(first,))))
    both = (an_attempt(1, S.FAILED), an_attempt(2, S.STARTING))
    await database.commit(a_step(a_job(1, S.STARTING, attempts=both)))

    assert (await database.load()).jobs[0].attempts == both


async def test_one_step_may_end_several_attempts_and_begin_the_next(database: Database) -> None:
    first = an_attempt(1, S.RUNNING)
    await database.commit(a_step(a_job(1, S.RUNNING, attempts=(first,))))
    ended = (an_attempt(1, S.FAILED), an_attempt(2, S.FAILED), an_attempt(3, S.FAILED))
    every = (*ended, an_attempt(4, S.STARTING))
    await database.commit(a_step(a_job(1, S.STARTING, attempts=every)))

    assert (await database.load()).jobs[0].attempts == every


async def test_a_card_that_is_claimed_twice_is_refused(database: Database) -> None:
    await database.commit(a_step(a_job(1), a_job(2), claimed=(a_claim(1),)))

    with pytest.raises(StoreRefused, match="claims"):
        await database.commit(a_step(claimed=(a_claim(2),)))

    assert [row[1] for row in await claims(database)] == [a_job(1).uid]


async def test_shares_of_a_card_stand_beside_each_other_while_there_is_memory(
    database: Database,
) -> None:
    jobs = [a_job(number) for number in (1, 2, 3)]
    await database.commit(a_step(*jobs, claimed=(a_share(1, 12000), a_share(2, 8000))))

    with pytest.raises(StoreRefused, match="more of a card's memory than it has"):
        await database.commit(a_step(claimed=(a_share(3, 4001),)))

    await database.commit(a_step(claimed=(a_share(3, 4000),)))
    assert [row[1] for row in await claims(database)] == [job.uid for job in jobs]


async def test_what_one_share_gives_back_another_may_have_in_the_same_step(
    database: Database,
) -> None:
    await database.commit(a_step(a_job(1), a_job(2), claimed=(a_share(1, 20000),)))

    await database.commit(a_step(claimed=(a_share(2, 20000),), released=(a_share(1, 20000),)))

    assert [row[4] for row in await claims(database)] == [1234.5, None]


@pytest.mark.parametrize("shared_first", [True, False])
async def test_a_whole_card_is_never_claimed_beside_a_share_of_it(
    database: Database, shared_first: bool
) -> None:
    first, second = a_share(1, 1000), a_claim(2)
    if not shared_first:
        first, second = second, first
    await database.commit(a_step(a_job(1), a_job(2), claimed=(first,)))

    with pytest.raises(StoreRefused, match="claims"):
        await database.commit(a_step(claimed=(second,)))


async def test_a_job_never_has_two_shares_of_one_card(database: Database) -> None:
    await database.commit(a_step(a_job(1), claimed=(a_share(1, 1000),)))

    with pytest.raises(StoreRefused, match="claims"):
        await database.commit(a_step(claimed=(replace(a_share(1, 1000), attempt=2),)))


@pytest.mark.parametrize("share", [-1, 0])
async def test_a_share_of_nothing_is_refused(database: Database, share: int) -> None:
    with pytest.raises(StoreRefused, match="claims"):
        await database.commit(a_step(a_job(1), claimed=(a_share(1, share),)))


async def test_a_card_passes_from_one_job_to_the_next_in_one_step(database: Database) -> None:
    await database.commit(a_step(a_job(1), a_job(2), claimed=(a_claim(1),)))
    await database.commit(a_step(claimed=(a_claim(2),), released=(a_claim(1),)))

    assert await claims(database) == [
        ("GPU-1", a_job(1).uid, 1, 1234.5, 1234.5),
        ("GPU-1", a_job(2).uid, 1, 1234.5, None),
    ]


async def test_a_claim_taken_and_given_back_in_one_step_holds_nothing(database: Database) -> None:
    await database.commit(a_step(a_job(1), claimed=(a_claim(1),), released=(a_claim(1),)))
    await database.commit(a_step(a_job(2), claimed=(a_claim(2),)))


async def test_a_repeated_idempotency_key_is_refused(database: Database) -> None:
    await database.commit(a_step(a_job(1), keys=(a_key("k"),)))

    with pytest.raises(StoreRefused, match="keys"):
        await database.commit(a_step(a_job(2), keys=(a_key("k"),)))


@pytest.mark.parametrize("spool", [("s", 1, 3), ("s", 3, 3), ("s", 3, 9), ("s", 5, 4)])
async def test_facts_that_were_taken_already_are_refused(
    database: Database, spool: tuple[str, int, int]
) -> None:
    await database.commit(a_step(spools=(("s", 1, 3), ("other", 1, 1))))

    with pytest.raises(StoreRefused):
        await database.commit(a_step(a_job(1), spools=(spool,)))

    assert (await database.load()).spools == {"s": 3, "other": 1}
    assert (await database.load()).jobs == ()


async def test_one_step_may_take_several_runs_of_facts_from_a_spool(database: Database) -> None:
    await database.commit(a_step(spools=(("s", 1, 1), ("s", 2, 2), ("s", 7, 9))))

    assert (await database.load()).spools == {"s": 9}


async def test_a_number_is_never_given_to_a_second_job(database: Database) -> None:
    await database.commit(a_step(a_job(1)))

    with pytest.raises(StoreRefused, match="jobs"):
        await database.commit(a_step(a_job(1, uid="another")))


async def test_the_counters_never_go_back(database: Database) -> None:
    await database.commit(Changes(seq=10, next_number=5))

    with pytest.raises(StoreRefused, match="past sequence 9"):
        await database.commit(Changes(seq=9, next_number=5))
    with pytest.raises(StoreRefused, match="job 4"):
        await database.commit(Changes(seq=10, next_number=4))


async def test_a_line_of_history_is_never_written_over(database: Database) -> None:
    await database.commit(a_step(journal=(a_line(1),)))

    with pytest.raises(StoreRefused, match="journal"):
        await database.commit(a_step(journal=(a_line(1),)))


async def test_a_node_comes_back_without_its_session_and_readings(database: Database) -> None:
    known = a_node(draining=True, excluded=frozenset({CardUuid("GPU-1")}), labels={"rack": "2"})
    await database.commit(a_step(nodes=(a_node(), a_node("n2"))))
    here = a_node(
        draining=True,
        excluded=known.excluded,
        labels=known.labels,
        session="s1",
        cards=(CARD,),
        memory_used_mib=7,
        sampled_at=5.0,
    )
    await database.commit(a_step(nodes=(here,), gone_nodes=(NodeName("n2"),)))

    assert (await database.load()).nodes == (known,)


async def test_pools_come_back_with_members_and_queues(database: Database) -> None:
    lab = Pool(
        name=PoolName("lab"),
        members={NodeName("n1"): None, NodeName("n2"): (CardUuid("GPU-2"),)},
    )
    empty = Pool(name=PoolName("empty"))
    default = Queue(pool=lab.name, name=QueueName("default"), max_running=3)
    await database.commit(a_step(pools=(lab, empty), queues=(default,)))
    fewer = Pool(name=lab.name, members={NodeName("n2"): None})
    await database.commit(a_step(pools=(fewer,)))
    loaded = await database.load()

    assert loaded.pools == (empty, fewer)
    assert loaded.queues == (default,)


async def test_a_pool_that_goes_takes_its_queues_along_and_leaves_its_jobs(
    database: Database,
) -> None:
    lab = Pool(name=PoolName("lab"), members={NodeName("n1"): None})
    queues = tuple(Queue(pool=lab.name, name=QueueName(name)) for name in ("default", "fast"))
    await database.commit(a_step(a_job(1), pools=(lab,), queues=queues))
    await database.commit(a_step(gone_queues=("lab/fast",)))
    assert (await database.load()).queues == queues[:1]
    await database.commit(a_step(gone_pools=(lab.name,)))
    loaded = await database.load()

    assert (loaded.pools, loaded.queues, loaded.jobs) == ((), (), (a_job(1),))


async def test_credentials_come_back_as_they_last_were_and_those_that_went_do_not(
    database: Database,
) -> None:
    used, gone = a_credential(used_at=7.0), a_credential("uother")
    await database.commit(a_step(credentials=(a_credential(), gone)))
    await database.commit(a_step(credentials=(used,), gone_credentials=(gone.id,)))

    assert (await database.load()).credentials == (used,)


async def test_the_oldest_lives_are_forgotten_and_never_the_one_that_begins(
    database: Database,
) -> None:
    earlier = [(f"n{index:05}", 1.0, 7) for index in range(KEEP_LIVES + 1)]

    def begin() -> Loaded:
        connection = database._open_one
        connection.execute("DELETE FROM lives")
        connection.executemany("INSERT INTO lives VALUES (?, ?, ?)", earlier)
        begin_life(connection, "by-a-clock-that-was-set-back", 0.0)
        return read_all(connection, 0.0)

    loaded = await database._in_thread(begin)

    assert loaded.life == "by-a-clock-that-was-set-back"
    assert (min(loaded.lives), len(loaded.lives)) == ("n00001", KEEP_LIVES)
