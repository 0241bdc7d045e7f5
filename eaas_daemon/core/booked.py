"""What of one node is booked, and what that leaves to a job.

Booked cards are whole, and each keeps its even share of its node's CPUs and memory. Before a
booking starts, a job may use its cards and shares only if its timeout lets it be gone by then, its
own people's jobs too; while it runs, they are its people's alone. Nothing is promised of what
comes after its end: a job of its people may run on there.
"""

from collections.abc import Iterable
from math import inf
from typing import NamedTuple

import msgspec

from eaas.ids import CardUuid
from eaas_daemon.core.ask import Shape
from eaas_daemon.core.booking import Booking
from eaas_daemon.core.ends import is_gone_by

NO_CARDS: frozenset[CardUuid] = frozenset()


class Claim(NamedTuple):
    """What a booking has of one node."""

    booking: Booking
    cards: frozenset[CardUuid]
    cpus_milli: int
    memory_mib: int


class Load(NamedTuple):
    """What a job takes of the node, and until when at the latest."""

    ref: str
    user: str
    ends_at: float
    cpus_milli: int
    memory_mib: int


class Booked(msgspec.Struct, kw_only=True):
    """The bookings of a node that are not over ``now``; the loads grow while a plan is made."""

    now: float
    claims: tuple[Claim, ...]
    loads: list[Load]
    cpus_milli: int
    """All that the node has."""
    memory_mib: int


def against(booked: Booked | None, shape: Shape, at: float) -> list[Claim]:
    """Return the claims that such a job would break if it were placed ``at`` that moment.

    On cards that are booked for it then, later bookings of its own do not count: a lesson is not
    in the way of the one before.
    """
    if booked is None:
        return []
    mine = own(booked, shape, at)
    found = []
    for claim in booked.claims:
        if is_gone_by(shape.timeout_s, at, claim.booking.start):
            continue
        if not claim.booking.is_for(shape.ref, shape.user):
            found.append(claim)
        elif claim.booking.start > at and (ahead := claim.cards - mine):
            found.append(claim._replace(cards=ahead))
    return found


def barred(booked: Booked | None, shape: Shape, at: float) -> frozenset[CardUuid]:
    """Return the cards that such a job must not get at that moment."""
    if booked is None:
        return NO_CARDS
    return NO_CARDS.union(*(claim.cards for claim in against(booked, shape, at)))


def own(booked: Booked | None, shape: Shape, at: float) -> frozenset[CardUuid]:
    """Return the cards that are booked for such jobs at that moment."""
    if booked is None:
        return NO_CARDS
    return NO_CARDS.union(
        *(
            claim.cards
            for claim in booked.claims
            if claim.booking.start <= at < claim.booking.end
            and claim.booking.is_for(shape.ref, shape.user)
        )
    )


def left(booked: Booked | None, shape: Shape, at: float) -> tuple[float, float]:
    """Return how many thousandths of CPUs and MiB such a job may take at most beside bookings."""
    claims = against(booked, shape, at)
    if booked is None or not claims:
        return inf, inf
    starts = {max(at, claim.booking.start) for claim in claims}
    rests = [_rest(booked, claims, start) for start in starts]
    return min(cpus for cpus, _ in rests), min(memory for _, memory in rests)


def _rest(booked: Booked, claims: Iterable[Claim], at: float) -> tuple[int, int]:
    """Return what is left at that moment once each booking has its share, or what it uses if more.

    The job of whom it is asked is none of the loads.
    """
    cpus_milli, memory_mib = booked.cpus_milli, booked.memory_mib
    loads = [load for load in booked.loads if load.ends_at > at]
    for claim in claims:
        if not claim.booking.start <= at < claim.booking.end:
            continue
        theirs = [load for load in loads if claim.booking.is_for(load.ref, load.user)]
        loads = [load for load in loads if load not in theirs]
        cpus_milli -= max(claim.cpus_milli, sum(load.cpus_milli for load in theirs))
        memory_mib -= max(claim.memory_mib, sum(load.memory_mib for load in theirs))
    cpus_milli -= sum(load.cpus_milli for load in loads)
    return cpus_milli, memory_mib - sum(load.memory_mib for load in loads)
