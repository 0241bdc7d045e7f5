"""The agent's loop: everything that happened, one step, one commit, and only then the effects."""

import asyncio
import contextlib
import logging
import math
from collections.abc import Callable
from typing import Any, Final

from eaas.lives import Obeyed
from eaas.progress import Progress
from eaas.wire.from_agent import Held
from eaas_agent.attempts import Runners
from eaas_agent.ledger import Ledger, LedgerFull, Recovered
from eaas_agent.log_pump import LogPump
from eaas_agent.machine import Machine
from eaas_agent.model import Acked, Attempt, Began, Event, LogAcked, Removed
from eaas_agent.outbox import Outbox
from eaas_agent.step import step
from eaas_agent.turn import (
    Arm,
    CallOff,
    Effect,
    Node,
    Remove,
    SendLog,
    Start,
    StopIt,
    Tell,
    Turn,
    Watch,
)

WRITE_AGAIN_S: Final = 1.0

PATIENT: Final = (Acked, Began, LogAcked, Removed)
"""Events after which nothing is to be done that anybody waits for."""
LINGER_S: Final = 0.01
"""About as long as the shortest attempts take, and a commit on a slow disk."""

log = logging.getLogger(__name__)


class Inbox:
    """Events that wait for the engine."""

    def __init__(self) -> None:
        self.progress: Final = Progress()
        self._events: list[Event] = []
        self._wake = asyncio.Event()
        self._hurry = asyncio.Event()

    def post(self, event: Event) -> None:
        """Hand an event to the engine; only from the event loop's own thread."""
        self._events.append(event)
        self.progress.waits()
        self._wake.set()
        if not isinstance(event, PATIENT):
            self._hurry.set()

    async def take(self) -> list[Event]:
        """Wait for events and return all there are.

        Where all of them are patient, company is waited for: a short attempt's start then goes
        to the disk together with its end, and the end does not wait behind a commit of its own.
        """
        while not self._events:
            self._wake.clear()
            await self._wake.wait()
        if not self._hurry.is_set():
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(LINGER_S):
                    await self._hurry.wait()
        self._hurry.clear()
        events, self._events = self._events, []
        return events

    def done(self) -> None:
        """Note that what was taken last is dealt with."""
        self.progress.moved(more=bool(self._events))


class Engine:
    """Owns the picture of this node's attempts; everything else gets values."""

    def __init__(
        self,
        node: Node,
        inbox: Inbox,
        *,
        ledger: Ledger,
        outbox: Outbox,
        clock: Callable[[], float],
        uptime: Callable[[], float],
        ledger_full: Callable[[bool], None],
    ) -> None:
        """``clock`` gives Unix seconds, ``uptime`` seconds since the machine's boot;
        ``ledger_full`` is told when nothing can be written."""
        self._node = node
        self._inbox = inbox
        self._ledger = ledger
        self._outbox = outbox
        self._clock = clock
        self._uptime = uptime
        self._ledger_full = ledger_full

    def held(self) -> tuple[Held, ...]:
        """Return every attempt that is not forgotten yet, for the greeting."""
        return tuple(attempt.held() for attempt in self._node.roster)

    def attempts(self) -> tuple[Attempt, ...]:
        """Return every attempt that is not forgotten yet."""
        return tuple(self._node.roster)

    def keep_at_most(self, keep_s: float | None) -> None:
        """Let workspaces of jobs that come from now on stay so long at most."""
        self._node.keep_at_most_s = math.inf if keep_s is None else keep_s

    @property
    def obeyed(self) -> Obeyed:
        """Return which controller this node obeyed last."""
        return self._node.obeyed

    async def run(
        self, runners: Runners, pump: LogPump, claims_changed: Callable[[], None]
    ) -> None:
        """Take events for ever; ``claims_changed`` is called when cards got or lost a holder."""
        effects = _effects(runners, pump, self._outbox)
        while True:
            events = await self._inbox.take()
            turn = Turn(self._node, self._ledger.highest, self._clock(), self._uptime())
            for event in events:
                step(turn, event)
            if turn.changes:
                await self._commit(turn)
            if any(attempt and attempt.order.cards for attempt in turn.changes.attempts.values()):
                claims_changed()
            for effect in turn.effects:
                effects[type(effect)](effect)
            self._inbox.done()

    async def _commit(self, turn: Turn) -> None:
        """Write the turn down, however long the disk makes us wait."""
        while True:
            try:
                await self._ledger.commit(turn.changes)
                break
            except LedgerFull as error:
                log.error("%s", error)
                self._ledger_full(True)
                self._inbox.progress.moved(more=True)  # no new start would make room on the disk
                await asyncio.sleep(WRITE_AGAIN_S)
        if turn.changes.facts:
            self._outbox.spool.committed(turn.changes.facts)
            self._outbox.wake()


def node_from(recovered: Recovered, machine: Machine, keep_s: float | None) -> Node:
    """Return the picture as the ledger left it."""
    node = Node(
        boot_id=machine.boot_id,
        booted_at=machine.booted_at,
        obeyed=recovered.obeyed,
        last_seq=recovered.last_seq,
        keep_at_most_s=math.inf if keep_s is None else keep_s,
    )
    for attempt in recovered.attempts:
        node.roster.put(attempt)
    return node


def _effects(
    runners: Runners, pump: LogPump, outbox: Outbox
) -> dict[type[Effect], Callable[[Any], None]]:
    def send_log(effect: SendLog) -> None:
        assert effect.attempt.handle is not None, "what never began has no log"
        pump.resume(effect.attempt.key, effect.attempt.handle)

    return {
        Start: lambda effect: runners.start(effect.attempt),
        Watch: lambda effect: runners.watch(effect.attempt),
        CallOff: lambda effect: runners.call_off(effect.key),
        StopIt: lambda effect: runners.stop(effect.attempt, effect.grace_s),
        Arm: lambda effect: runners.arm(effect.key, effect.in_s),
        SendLog: send_log,
        Tell: lambda effect: outbox.say(effect.message),
        Remove: lambda effect: runners.remove(effect.key, effect.handle),
    }
