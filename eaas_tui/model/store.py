"""What the stream has said so far, kept as the one picture. No clock and no socket here."""

from collections.abc import Callable, Iterable, Mapping
from operator import attrgetter
from types import MappingProxyType
from typing import Final, Generic, Literal, TypeVar

from msgspec.structs import replace

from eaas.booking_views import BookingView
from eaas.lifecycle import ENDED
from eaas.node_views import CardView, NodeView
from eaas.sample_views import NodeSamplesView
from eaas.views import ConditionView, EventView, JobView, PoolView, QueueView
from eaas.wire.to_client import (
    AnyToClient,
    Changes,
    ManyReadings,
    NodeNumbers,
    Readings,
    Snapshot,
    SnapshotJobs,
)
from eaas_tui.model.cleaning import Cleaner, line
from eaas_tui.model.format import unix
from eaas_tui.model.history import History, Past, shares
from eaas_tui.model.job_set import JobSet
from eaas_tui.model.picture import EMPTY, Link, Picture
from eaas_tui.model.whole import Whole

KEPT_ENDED: Final = 300
"""Jobs that ended while the console looked: so many, the latest."""
KEPT_EVENTS: Final = 500

TEXTS: Final = attrgetter(
    *("uuid", "node", "model", "state", "reason", "claims", "processes", "bookings")
)
"""Everything of a card that a person or a program has worded, but for the time."""

LinkState = Literal["connecting", "live", "away", "refused", "replay"]

K = TypeVar("K")
V = TypeVar("V")


