"""The one writer: takes events in batches, decides, stores, and only then answers and acts."""

import asyncio
import logging
from collections.abc import Sequence
from time import perf_counter
from typing import Any, Final, Protocol

from eaas.errors import EaasError, Unavailable
from eaas.progress import Progress
from eaas_daemon.clock import Clock
from eaas_daemon.core.changes import Changes
from eaas_daemon.core.effects import Effect
from eaas_daemon.core.events import Event, Tick
from eaas_daemon.core.picture import LogSize, Painter
from eaas_daemon.core.state import State
from eaas_daemon.core.step import step
from eaas_daemon.store.failures import StoreRefused, StoreUnavailable

log = logging.getLogger(__name__)

MAX_BATCH: Final = 1000
"""Events in one step at most, so that one transaction stays short."""

TICK_S: Final = 0.25

TRY_STORE_EVERY_S: Final = 5.0
"""How often the disk is tried again after it took nothing, whether or not there is anything."""


Waiting = tuple[Event, asyncio.Future[Any] | None]
"""An event, and who waits for its answer."""


class Store(Protocol):
    """What the engine needs of the database."""

    async def commit(self, changes: Changes) -> None:
        """Store everything in one transaction, or raise an ``EaasError`` and store nothing."""


class Done(Protocol):
    """What happened in one step, for those who listen."""

    def __call__(self, changes: Changes, effects: Sequence[Effect]) -> None:
        """Tell the world; runs before the next step."""

    def start_over(self) -> None:
        """Let everybody it tells begin anew: a step could not be told."""


class Meter(Protocol):
    """Takes note of what steps take."""

    def stepped(self, events: int, step_s: float, commit_s: float | None) -> None:
        """Hear of one stored step; ``commit_s`` is None when there was nothing to store."""


class InternalFault(EaasError):
    """A bug of ours; the controller goes on without what met it."""

    code = "internal_fault"
    http_status = 500


