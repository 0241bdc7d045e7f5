"""The client's calls about arrays, and those that may mean one job or several tasks."""

import msgspec

from eaas.array_views import ArrayDone, ArrayView
from eaas.client.calls import Calls, JobName, place
from eaas.views import JobView
from eaas.why_views import WhyView
from eaas.wire.rest import CancelJob, KeepJob, PatchJob

Done = JobView | ArrayDone
"""The job, or what was done to tasks of an array where the name means several."""


class _Told(msgspec.Struct, frozen=True):
    changed: int | None = None


class ArrayCalls(Calls):
    """Look at arrays, and steer whatever a name means: a job, or tasks of an array."""

    async def array(self, id: JobName) -> ArrayView:
        """Return the array of that number."""
        return await self._connection.call(ArrayView, "GET", place("jobs", id, "array"))

    async def cancel_all(self, id: JobName, *, grace_s: float | None = None) -> Done:
        """Ask the job or the tasks to stop."""
        return await self._steer("POST", id, "cancel", body=CancelJob(grace_s=grace_s))

    async def patch_all(
        self, id: JobName, *, priority: int | None = None, queue: str | None = None
    ) -> Done:
        """Change the priority of the job or the tasks, or move them to another queue."""
        return await self._steer("PATCH", id, body=PatchJob(priority=priority, queue=queue))

    async def top_all(self, id: JobName) -> Done:
        """Make the job or the tasks the next of their queue."""
        return await self._steer("POST", id, "top")

    async def retry_all(self, id: JobName) -> Done:
        """Let the ended job, or the tasks that have not succeeded, run once more."""
        return await self._steer("POST", id, "retry")

    async def keep_all(self, id: JobName, *, for_s: float) -> Done:
        """Keep the workspaces for this long from now."""
        return await self._steer("POST", id, "keep", body=KeepJob(for_s=for_s))

    async def why_all(self, id: JobName) -> WhyView:
        """Return why the job waits, or of an array the first task that does."""
        return await self._connection.call(WhyView, "GET", place("jobs", id, "why"))

    async def _steer(self, method: str, id: JobName, *verb: str, body: object = None) -> Done:
        path = place("jobs", id, *verb)
        content = bytes(await self._connection.call(msgspec.Raw, method, path, body=body))
        asked = f"{method} {path}"
        if self._connection.understood(content, _Told, asked).changed is None:
            return self._connection.understood(content, JobView, asked)
        return self._connection.understood(content, ArrayDone, asked)
