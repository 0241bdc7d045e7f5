"""The client's view of change: frames as they come, and jobs followed until they end."""

import asyncio
import time
from collections.abc import AsyncGenerator, Callable, Collection
from contextlib import aclosing
from typing import Final

import aiohttp
import msgspec

from eaas.client.calls import Calls, place
from eaas.client.connection import Connection, Cut, NotUnderstood
from eaas.client.jobs import JobCalls
from eaas.errors import Unavailable, Unreachable
from eaas.lifecycle import ENDED
from eaas.views import EventView, JobView, Page
from eaas.wire.codec import UNREADABLE
from eaas.wire.to_client import AnyToClient, Changes, Snapshot, SnapshotJobs

FIRST_WAIT_S: Final = 0.2
LONGEST_WAIT_S: Final = 5.0
WITH_NUMBERS: Final = 2
"""Asks for frames in pieces, and for numbers without what stands beside them; an older controller
gives the pieces alone."""
PATIENCE_S: Final = 600.0
"""How long a wait outlasts a controller that went away: longer than any upgrade."""


class StreamCalls(JobCalls, Calls):
    """Follow what changes."""

    async def events(
        self, *, after: int | None = None, limit: int | None = None, job: int | None = None
    ) -> Page[EventView]:
        """Return lines of the journal in their order: those after a number, or the newest."""
        params = {"after": after, "limit": limit, "job": job}
        return await self._connection.call(Page[EventView], "GET", place("events"), params=params)

    async def stream(
        self, after: int | None = None, *, patience_s: float | None = None, pieces: bool = False
    ) -> AsyncGenerator[AnyToClient, None]:
        """Yield the stream's frames, going on after a cut where they stopped.

        The first frame is a ``Snapshot`` unless ``after`` could be resumed; a later ``Snapshot``
        means that it could not, and replaces everything. A controller that was never reached
        raises at once, one that went away after ``patience_s`` (None waits for ever).

        With ``pieces`` a long snapshot comes as several frames, a ``Snapshot`` that is not whole
        and ``SnapshotJobs``, and readings of several nodes as one ``ManyReadings``, with numbers
        alone of those nodes of which nothing else has changed.
        """
        resume = _Resume(after, patience_s)
        while True:
            try:
                async with aclosing(_frames(self._connection, resume.after, pieces)) as frames:
                    async for frame in frames:
                        if not resume.follows(frame):
                            break
                        yield frame
            except (Unreachable, Unavailable) as error:
                resume.check(error)
            await asyncio.sleep(resume.next_wait_s())

    async def watch(
        self, ids: Collection[int], *, patience_s: float | None = PATIENCE_S
    ) -> AsyncGenerator[JobView, None]:
        """Yield each job as it is and whenever it changes, until all have ended."""
        open_ids = set(ids)
        if not open_ids:
            return
        async with aclosing(self.stream(patience_s=patience_s)) as frames:
            async for frame in frames:
                async for view in self._seen(frame, frozenset(open_ids)):
                    yield view
                    if view.state in ENDED:
                        open_ids.discard(view.id)
                if not open_ids:
                    return

    async def until(self, id: int, holds: Callable[[JobView], bool]) -> JobView:
        """Return the job as soon as ``holds`` says yes to it, or when it has ended."""
        async with aclosing(self.watch([id])) as views:
            async for view in views:
                if holds(view) or view.state in ENDED:
                    return view
        raise AssertionError("a watch ends only with the job")

    async def wait(self, *ids: int, patience_s: float | None = PATIENCE_S) -> list[JobView]:
        """Return the jobs once all of them have ended, in the order asked for."""
        last: dict[int, JobView] = {}
        async with aclosing(self.watch(ids, patience_s=patience_s)) as views:
            async for view in views:
                last[view.id] = view
        return [last[id] for id in ids]

    async def _seen(self, frame: AnyToClient, ids: frozenset[int]) -> AsyncGenerator[JobView, None]:
        """Yield what the frame says of these jobs; a snapshot leaves out those that ended."""
        if not isinstance(frame, Snapshot | Changes):
            return
        found = {view.id: view for view in frame.jobs if view.id in ids}
        for id in sorted(ids):
            if id in found:
                yield found[id]
            elif isinstance(frame, Snapshot):
                yield await self.job(id)


class _Resume:
    """Where the stream stands, and how patient it still is."""

    def __init__(self, after: int | None, patience_s: float | None) -> None:
        self._seq = after
        self._is_whole = True
        self._patience_s: Final = patience_s
        self._was_reached = False
        self._lost_at: float | None = None
        self._wait_s = FIRST_WAIT_S

    @property
    def after(self) -> int | None:
        """Where to go on; None, from the start, while a snapshot is not whole."""
        return self._seq if self._is_whole else None

    def follows(self, frame: AnyToClient) -> bool:
        """Take note of the frame; False when one before it is missing."""
        if isinstance(frame, Changes) and self._seq is not None and frame.after != self._seq:
            self._seq = None
            return False
        if isinstance(frame, Snapshot | Changes):
            self._seq = frame.seq
        if isinstance(frame, Snapshot):
            self._is_whole = frame.whole
        elif isinstance(frame, SnapshotJobs):
            self._is_whole = frame.last
        self._was_reached, self._lost_at, self._wait_s = True, None, FIRST_WAIT_S
        return True

    def check(self, error: Unreachable | Unavailable) -> None:
        """Raise the error again when it is time to give up."""
        now = time.monotonic()
        self._lost_at = now if self._lost_at is None else self._lost_at
        patience_s = self._patience_s
        if not self._was_reached or (patience_s is not None and now - self._lost_at >= patience_s):
            raise error

    def next_wait_s(self) -> float:
        """Return how long to wait before knocking again, longer each time."""
        wait_s = self._wait_s
        self._wait_s = min(LONGEST_WAIT_S, wait_s * 2)
        return wait_s


async def _frames(
    connection: Connection, after: int | None, pieces: bool
) -> AsyncGenerator[AnyToClient, None]:
    decoder: msgspec.json.Decoder[AnyToClient] = msgspec.json.Decoder(AnyToClient)
    params = {"after": after, "pieces": WITH_NUMBERS if pieces else None}
    async with connection.listen(place("stream"), params) as websocket:
        async for message in websocket:
            if message.type is aiohttp.WSMsgType.TEXT:
                try:
                    yield decoder.decode(message.data)
                except UNREADABLE as error:
                    raise NotUnderstood(
                        "a frame of the stream is not understood: the controller may be of another "
                        f"version, update the older of the two ({error})"
                    ) from error
    if isinstance(websocket.exception(), TimeoutError):
        raise Cut(f"the controller at {connection.address} has fallen silent; it may hang")
    raise Cut(f"the controller at {connection.address} ended the stream")
