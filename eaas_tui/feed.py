"""The console's one ear: follows the controller's stream into the store, for as long as it runs."""

import asyncio
import gc
import random
import time
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing
from typing import Final, Literal, NoReturn, Protocol

from eaas.errors import EaasError, Forbidden, Unauthenticated
from eaas.sample_views import NodeSamplesView
from eaas.units import utc_text
from eaas.views import EventView, Page, StatusView
from eaas.wire.to_client import AnyToClient, Changes, Snapshot, SnapshotJobs
from eaas_tui.model.store import Store
from eaas_tui.recording import Recorded, Recorder

FIRST_WAIT_S: Final = 0.2
LONGEST_WAIT_S: Final = 5.0
EARLIER_EVENTS: Final = 200
"""How much of the journal is fetched when the console begins to look."""


class Source(Protocol):
    """What of the client library a feed needs."""

    async def status(self) -> StatusView:
        """Return the controller in one glance."""

    async def samples(self) -> list[NodeSamplesView]:
        """Return what every node and its cards did lately."""

    async def events(
        self, *, after: int | None = None, limit: int | None = None, job: int | None = None
    ) -> Page[EventView]:
        """Return lines of the journal."""

    def stream(
        self, after: int | None = None, *, patience_s: float | None = None, pieces: bool = False
    ) -> AsyncGenerator[AnyToClient, None]:
        """Yield frames until the connection breaks."""


async def follow(
    source: Source,
    store: Store,
    on_change: Callable[[], None],
    *,
    recorder: Recorder | None = None,
    clock: Callable[[], float] = time.time,
    chance: Callable[[], float] = random.random,
    pause: Callable[[float], Awaitable[None]] = asyncio.sleep,
) -> NoReturn:
    """Keep the store like the controller, whatever happens to the connection. Never returns.

    ``on_change`` is called after every frame and every change of the link; it must be quick.
    """
    ear = _Ear(source, store, on_change, recorder, clock)
    backoff = Backoff(chance)
    ear.tell("connecting")
    while True:
        try:
            await ear.listen(backoff.reset)
        except (Unauthenticated, Forbidden) as error:
            ear.tell("refused", error.sentence)
        except EaasError as error:
            ear.tell("away", error.sentence)
        except OSError as error:
            ear.tell("away", f"the connection broke: {error}")
        await pause(backoff.next_s())


class Backoff:
    """How long to wait before knocking again: longer each time, and never all at the same time."""

    def __init__(self, chance: Callable[[], float]) -> None:
        self._chance = chance
        self._longest_s = FIRST_WAIT_S

    def next_s(self) -> float:
        """Return the next wait: between half of what it may be and all of it."""
        longest_s, self._longest_s = self._longest_s, min(LONGEST_WAIT_S, self._longest_s * 2)
        return longest_s * (1 + self._chance()) / 2

    def reset(self) -> None:
        """Begin with short waits again."""
        self._longest_s = FIRST_WAIT_S


class _Ear:
    """One store, and what is told to it."""

    def __init__(
        self,
        source: Source,
        store: Store,
        on_change: Callable[[], None],
        recorder: Recorder | None,
        clock: Callable[[], float],
    ) -> None:
        self._source = source
        self._store = store
        self._on_change = on_change
        self._recorder = recorder
        self._clock = clock

    def tell(
        self, state: Literal["connecting", "live", "away", "refused"], text: str | None = None
    ) -> None:
        """Say how it stands with the controller."""
        self._store.link(state, text, self._clock())
        self._on_change()

    async def listen(self, reached: Callable[[], None]) -> None:
        """Follow one connection until it breaks, which raises.

        The status comes first: it says who is asking and what is wrong with the whole, its refusals
        are sentences, and where it has the store's own number nothing has happened, so that no
        frame need be waited for.
        """
        store = self._store
        status = await self._source.status()
        store.knows(status.user, is_admin=status.role == "admin")
        store.stands(status.conditions, status.seq)
        after = store.seq if store.epoch == status.epoch and store.is_whole else None
        if after is not None and after == status.seq:
            self.tell("live")
        before: asyncio.Task[None] | None = None
        try:
            async with aclosing(self._source.stream(after, patience_s=0, pieces=True)) as frames:
                async for frame in frames:
                    reached()
                    self._take(frame)
                    if isinstance(frame, Snapshot | SnapshotJobs) and store.is_whole:
                        await self._recall()
                        gc.freeze()  # thousands of views that stay need not be looked at again
                    if before is None and store.is_whole:
                        before = asyncio.create_task(self._recall_samples())
        finally:
            if before is not None:
                before.cancel()

    def _take(self, frame: AnyToClient) -> None:
        now = self._clock()
        self._store.apply(frame, now)
        if self._recorder is not None:
            self._recorder.write(Recorded.heard(frame, now, self._store))
        if self._store.is_whole:
            self.tell("live")

    async def _recall(self) -> None:
        """Fetch what the journal says of the time before: a snapshot has no events."""
        page = await self._source.events(limit=EARLIER_EVENTS)
        if page.items:
            seq, events = self._store.seq, tuple(page.items)
            self._take(Changes(after=seq, seq=seq, at=utc_text(self._clock()), events=events))

    async def _recall_samples(self) -> None:
        """Fetch what the cards did while this console did not look; it goes on without."""
        try:
            nodes = await self._source.samples()
        except (EaasError, OSError):
            return
        for node in nodes:
            self._store.fill((node,), self._clock())
            await asyncio.sleep(0)  # keys and frames come first
        self._on_change()
