"""What must be done so that this node does what the controller wants. Pure.

Two rules carry everything: an attempt is started only on its first sight, and never after a later
one of its job was seen; and what an agent does not hold, though the controller heard of its start,
it answers as lost instead of starting it.
"""

from collections.abc import Iterator
from typing import Final

import msgspec

from eaas.ids import JobUid
from eaas.wire.to_agent import Order, Stop, Wanted
from eaas_agent.model import Attempt, Roster, Seen
from eaas_agent.runtimes.port import AttemptKey

UNWANTED_GRACE_S: Final = 10.0
"""What an attempt gets that nobody wants any more and nobody set a grace for."""


class Action(msgspec.Struct, frozen=True):
    """Something to do about one attempt."""


class Accept(Action, frozen=True):
    """Hold the attempt and start it."""

    order: Order


class Renew(Action, frozen=True):
    """The order of a held attempt says something new."""

    order: Order


class End(Action, frozen=True):
    """Stop a held attempt, or stop it sooner than it is being stopped."""

    key: AttemptKey
    stop: Stop


class AnswerLost(Action, frozen=True):
    """Say that the attempt is not here and never will be."""

    order: Order
    text: str


class AnswerNeverStarted(Action, frozen=True):
    """Say that the attempt was stopped before it began."""

    order: Order


class Offer(Action, frozen=True):
    """Tell the controller all of an attempt that it does not know: it may adopt it."""

    key: AttemptKey


class Drop(Action, frozen=True):
    """The controller has the end of this attempt: forget it as soon as its log is there too."""

    key: AttemptKey


def reconcile(
    roster: Roster, wanted: Wanted, *, epoch: int, highest_epoch: int, seen: Seen, acked_seq: int
) -> list[Action]:
    """Return what to do, in order.

    ``epoch`` is the speaking controller's, ``highest_epoch`` the highest this node has ever heard:
    a controller behind that is an older copy of itself, and nothing is done for it. ``seen`` must
    answer for every uid of the orders.
    """
    if epoch < highest_epoch:
        return []
    actions: list[Action] = []
    here, named = dict(seen), set[tuple[str, int]]()
    for order in wanted.orders:
        if (order.uid, order.attempt) not in named:
            named.add((order.uid, order.attempt))
            actions += _about(order, roster, here)
            here[order.uid] = max(here.get(order.uid, 0), order.attempt)
    for uid, attempt in wanted.dropped:
        actions += _let_go(roster.get(AttemptKey(JobUid(uid), attempt)))
    if wanted.full:
        for held in roster:
            if (held.order.uid, held.order.attempt) not in named:
                actions += _unlisted(held, epoch=epoch, acked_seq=acked_seq)
    return actions


def _about(order: Order, roster: Roster, seen: Seen) -> Iterator[Action]:
    held = roster.get(AttemptKey(JobUid(order.uid), order.attempt))
    if held is not None:
        yield from _about_held(order, held)
    elif order.known:
        yield AnswerLost(order, "the node does not hold this attempt any more")
    elif order.attempt <= seen.get(order.uid, 0):
        text = f"the node has already run attempt {seen[order.uid]} of this job"
        yield AnswerLost(order, text)
    elif order.stop is not None:
        yield AnswerNeverStarted(order)
    else:
        for older in roster.of_job(order.uid):
            if older.live and older.stop is None:
                yield End(older.key, Stop(grace_s=UNWANTED_GRACE_S, why="unwanted"))
        yield Accept(order)


def _about_held(order: Order, held: Attempt) -> Iterator[Action]:
    if not held.live:
        return
    if comparable(order) != comparable(held.order):
        yield Renew(order)
    if order.stop is not None and (held.stop is None or order.stop.grace_s < held.stop.grace_s):
        yield End(held.key, order.stop)


def comparable(order: Order) -> Order:
    """Return the order without what changes by itself."""
    return msgspec.structs.replace(order, known=True, stop=None)


def _let_go(held: Attempt | None) -> Iterator[Action]:
    if held is None:
        return
    if held.live and held.stop is None:
        yield End(held.key, Stop(grace_s=UNWANTED_GRACE_S, why="unwanted"))
    yield Drop(held.key)


def _unlisted(held: Attempt, *, epoch: int, acked_seq: int) -> Iterator[Action]:
    """Return what to do about an attempt that a full list does not name.

    A controller whose epoch rose came out of a backup and may not know the attempt: it goes on,
    and the controller is told all of it. Nothing of it is forgotten before its end is acknowledged.
    """
    if not held.live:
        if held.end_seq is not None and held.end_seq <= acked_seq:
            yield Drop(held.key)
    elif held.order.epoch < epoch:
        yield Offer(held.key)
    elif held.stop is None:
        yield End(held.key, Stop(grace_s=UNWANTED_GRACE_S, why="unwanted"))
