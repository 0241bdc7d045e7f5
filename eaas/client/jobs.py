"""The client's calls about jobs."""

import asyncio
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from typing import Any, Final, TypeVar

from eaas.client.calls import Calls, JobName, place
from eaas.client.connection import Cut
from eaas.errors import Unreachable
from eaas.sample_views import JobSamplesView
from eaas.views import JobView, Page
from eaas.why_views import DryRunView, WhyView
from eaas.wire.rest import BatchAnswer, CancelJob, KeepJob, PatchJob, SubmitBatch

T = TypeVar("T")

RETRY_AFTER_S: Final = (0.1, 0.4, 1.5, 4.0)
"""Waits before a cut submit is sent again with the same key."""

EACH_PAGE: Final = 500
"""How many jobs are asked for at once where all are wanted."""

ONE: Final = {"one": 1}
"""A number means that very job, even where it is an array's too."""

Fields = Mapping[str, Any]
"""A job in the job file's vocabulary; ``with`` is a pack's hash."""


class JobCalls(Calls):
    """Submit, look at and steer jobs."""

    async def submit(
        self, fields: Fields, *, idempotency_key: str | None = None, force: bool = False
    ) -> JobView:
        """Submit one job; a cut connection is tried again with the same key.

        ``force`` accepts a job that no known card could ever hold.
        """
        return await self._submit(JobView, place("jobs"), fields, idempotency_key, force)

    async def submit_batch(
        self,
        jobs: Sequence[Fields],
        *,
        idempotency_key: str | None = None,
        force: bool = False,
    ) -> list[JobView]:
        """Submit all of the jobs or, when one is refused, none."""
        body = SubmitBatch(jobs=[dict(fields) for fields in jobs])
        answer = await self._submit(BatchAnswer, place("jobs:batch"), body, idempotency_key, force)
        return answer.items

    async def dry_run(self, fields: Fields) -> DryRunView:
        """Return what would become of the job, without submitting it."""
        return await self._connection.call(DryRunView, "POST", place("jobs:dry-run"), body=fields)

    async def job(self, id: JobName) -> JobView:
        """Return one job."""
        return await self._connection.call(JobView, "GET", place("jobs", id))

    async def jobs(
        self,
        *,
        state: str | None = None,
        pool: str | None = None,
        queue: str | None = None,
        user: str | None = None,
        all: bool = False,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> Page[JobView]:
        """Return one page of jobs; those that ended only with ``all`` or a ``state``."""
        params = {
            "state": state,
            "pool": pool,
            "queue": queue,
            "user": user,
            "all": 1 if all else None,
            "limit": limit,
            "cursor": cursor,
        }
        return await self._connection.call(Page[JobView], "GET", place("jobs"), params=params)

    async def each_job(self, *, limit: int | None = None, **filters: Any) -> AsyncIterator[JobView]:
        """Yield the jobs of all pages, ``limit`` at most; filters as in ``jobs``."""
        cursor: str | None = None
        left = limit
        while left is None or left > 0:
            page = await self.jobs(
                limit=min(left or EACH_PAGE, EACH_PAGE), cursor=cursor, **filters
            )
            for view in page.items[:left]:
                yield view
            left = None if left is None else left - len(page.items)
            if (cursor := page.next) is None:
                return

    async def why(self, id: JobName) -> WhyView:
        """Return why the job stands where it stands."""
        path = place("jobs", id, "why")
        return await self._connection.call(WhyView, "GET", path, params=ONE)

    async def job_samples(self, id: JobName, *, attempt: int | None = None) -> JobSamplesView:
        """Return what the cards of an attempt did over its whole run; None is the newest one."""
        path, params = place("jobs", id, "samples"), {"attempt": attempt}
        return await self._connection.call(JobSamplesView, "GET", path, params=params)

    async def cancel(self, id: JobName, *, grace_s: float | None = None) -> JobView:
        """Ask the job to stop; one that ended already is left as it is."""
        return await self._do(id, "cancel", CancelJob(grace_s=grace_s))

    async def patch(
        self, id: JobName, *, priority: int | None = None, queue: str | None = None
    ) -> JobView:
        """Change a job's priority or move it to another queue."""
        body = PatchJob(priority=priority, queue=queue)
        path = place("jobs", id)
        return await self._connection.call(JobView, "PATCH", path, params=ONE, body=body)

    async def top(self, id: JobName) -> JobView:
        """Make the job the next of its queue."""
        return await self._do(id, "top")

    async def retry(self, id: JobName) -> JobView:
        """Let an ended job run once more."""
        return await self._do(id, "retry")

    async def keep(self, id: JobName, *, for_s: float) -> JobView:
        """Keep the job's workspace for this long from now."""
        return await self._do(id, "keep", KeepJob(for_s=for_s))

    async def _do(self, id: JobName, verb: str, body: object = None) -> JobView:
        path = place("jobs", id, verb)
        return await self._connection.call(JobView, "POST", path, params=ONE, body=body)

    async def _submit(
        self, answer: type[T], path: str, body: object, key: str | None, force: bool
    ) -> T:
        key = key or str(uuid.uuid4())

        async def send() -> T:
            return await self._connection.call(
                answer,
                "POST",
                path,
                body=body,
                params={"force": 1 if force else None},
                headers={"Idempotency-Key": key},
            )

        return await _tried_again(send, key)


async def _tried_again(send: Callable[[], Awaitable[T]], key: str) -> T:
    """Send until an answer comes; once something was sent, a silent controller is waited for."""
    was_sent = False
    for wait_s in (*RETRY_AFTER_S, None):
        try:
            return await send()
        except Unreachable as error:
            was_sent = was_sent or isinstance(error, Cut)
            if not was_sent:
                raise
            if wait_s is None:
                raise Unreachable(
                    f"{error.sentence}; the job may have been accepted, and submitting it again "
                    f"with --idempotency-key {key} can't submit it twice"
                ) from error
            await asyncio.sleep(wait_s)
    raise AssertionError("the last try returns or raises")
