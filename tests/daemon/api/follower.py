"""A client of the stream as simple as can be: keeps what the frames say."""

from typing import Any

import msgspec
from msgspec.structs import asdict, replace

from eaas.lifecycle import ENDED
from eaas.node_views import NodeView
from eaas.views import JobView, PoolView
from eaas.wire.to_client import (
    AnyToClient,
    Changes,
    ManyReadings,
    NodeNumbers,
    Readings,
    Snapshot,
    SnapshotJobs,
)
from eaas_daemon.api.hub import Hub
from eaas_daemon.api.subscriber import Subscriber
from eaas_daemon.core import events as e
from eaas_daemon.engine import Engine
from tests.daemon.api.served import House
from tests.rig.builders import a_card

DECODER: msgspec.json.Decoder[AnyToClient] = msgspec.json.Decoder(AnyToClient)
Picture = dict[str, dict[Any, Any]]


class Follower:
    """One subscriber and the picture it has of the pool."""

    def __init__(
        self, hub: Hub, viewer: str | None = None, after: int | None = None, *, pieces: int = 0
    ) -> None:
        self.subscriber: Subscriber = hub.join(viewer, after, pieces=pieces)
        self.frames: list[AnyToClient] = []
        self.picture: Picture = {}
        self.seq = after
        self.is_whole = after is not None
        """Whether all of the last snapshot has come."""

    def read(self) -> list[AnyToClient]:
        """Take in what has come; return it."""
        fresh: list[AnyToClient] = []
        while (data := self.subscriber.take()) is not None:
            fresh.append(DECODER.decode(data))
        for frame in fresh:
            self._apply(frame)
        self.frames += fresh
        return fresh

    def _apply(self, frame: AnyToClient) -> None:
        if isinstance(frame, Readings | ManyReadings):
            for readings in frame.readings if isinstance(frame, ManyReadings) else (frame,):
                self._read(readings)
            for numbers in frame.numbers if isinstance(frame, ManyReadings) else ():
                self._count(numbers)
            return
        if isinstance(frame, SnapshotJobs):
            self.is_whole = frame.last
            self.picture["jobs"].update({view.id: timeless_job(view) for view in frame.jobs})
            return
        if isinstance(frame, Snapshot):
            self.is_whole = frame.whole
            self.picture = {"pools": {}, "queues": {}, "nodes": {}, "jobs": {}}
        else:
            assert frame.after == self.seq
            self._drop(frame)
        self.seq = frame.seq
        self.picture["pools"].update({view.name: timeless_pool(view) for view in frame.pools})
        self.picture["queues"].update({view.ref: view for view in frame.queues})
        self.picture["nodes"].update({view.name: timeless_node(view) for view in frame.nodes})
        self.picture["jobs"].update({view.id: timeless_job(view) for view in frame.jobs})
        for view in frame.jobs:
            if view.state in ENDED:
                del self.picture["jobs"][view.id]

    def _read(self, frame: Readings) -> None:
        node = self.picture["nodes"][frame.node]
        memory = frame.memory_used_mib
        fresh = replace(node, cards=frame.cards, memory_used_mib=memory, cpus_used=frame.cpus_used)
        self.picture["nodes"][frame.node] = fresh

    def _count(self, frame: NodeNumbers) -> None:
        node, memory = self.picture["nodes"][frame.node], frame.memory_used_mib
        cards = tuple(
            replace(card, sampled_at=frame.sampled_at, **asdict(numbers))
            for card, numbers in zip(node.cards, frame.cards, strict=True)
        )
        fresh = replace(node, cards=cards, memory_used_mib=memory, cpus_used=frame.cpus_used)
        self.picture["nodes"][frame.node] = fresh

    def _drop(self, frame: Changes) -> None:
        for kind, gone in (
            ("pools", frame.gone_pools),
            ("queues", frame.gone_queues),
            ("nodes", frame.gone_nodes),
        ):
            for name in gone:
                self.picture[kind].pop(name, None)


def timeless_job(view: JobView) -> JobView:
    """Return the view without what changes with the clock alone."""
    return replace(view, run_s=None)


def timeless_pool(view: PoolView) -> PoolView:
    """Return the view without how long its users have had cards by now."""
    return replace(view, users=tuple(replace(user, card_hours=0.0) for user in view.users))


def timeless_node(view: NodeView) -> NodeView:
    """Return the view without what every beat changes."""
    return replace(view, last_seen_at=None)


async def fresh_picture(hub: Hub, engine: Engine, viewer: str | None = None) -> Picture:
    """Return the picture of somebody who joins now."""
    follower = Follower(hub, viewer)
    while not follower.is_whole:
        await engine.ask(e.Tick())
        follower.read()
    hub.leave(follower.subscriber)
    return follower.picture


async def a_pool(house: House, *, cards: int = 2) -> None:
    """Make a pool with one node."""
    await house.node("n1", *(a_card(index) for index in range(cards)))
    await house.pool("default", "n1")


async def joined(
    house: House, viewer: str | None = None, after: int | None = None, *, pieces: int = 0
) -> Follower:
    """Return somebody who follows and has read what there was to begin with."""
    follower = Follower(house.parts.hub, viewer, after, pieces=pieces)
    await house.tick()
    follower.read()
    return follower


async def settled(house: House, follower: Follower) -> None:
    """Let everything that comes late come."""
    for _ in range(2):
        await house.tick(1.5)
    follower.read()
    while not follower.is_whole:
        await house.tick()
        follower.read()
