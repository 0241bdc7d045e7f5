"""Which agents are connected, and what each is to be told after a step."""

import asyncio
from collections.abc import Callable, Sequence
from typing import Final, Protocol
from uuid import uuid4

from eaas.errors import EaasError, Unavailable
from eaas.ids import NodeName
from eaas.wire import from_agent as wire
from eaas.wire.codec import PROTOCOL_MAX
from eaas.wire.to_agent import (
    Ack,
    AnyToAgent,
    CleanCard,
    Order,
    Refused,
    SendFiles,
    Wanted,
    Welcome,
)
from eaas_daemon.core import effects as fx
from eaas_daemon.core.changes import Changes
from eaas_daemon.core.orders import order_for
from eaas_daemon.core.state import State

TELL_HOW_FAR_S: Final = 10.0


class Speaker(Protocol):
    """One connection to an agent."""

    session: str

    def send(self, message: AnyToAgent) -> None:
        """Queue the message."""

    def close(self) -> None:
        """End the connection after what is queued."""


class FilesRefused(EaasError):
    """The agent can't send the files that were asked for; the sentence is its own."""

    code = "files_refused"
    http_status = 404


class _Delta:
    """What one node is to be told after one step, in one message."""

    def __init__(self) -> None:
        self.orders: dict[str, Order] = {}
        self.dropped: list[tuple[str, int]] = []
        self.over: list[str] = []
        self.keep: list[tuple[str, float]] = []

    def message(self, life_seq: int) -> Wanted | None:
        if not (self.orders or self.dropped or self.over or self.keep):
            return None
        return Wanted(
            full=False,
            orders=tuple(self.orders.values()),
            dropped=tuple(self.dropped),
            job_ended=tuple(self.over),
            keep_until=tuple(self.keep),
            life_seq=life_seq,
        )


class Roster:
    """The live links by session, and by node once welcomed."""

    def __init__(self, state: State, now: Callable[[], float]) -> None:
        self._state = state
        self._now = now
        self._links: dict[str, Speaker] = {}
        self._nodes: dict[NodeName, Speaker] = {}
        self._files: dict[str, asyncio.Future[None]] = {}
        self._told: dict[str, int] = {}
        """The last change each agent was told of, by its uid, for as long as this life lasts."""
        self._told_all_at = now()

    @property
    def connected(self) -> int:
        """Return how many agents are connected and welcome."""
        return len(self._nodes)

    def open(self, link: Speaker) -> None:
        """Remember a connection that has said hello."""
        self._links[link.session] = link

    def closed(self, link: Speaker) -> None:
        """Forget the connection."""
        self._links.pop(link.session, None)
        for name in [name for name, known in self._nodes.items() if known is link]:
            del self._nodes[name]

    def is_session(self, node_uid: str, session: str) -> bool:
        """Tell whether this is the live session of that agent; log links are checked by it."""
        return any(
            node.uid == node_uid and node.session == session for node in self._state.nodes.values()
        )

    def told_seq(self, node_uid: str) -> int | None:
        """Return the last change that this agent was told of; None: it was told nothing."""
        return self._told.get(node_uid)

    def __call__(self, changes: Changes, effects: Sequence[fx.Effect]) -> None:
        """Tell the agents what a stored step means for them."""
        deltas: dict[NodeName, _Delta] = {}
        for effect in effects:
            if isinstance(effect, fx.Greet):
                self._greet(effect)
                deltas.setdefault(effect.node, _Delta()).orders.clear()
            elif isinstance(effect, fx.TurnAway):
                self._turn_away(effect)
            elif isinstance(effect, fx.Acknowledge):
                self._send(effect.node, Ack(spool_id=effect.spool_id, seq=effect.seq))
            elif isinstance(effect, fx.CleanCard):
                self._send(effect.node, CleanCard(uuid=effect.card))
            elif not isinstance(effect, fx.Expel):
                self._note(deltas.setdefault(effect.node, _Delta()), effect)
        for name, delta in deltas.items():
            if (message := delta.message(self._state.seq)) is not None:
                self._want(name, message)
        self._tell_how_far()

    def start_over(self) -> None:
        """Close every link: agents that missed a step get everything anew when they come back."""
        for link in self._links.values():
            link.close()

    def _note(
        self, delta: _Delta, effect: fx.Dispatch | fx.Dropped | fx.JobOver | fx.KeepUntil
    ) -> None:
        if isinstance(effect, fx.Dropped):
            delta.dropped.append((effect.uid, effect.attempt))
        elif isinstance(effect, fx.JobOver):
            delta.over.append(effect.uid)
        elif isinstance(effect, fx.KeepUntil):
            delta.keep.append((effect.uid, effect.until))
        else:
            job = self._state.jobs.get(effect.uid)
            if job is not None and job.live_attempt and job.live_attempt.node == effect.node:
                delta.orders[effect.uid] = order_for(job, self._state.epoch)

    def _tell_how_far(self) -> None:
        """Let idle agents know, too, how far this life has come: then none obeys an older copy."""
        now = self._now()
        if 0 <= now - self._told_all_at < TELL_HOW_FAR_S:
            return
        self._told_all_at = now
        seq = self._state.seq
        for name in self._nodes:
            node = self._state.nodes.get(name)
            if node is not None and self._told.get(node.uid, 0) < seq:
                self._want(name, Wanted(full=False, orders=(), life_seq=seq))

    def _want(self, name: NodeName, message: Wanted) -> None:
        node = self._state.nodes.get(name)
        if node is not None and name in self._nodes:
            self._told[node.uid] = message.life_seq
            self._send(name, message)

    def _send(self, name: NodeName, message: AnyToAgent) -> None:
        link = self._nodes.get(name)
        if link is not None:
            link.send(message)

    def _greet(self, effect: fx.Greet) -> None:
        link = self._links.get(effect.session)
        if link is None:
            return
        old = self._nodes.get(effect.node)
        if old is not None and old is not link:
            old.close()
        self._nodes[effect.node] = link
        node = self._state.nodes[effect.node]
        jobs = self._state.placed.get(effect.node, {}).values()
        link.send(
            Welcome(
                protocol=PROTOCOL_MAX,
                session=effect.session,
                epoch=self._state.epoch,
                life=self._state.life,
                life_seq=self._state.seq,
                past_seq=effect.past_seq,
                acked_seq=self._state.spools.get(node.spool_id or "", 0),
                server_time=self._now(),
            )
        )
        orders = tuple(order_for(job, self._state.epoch) for job in jobs)
        self._want(effect.node, Wanted(full=True, orders=orders, life_seq=self._state.seq))

    def _turn_away(self, effect: fx.TurnAway) -> None:
        link = self._links.get(effect.session)
        if link is not None:
            link.send(Refused(code=effect.code, text=effect.text))
            link.close()

    # --- files

    def ask_for_files(
        self, node: NodeName, uid: str, path: str
    ) -> tuple[str, asyncio.Future[None]]:
        """Ask the node for a tar of the path; the future fails when the node refuses."""
        link = self._nodes.get(node)
        if link is None:
            raise Unavailable(f"{node} is not connected, and the job's files are there")
        request = uuid4().hex
        future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._files[request] = future
        link.send(SendFiles(request=request, uid=uid, path=path))
        return request, future

    def files_failed(self, said: wire.FilesFailed) -> None:
        """Pass on why the files don't come."""
        future = self._files.pop(said.request, None)
        if future is not None and not future.done():
            future.set_exception(FilesRefused(said.text))

    def files_done(self, request: str) -> None:
        """Forget a request that has been served or given up."""
        future = self._files.pop(request, None)
        if future is not None:
            future.cancel()
