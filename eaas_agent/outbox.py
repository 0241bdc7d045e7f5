"""Everything that waits to be said on the control link, in the order of its weight."""

import asyncio
from collections.abc import Callable
from typing import Final

from eaas.wire.from_agent import AnyFromAgent, Progress
from eaas_agent.runtimes.port import AttemptKey, Phase
from eaas_agent.spool import Spool

PROGRESS_EVERY_S: Final = 0.5


class Outbox:
    """Facts first, then passing messages, then the newest progress of every attempt."""

    def __init__(self, spool: Spool, *, monotonic: Callable[[], float]) -> None:
        self.spool: Final = spool
        self._monotonic = monotonic
        self._messages: list[AnyFromAgent] = []
        self._progress: dict[AttemptKey, Progress] = {}
        self._progress_at = 0.0
        """No progress is sent before this moment."""
        self._progress_timer: asyncio.TimerHandle | None = None
        self._wake = asyncio.Event()
        self._open = False

    def connected(self, acked_seq: int) -> None:
        """Start a new connection: passing messages of the one before are void."""
        self._open = True
        self._messages.clear()
        self._progress.clear()
        self.spool.connected(acked_seq)
        self._wake.set()

    def disconnected(self) -> None:
        """Take nothing more until the next connection."""
        self._open = False
        self.spool.disconnected()
        if self._progress_timer is not None:
            self._progress_timer.cancel()
            self._progress_timer = None

    def wake(self) -> None:
        """Look again: facts were committed or the window moved."""
        self._wake.set()

    def say(self, message: AnyFromAgent) -> None:
        """Send a passing message, if there is a connection to send it on."""
        if self._open:
            self._messages.append(message)
            self._wake.set()

    def progress(self, key: AttemptKey, phase: Phase) -> None:
        """Send the attempt's phase, twice a second at most; only the newest counts."""
        if not self._open:
            return
        self._progress[key] = Progress(
            uid=key.uid,
            attempt=key.attempt,
            name=phase.name,
            done_bytes=phase.done_bytes,
            total_bytes=phase.total_bytes,
        )
        if self._progress_timer is None:
            delay_s = max(0.0, self._progress_at - self._monotonic())
            loop = asyncio.get_running_loop()
            self._progress_timer = loop.call_later(delay_s, self._flush_progress)

    def settled(self, key: AttemptKey) -> None:
        """Forget the attempt's progress: a fact says more."""
        self._progress.pop(key, None)

    async def next_messages(self) -> list[AnyFromAgent]:
        """Wait until there is something to send and return it."""
        while True:
            facts = self.spool.next_facts()
            messages: list[AnyFromAgent] = [] if facts is None else [facts]
            messages += self._messages
            self._messages.clear()
            if messages:
                return messages
            self._wake.clear()
            await self._wake.wait()

    def _flush_progress(self) -> None:
        self._progress_timer = None
        if self._progress:
            self._progress_at = self._monotonic() + PROGRESS_EVERY_S
            self._messages += self._progress.values()
            self._progress.clear()
            self._wake.set()
