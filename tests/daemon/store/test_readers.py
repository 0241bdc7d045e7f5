import time
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from eaas.errors import Invalid
from eaas.ids import PoolName, QueueName, UserName
from eaas.lifecycle import ENDED, JobState
from eaas_daemon.core.model import Job
from eaas_daemon.store.database import Database
from eaas_daemon.store.readers import JobFilter, Reader, job_query
from tests.daemon.store.builders import a_job, a_key, a_line, a_step

S = JobState
FILTERS = (
    JobFilter(),
    JobFilter(ended=True),
    JobFilter(ended=False),
    JobFilter(states=frozenset({S.FAILED})),
    JobFilter(states=frozenset({S.FAILED, S.PENDING})),
    JobFilter(states=frozenset({S.FAILED, S.RUNNING}), ended=False),
    JobFilter(states=frozenset()),
    JobFilter(user=UserName("ann")),
    JobFilter(user=UserName("ann"), states=frozenset({S.CANCELLED})),
    JobFilter(pool=PoolName("lab"), user=UserName("bob"), ended=True),
    JobFilter(pool=PoolName("lab"), queue=QueueName("fast")),
)
STATES = (S.PENDING, S.SUCCEEDED, S.FAILED, S.RUNNING, S.CANCELLED, S.SUCCEEDED, S.TIMED_OUT)


@pytest.fixture
async def database(tmp_path: Path) -> AsyncIterator[Database]:
    async with Database(tmp_path / "controller.db") as database:
        yield database


@pytest.fixture
async def reader(database: Database) -> AsyncIterator[Reader]:
    async with Reader(database.path) as reader:
        yield reader


def a_varied_job(number: int) -> Job:
    return a_job(
        number,
        STATES[number % len(STATES)],
        user=("ann", "bob")[number % 2],
        pool=("lab", "home")[number % 3 == 0],
        queue=("default", "fast")[number % 5 == 0],
    )


def fits(job: Job, wanted: JobFilter) -> bool:
    return (
        (wanted.states is None or job.state in wanted.states)
        and wanted.ended in (None, job.ended)
        and wanted.user in (None, job.user)
        and wanted.pool in (None, job.pool)
        and wanted.queue in (None, job.queue)
    )


async def test_a_job_is_found_by_number_and_by_uid_as_soon_as_it_is_committed(
    database: Database, reader: Reader
) -> None:
    assert reader.job_by_number(1) is None
    await database.commit(a_step(a_job(1, S.FAILED)))

    assert reader.job_by_number(1) == a_job(1, S.FAILED)
    assert reader.job_by_uid(a_job(1).uid) == a_job(1, S.FAILED)
    assert reader.job_by_uid("none") is None
    assert reader.job_by_number(1 << 80) is None


async def test_an_idempotency_key_is_found_for_its_user_only(
    database: Database, reader: Reader
) -> None:
    await database.commit(a_step(keys=(a_key("k", jobs=(7, 8)),)))

    assert reader.find_key("ann", "k") == a_key("k", jobs=(7, 8))
    assert reader.find_key("bob", "k") is None


async def test_the_reader_can_not_write(reader: Reader) -> None:
    with pytest.raises(Exception, match="readonly"):
        reader._one("DELETE FROM jobs")


@pytest.mark.parametrize("wanted", FILTERS, ids=range(len(FILTERS)))
async def test_pages_show_every_job_that_fits_once_newest_first(
    database: Database, reader: Reader, wanted: JobFilter
) -> None:
    jobs = [a_varied_job(number) for number in range(1, 61)]
    await database.commit(a_step(*jobs))

    seen: list[Job] = []
    cursor = None
    while True:
        page = await reader.jobs(wanted, cursor=cursor, limit=4)
        seen += page.jobs
        if (cursor := page.next) is None:
            break

    assert seen == [job for job in reversed(jobs) if fits(job, wanted)]


async def test_jobs_that_arrive_meanwhile_do_not_shift_the_next_page(
    database: Database, reader: Reader
) -> None:
    await database.commit(a_step(*(a_job(number) for number in range(1, 6))))
    first = await reader.jobs(JobFilter(), limit=2)
    await database.commit(a_step(a_job(6)))
    second = await reader.jobs(JobFilter(), cursor=first.next, limit=2)

    assert [job.number for job in (*first.jobs, *second.jobs)] == [5, 4, 3, 2]


@pytest.mark.parametrize("cursor", ["", "x", "-1", "1; DROP TABLE jobs", "9" * 19, "²"])
async def test_a_cursor_nobody_gave_out_is_refused(reader: Reader, cursor: str) -> None:
    with pytest.raises(Invalid, match="cursor"):
        await reader.jobs(JobFilter(), cursor=cursor)


async def test_events_are_read_after_a_sequence_number_of_a_job_and_from_the_end(
    database: Database, reader: Reader
) -> None:
    lines = tuple(a_line(seq, job=seq % 2, data={"n": seq}) for seq in range(1, 8))
    await database.commit(a_step(journal=lines))

    assert await reader.events(after=5) == lines[5:]
    assert await reader.events(after=0, limit=2) == lines[:2]
    assert await reader.events(after=1, job=1) == lines[2::2]
    assert await reader.newest(3) == lines[-3:]


async def test_a_history_of_100_000_jobs_is_paged_without_a_wait(
    database: Database, reader: Reader
) -> None:
    states = sorted(ENDED)
    for start in range(1, 100_001, 10_000):
        await database.commit(
            a_step(
                *(
                    a_job(number, states[number % 4], user=f"u{number % 5}")
                    for number in range(start, start + 10_000)
                )
            )
        )

    slowest = {}
    for wanted in (
        JobFilter(),
        JobFilter(ended=True),
        JobFilter(states=frozenset({S.FAILED, S.CANCELLED})),
        JobFilter(user=UserName("u3")),
        JobFilter(user=UserName("nobody")),
        JobFilter(pool=PoolName("lab"), queue=QueueName("default")),
        JobFilter(ended=False),
    ):
        slowest[str(wanted)] = min([await paging_time(reader, wanted) for _ in range(5)])

    assert {wanted: took for wanted, took in slowest.items() if took > 0.020} == {}


async def paging_time(reader: Reader, wanted: JobFilter) -> float:
    start = time.perf_counter()
    await reader.jobs(wanted, cursor="50000", limit=100)
    return time.perf_counter() - start


@pytest.mark.parametrize("wanted", FILTERS, ids=range(len(FILTERS)))
async def test_no_page_sorts_or_scans_the_history(database: Database, wanted: JobFilter) -> None:
    query, arguments = job_query(wanted, before=50, limit=10)
    plan = await database._in_thread(
        lambda: [
            row[3] for row in database._open_one.execute(f"EXPLAIN QUERY PLAN {query}", arguments)
        ]
    )

    assert [line for line in plan if line.startswith("SCAN jobs")] == []


async def test_what_was_done_to_the_pool_is_read_newest_first_without_what_jobs_did(
    database: Database, reader: Reader
) -> None:
    kinds = ("token.created", "job.submitted", "node.joined", "queue.paused", "tokens.not", "log.x")
    lines = tuple(a_line(seq, kind=kind) for seq, kind in enumerate(kinds, 1))
    await database.commit(a_step(journal=lines))

    first = await reader.audit(before=None, limit=2)
    rest = await reader.audit(before=first[-1].seq, limit=2)

    assert [line.kind for line in first] == ["queue.paused", "node.joined"]
    assert [line.kind for line in rest] == ["token.created"]
