"""Anything in any order, with cards that are booked: what a booking promises holds all the time."""

from typing import Any

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import invariant, rule

from eaas import reasons as r
from eaas.ids import CardUuid
from eaas.job_spec import read_spec
from eaas_daemon.core import events as e
from eaas_daemon.core.ask import shape_of
from eaas_daemon.core.booking import Booking
from eaas_daemon.core.changes import Changes
from eaas_daemon.core.ends import is_gone_by
from eaas_daemon.core.fit import refusal, usable
from eaas_daemon.core.gates import gate
from eaas_daemon.core.model import Job
from eaas_daemon.core.reserve import kept_from, kept_rooms
from tests.daemon.core.test_story import StoredStory
from tests.rig.builders import ADMIN
from tests.rig.story import Story, callers, queues

spans = st.sampled_from([100.0, 500.0, 4000.0])
timeouts = st.sampled_from([None, "10s", "5m", "1h"])
people: Any = st.sampled_from([{"user": "bob"}, {"user": "alice"}, {"queue": "night"}])


class BookedStory(Story):
    """People book cards, too, and submit jobs that end by a timeout."""

    @rule(gpus=st.integers(1, 4), in_s=spans, for_s=spans, whose=people)
    def book(self, gpus: int, in_s: float, for_s: float, whose: dict[str, Any]) -> None:
        start = self.house.now + in_s
        self.happen(e.Book(caller=ADMIN, gpus=gpus, start=start, for_s=for_s, **whose))

    @rule(back=st.integers(0, 2))
    def cancel_booking(self, back: int) -> None:
        id = self.house.state.next_booking - 1 - back
        self.happen(e.CancelBooking(caller=ADMIN, id=id))

    @rule(caller=callers, gpus=st.integers(0, 2), timeout=timeouts, queue=queues)
    def submit_with_timeout(self, caller: e.Caller, **fields: Any) -> None:
        fields = {key: value for key, value in fields.items() if value is not None}
        spec = read_spec({"image": "busybox", **fields})
        self.happen(e.Submit(caller=caller, specs=(spec,), force=True))

    @rule(
        gpus=st.integers(1, 3),
        in_s=st.sampled_from([0.0, 500.0]),
        whose=people,
        callers=st.tuples(callers, callers),
        timeout=timeouts,
    )
    def book_and_submit(
        self,
        gpus: int,
        in_s: float,
        whose: dict[str, Any],
        callers: tuple[e.Caller, e.Caller],
        timeout: str | None,
    ) -> None:
        """Book cards of which somebody else wants some at once, or those for whom it is."""
        self.book(gpus=gpus, in_s=in_s, for_s=4000.0, whose=whose)
        for caller, queue in zip(callers, ("default", "night"), strict=True):
            self.submit_with_timeout(caller=caller, gpus=1, timeout=timeout, queue=queue)

    @rule(seconds=st.sampled_from([100.0, 450.0, 4000.0]))
    def much_time_passes(self, seconds: float) -> None:
        self.house.now += seconds
        self.happen(e.Tick())

    def step_with(self, *events: e.Event) -> None:
        """Remember for whom room is being made: that was before any booking of this step."""
        self.promised = set(self.house.state.aside.promised)
        super().step_with(*events)

    def stored(self, changes: Changes) -> None:
        """Look at who was placed in this step: nobody across the booking of others.

        Those for whom others were stopped already count as there before the booking.
        """
        super().stored(changes)
        for job in changes.jobs:
            last = job.live_attempt
            if (
                last is None
                or last.created_at != self.house.now
                or len(self.attempts.get(job.uid, ())) == len(job.attempts)
                or job.uid in self.promised
            ):
                continue
            for booking in self.running_or_ahead():
                if {card.uuid for card in last.cards} & _cards_of(booking, last.node):
                    self.check_placed(job, booking)

    def check_placed(self, job: Job, booking: Booking) -> None:
        """A job on a booked card is gone by its start, or is of its people while it runs.

        A later booking of its own people does not bar cards that are booked for them now.
        """
        last, now = job.attempts[-1], self.house.now
        cards = {card.uuid for card in last.cards} & _cards_of(booking, last.node)
        is_own = booking.is_for(job.ref, job.user)
        for one in self.running_or_ahead() if is_own else ():
            if one.start <= now and one.is_for(job.ref, job.user):
                cards -= _cards_of(one, last.node)
        assert not cards or is_gone_by(job.timeout_s, now, booking.start)

    def running_or_ahead(self) -> list[Booking]:
        return [one for one in self.house.state.bookings.values() if one.end > self.house.now]

    @invariant()
    def no_card_is_booked_twice_and_every_booking_has_what_the_pool_has(self) -> None:
        live = self.running_or_ahead()
        for one in live:
            mine = {card.uuid for card in one.cards}
            others = [other for other in live if other.id != one.id and other.overlaps(one)]
            assert not any(mine & {card.uuid for card in other.cards} for other in others)
            assert len(mine) == len(one.cards) <= one.gpus

    @invariant()
    def its_people_are_refused_no_booked_card_for_what_is_kept_for_others(self) -> None:
        state, now = self.house.state, self.house.now
        running = [one for one in self.running_or_ahead() if one.start <= now]
        if not running:
            return
        rooms = kept_rooms(state, now)
        for pool in state.pools.values():
            for shape, turns in state.line.groups(pool.name).items():
                job = state.jobs[turns[0].uid]
                if gate(shape, state.queues[shape.ref], pool, state.held) is not None:
                    continue
                for booking in running:
                    for name in {card.node for card in booking.cards} & rooms.keys():
                        room, mine = rooms[name], _cards_of(booking, name)
                        free = {CardUuid(c.uuid) for c in usable(room, shape.ask, pool)} & mine
                        share = 8000 * len(mine) // 2 if len(room.node.cards) == 2 else 0
                        if (
                            booking.is_for(shape.ref, shape.user)
                            and 0 < shape.ask.gpus <= len(free)
                            and shape.ask.cpus_milli <= share
                            and refusal(room, shape.ask, pool) is None
                        ):
                            kept = kept_from(state, room, job, shape_of(job), now)
                            assert not isinstance(kept, r.CardReserved)


def _cards_of(booking: Booking, node: str) -> set[CardUuid]:
    return {card.uuid for card in booking.cards if card.node == node}


class StoredBookedStory(BookedStory, StoredStory):
    """The same with a real database."""


TestBookedStory = BookedStory.TestCase
TestBookedStory.settings = settings(
    max_examples=60,
    stateful_step_count=40,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)

TestStoredBookedStory = StoredBookedStory.TestCase
TestStoredBookedStory.settings = settings(
    max_examples=10,
    stateful_step_count=30,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