class Store:
    """Takes frames in, gives pictures out. A picture costs something only when one is asked for."""

    def __init__(self) -> None:
        self.seq = 0
        self.epoch: int | None = None
        """None before the first snapshot."""
        self.is_whole = True
        """False while more of a snapshot is to come; until then the picture before it stays."""
        self._before = EMPTY
        self._clean: Final = Cleaner()
        self._pools: Final = _Part[str, PoolView]()
        self._queues: Final = _Part[str, QueueView]()
        self._nodes: Final = _Part[str, NodeView]()
        self._bookings: Final = _Part[int, BookingView]()
        self._jobs: Final = _Part[int, JobView](JobSet)
        self._ended: dict[int, None] = {}
        """Numbers of the kept jobs that have ended, the earliest first."""
        self._events: tuple[EventView, ...] = ()
        self._history: Final = History()
        self._picture: Picture | None = EMPTY
        self._link = EMPTY.link
        self._user: str | None = None
        self._is_admin = False
        self._whole: Final = Whole()

    @property
    def picture(self) -> Picture:
        """Return how things stand; the very same picture as before when nothing has changed."""
        if self._picture is None and not self.is_whole:
            self._picture = replace(
                self._before,
                link=self._link,
                user=self._user,
                is_admin=self._is_admin,
                conditions=self._whole.conditions,
            )
        elif self._picture is None:
            self._picture = Picture(
                seq=self.seq,
                link=self._link,
                user=self._user,
                is_admin=self._is_admin,
                conditions=self._whole.conditions,
                pools=self._pools.frozen(),
                queues=self._queues.frozen(),
                nodes=self._nodes.frozen(),
                jobs=self._jobs.frozen(),
                events=self._events,
                samples=self._history.samples,
                bookings=self._bookings.frozen(),
            )
        return self._picture

    def link(self, state: LinkState, text: str | None, now: float) -> None:
        """Note how the console stands with its controller; ``since`` is when that began."""
        since = self._link.since if state == self._link.state and self._link.since else now
        link = Link(state=state, since=since, text=None if text is None else line(text))
        if link != self._link:
            self._link, self._picture = link, None

    def knows(self, user: str, *, is_admin: bool) -> None:
        """Note who the controller takes this console's user for."""
        user = line(user)
        if (user, is_admin) != (self._user, self._is_admin):
            self._user, self._is_admin, self._picture = user, is_admin, None

    def stands(self, conditions: Iterable[ConditionView], seq: int) -> None:
        """Note what is wrong with the whole at this number; the journal goes on from there."""
        if self._whole.start(map(self._clean, conditions), seq):
            self._picture = None

    def apply(self, frame: AnyToClient, now: float) -> None:
        """Take a frame in. ``now`` is Unix seconds, for the history of the cards."""
        if isinstance(frame, Snapshot):
            self._before = self.picture
        self._picture = None
        match frame:
            case Snapshot():
                self._start_over(frame)
            case SnapshotJobs():
                self._put_jobs(frame.jobs)
                self.is_whole = frame.last
            case Changes():
                self._change(frame)
            case Readings():
                self._read(frame, now)
            case ManyReadings():
                for readings in frame.readings:
                    self._read(readings, now)
                for numbers in frame.numbers:
                    self._count(numbers, now)
        if self.is_whole:
            self._before = EMPTY

    def _start_over(self, frame: Snapshot) -> None:
        """Believe the snapshot alone, but for jobs that were seen to end: it leaves those out.

        Another epoch is a controller restored from a backup: then nothing of before holds.
        """
        clean = self._clean
        ended = {id: self._jobs.now[id] for id in self._ended}
        if frame.epoch != self.epoch:
            ended, self._events = {}, ()
            self._history.clear()
        self.seq, self.epoch, self.is_whole = frame.seq, frame.epoch, frame.whole
        self._pools.start({line(view.name): clean(view) for view in frame.pools})
        self._queues.start({line(view.ref): clean(view) for view in frame.queues})
        self._nodes.start({line(view.name): clean(view) for view in frame.nodes})
        self._bookings.start({view.id: clean(view) for view in frame.bookings})
        self._ended = dict.fromkeys(ended)
        self._jobs.start(ended)
        self._put_jobs(frame.jobs)
        self._forget_cards()

    def _change(self, frame: Changes) -> None:
        clean = self._clean
        self.seq = max(self.seq, frame.seq)
        self._pools.put({line(view.name): clean(view) for view in frame.pools})
        self._queues.put({line(view.ref): clean(view) for view in frame.queues})
        self._nodes.put({line(view.name): clean(view) for view in frame.nodes})
        self._bookings.put({view.id: clean(view) for view in frame.bookings})
        self._bookings.drop(frame.gone_bookings)
        self._pools.drop(map(line, frame.gone_pools))
        self._queues.drop(map(line, frame.gone_queues))
        self._nodes.drop(map(line, frame.gone_nodes))
        self._put_jobs(frame.jobs)
        self._put_events(frame.events)
        if frame.gone_nodes:
            self._forget_cards()

    def _put_jobs(self, views: tuple[JobView, ...]) -> None:
        self._jobs.put({view.id: self._clean(view) for view in views})
        for view in views:
            if view.state in ENDED:
                self._ended.setdefault(view.id)
            else:
                self._ended.pop(view.id, None)
        if (too_many := len(self._ended) - KEPT_ENDED) > 0:
            dropped = list(self._ended)[:too_many]
            self._jobs.drop(dropped)
            for id in dropped:
                del self._ended[id]

    def _put_events(self, events: tuple[EventView, ...]) -> None:
        """Add what is not here yet: whoever resumes hears some of it again."""
        if not events:
            return
        last = self._events[-1].seq if self._events else -1
        events = tuple(map(self._clean, events))
        self._whole.hear(events)
        if events[0].seq > last:
            self._events = (*self._events, *events)[-KEPT_EVENTS:]
            return
        known = {event.seq: event for event in (*events, *self._events)}
        self._events = tuple(known[seq] for seq in sorted(known)[-KEPT_EVENTS:])

    def _read(self, frame: Readings, now: float) -> None:
        """Give a node its new numbers; only the newest of them count."""
        name = line(frame.node)
        node = self._nodes.now.get(name)
        if node is None:
            return
        cards = self._clean_cards(frame.cards, node.cards)
        numbers = {"cpus_used": frame.cpus_used, "memory_used_mib": frame.memory_used_mib}
        self._nodes.put({name: replace(node, cards=cards, **numbers)})
        self._history.add(cards, now)

    def _count(self, frame: NodeNumbers, now: float) -> None:
        """Give a node's cards their new numbers; all else of them stays as it was told last."""
        name = line(frame.node)
        node = self._nodes.now.get(name)
        if node is None or len(node.cards) != len(frame.cards):
            return
        sampled_at = None if frame.sampled_at is None else line(frame.sampled_at)
        cards = tuple(
            replace(
                card,
                memory_used_mib=now_of.memory_used_mib,
                utilization_pct=now_of.utilization_pct,
                temperature_c=now_of.temperature_c,
                power_w=now_of.power_w,
                sampled_at=sampled_at,
            )
            for card, now_of in zip(node.cards, frame.cards, strict=True)
        )
        numbers = {"cpus_used": frame.cpus_used, "memory_used_mib": frame.memory_used_mib}
        self._nodes.put({name: replace(node, cards=cards, **numbers)})
        self._history.add(cards, now)

    def fill(self, nodes: Iterable[NodeSamplesView], now: float) -> None:
        """Take what cards did before and between the readings that were heard here."""
        for view in nodes:
            node, begin = self._nodes.now.get(line(view.node)), unix(view.begin_at)
            at = unix(view.at)
            if node is None or begin is None or at is None:
                continue
            totals = {card.uuid: card.memory_total_mib for card in node.cards}
            for card in view.cards:
                past = Past(
                    begin=begin + now - at,
                    every_s=view.every_s,
                    utilization_pct=card.utilization_pct,
                    memory_pct=shares(card.memory_used_mib, totals.get(card.uuid)),
                )
                if card.uuid in totals:
                    self._history.fill(card.uuid, past, now)
        self._picture = None

    def _clean_cards(
        self, cards: tuple[CardView, ...], before: tuple[CardView, ...]
    ) -> tuple[CardView, ...]:
        """Return the cards clean: mostly, all their texts are those of before, and are so."""
        texts_are_known = list(map(TEXTS, cards)) == list(map(TEXTS, before))
        if texts_are_known and all(map(_is_time, {card.sampled_at for card in cards})):
            return cards
        return tuple(map(self._clean, cards))

    def _forget_cards(self) -> None:
        nodes = self._nodes.now.values()
        self._history.keep_only(card.uuid for node in nodes for card in node.cards)


def _is_time(text: str | None) -> bool:
    return text is None or (len(text) < 40 and text.isascii() and text.isprintable())


class _Part(Generic[K, V]):
    """One mapping of the picture: changed here, and copied when somebody is to see it."""

    def __init__(self, freeze: Callable[[dict[K, V]], Mapping[K, V]] | None = None) -> None:
        self.now: dict[K, V] = {}
        self._freeze: Final = freeze or (lambda now: MappingProxyType(dict(now)))
        self._frozen: Mapping[K, V] | None = MappingProxyType({})

    def start(self, items: dict[K, V]) -> None:
        self.now, self._frozen = items, None

    def put(self, items: dict[K, V]) -> None:
        if items:
            self.now.update(items)
            self._frozen = None

    def drop(self, keys: Iterable[K]) -> None:
        for key in keys:
            if self.now.pop(key, None) is not None:
                self._frozen = None

    def frozen(self) -> Mapping[K, V]:
        """Return the mapping as it stands, never to change again."""
        if self._frozen is None:
            self._frozen = self._freeze(self.now)
        return self._frozen