class Engine:
    """Owns the state. Everybody else asks, posts or looks at a painted picture."""

    def __init__(self, state: State, store: Store, clock: Clock, log_size: LogSize) -> None:
        self.state = state
        self._store = store
        self._clock = clock
        self._log_size = log_size
        self.progress: Final = Progress()
        self.is_running = False
        self.store_fault: str | None = None
        """Why nothing could be stored at the last try; None when something could."""
        self._tried_at = 0.0
        self._inbox: list[Waiting] = []
        self._under_way: Sequence[Waiting] = ()
        self._wake = asyncio.Event()
        self._stopping: str | None = None
        self._listeners: list[Done] = []
        self._meter: Meter | None = None
        self._painter: Painter | None = None
        self._at_rest: list[asyncio.Future[None]] = []

    def listen(self, listener: Done) -> None:
        """Let the listener hear of every stored step, in order."""
        self._listeners.append(listener)

    def measure(self, meter: Meter) -> None:
        """Let the meter hear of what every stored step takes."""
        self._meter = meter

    async def ask(self, event: Event) -> Any:
        """Return the event's answer once it is stored, or raise its refusal."""
        if self._stopping is not None:
            raise Unavailable(self._stopping)
        future: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self._inbox.append((event, future))
        self._woken()
        return await future

    def post(self, event: Event) -> None:
        """Let the event happen; nobody waits for an answer."""
        self._inbox.append((event, None))
        self._woken()

    def _woken(self) -> None:
        self.progress.waits()
        self._wake.set()

    def painter(self) -> Painter:
        """Return something that draws the stored state; use it before the next await."""
        if self._painter is None:
            self._painter = Painter(self.state, self._log_size, self._clock.now())
        return self._painter

    async def at_rest(self) -> None:
        """Wait until what is in memory is stored; true until the caller's next await."""
        if self._under_way:
            future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            self._at_rest.append(future)
            await future

    async def run(self) -> None:
        """Work until cancelled."""
        self.is_running = True
        try:
            while True:
                await self._wake.wait()
                self._wake.clear()
                while self._inbox:
                    batch, self._inbox = self._inbox[:MAX_BATCH], self._inbox[MAX_BATCH:]
                    self._under_way = batch
                    await self._work(batch)
                    self._under_way = ()
                    self.progress.moved(more=bool(self._inbox))
                    await self._let_look()
        finally:
            self.is_running = False
            self.refuse_all("the controller has stopped; whether this was stored is not known")

    async def _let_look(self) -> None:
        """Let those look who were answered or waited for this: nothing is half-done now."""
        for future in self._at_rest:
            if not future.done():
                future.set_result(None)
        self._at_rest.clear()
        await asyncio.sleep(0)

    async def tick(self) -> None:
        """Post the passing of time until cancelled."""
        while True:
            await asyncio.sleep(TICK_S)
            self.post(Tick())

    async def _work(self, batch: Sequence[Waiting]) -> None:
        try:
            answers = await self._stored([event for event, _ in batch])
        except (StoreRefused, InternalFault) as refusal:
            if len(batch) > 1:  # one of them can't be stored; the others must not suffer for it
                for each in batch:
                    await self._work([each])
                return
            # Planned at once again it would be refused again: wait for the pools to change.
            self.state.restless.clear()
            answers = [refusal]
        except EaasError as failure:
            answers = [failure] * len(batch)
        for (_, future), answer in zip(batch, answers, strict=True):
            _resolve(future, answer)

    async def _stored(self, events: Sequence[Event]) -> list[Any]:
        """Return the answers once the step is stored, or let it not have happened and raise."""
        begun = perf_counter()
        try:
            answers = step(self.state, events, self._clock.now())
            changes = self.state.changes()
            stepped = perf_counter()
            if not changes.empty or self._is_to_be_tried():
                await self._store.commit(changes)
                self.store_fault = None
        except EaasError as failure:
            if isinstance(failure, StoreUnavailable):
                self.store_fault = failure.sentence
            log.error("a step could not be stored and was taken back: %s", failure)
            self._take_back()
            raise
        except Exception as bug:
            names = ", ".join(sorted({type(event).__name__ for event in events}))
            log.exception("a step with %s met a bug and was taken back", names)
            self._take_back()
            raise InternalFault("this met a bug in the controller; its log has more") from bug
        if self._meter is not None:
            commit_s = None if changes.empty else perf_counter() - stepped
            self._meter.stepped(len(events), stepped - begun, commit_s)
        self._tell(changes)
        return answers

    def _is_to_be_tried(self) -> bool:
        """Tell whether the store failed and is due for another try, even with nothing to store."""
        now = perf_counter()
        if self.store_fault is None or now - self._tried_at < TRY_STORE_EVERY_S:
            return False
        self._tried_at = now
        return True

    def _take_back(self) -> None:
        self.state.undo_to(0)
        self.state.settle()
        self.state.restless.update(self.state.pools)
        self._painter = None

    def _tell(self, changes: Changes) -> None:
        self._painter = None
        effects = tuple(self.state.draft.effects)
        for listener in self._listeners:
            try:
                listener(changes, effects)
            except Exception:
                log.exception("a stored step could not be told; whom it concerns begins anew")
                listener.start_over()
        self.state.forget_ended(changes)
        self.state.settle()
        self._painter = None

    def refuse_all(self, why: str) -> None:
        """Refuse what still waits for an answer, and who asks from here on: the engine stops."""
        self._stopping = why
        for _, future in (*self._under_way, *self._inbox):
            _resolve(future, Unavailable(why))
        for looking in self._at_rest:
            looking.cancel()
        self._inbox.clear()


def _resolve(future: asyncio.Future[Any] | None, answer: Any) -> None:
    if future is None or future.done():
        return
    if isinstance(answer, EaasError):
        future.set_exception(answer)
    else:
        future.set_result(answer)
