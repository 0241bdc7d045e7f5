from collections.abc import Iterable

from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from eaas.ids import JobUid
from eaas.wire.to_agent import Order, Stop, Wanted
from eaas_agent.model import Attempt, Roster
from eaas_agent.reconcile import (
    Accept,
    Action,
    AnswerLost,
    AnswerNeverStarted,
    Drop,
    End,
    Offer,
    Renew,
    reconcile,
)
from eaas_agent.runtimes.port import AttemptKey
from tests.rig.agents import an_order

STOP = Stop(grace_s=5.0, why="cancelled")


def held(order: Order, state: str = "running", **fields: object) -> Attempt:
    return replace(Attempt(order=order, state="running", boot_id="b"), state=state, **fields)


def act(
    wanted: Wanted,
    *attempts: Attempt,
    epoch: int = 1,
    highest_epoch: int = 1,
    seen: dict[str, int] | None = None,
    acked_seq: int = 0,
) -> list[Action]:
    roster = Roster()
    for attempt in attempts:
        roster.put(attempt)
    return reconcile(
        roster,
        wanted,
        epoch=epoch,
        highest_epoch=highest_epoch,
        seen={} if seen is None else seen,
        acked_seq=acked_seq,
    )


def some(*orders: Order, full: bool = False, **fields: object) -> Wanted:
    return replace(Wanted(full=full, orders=orders), **fields)


def key(order: Order) -> AttemptKey:
    return AttemptKey(JobUid(order.uid), order.attempt)


def test_a_new_order_is_accepted() -> None:
    order = an_order()

    assert act(some(order)) == [Accept(order)]


def test_an_order_that_is_held_is_not_accepted_again() -> None:
    order = an_order()

    assert act(some(order), held(order)) == []
    assert act(some(replace(order, known=True)), held(order)) == []


def test_an_order_named_twice_is_accepted_once() -> None:
    order = an_order()

    assert act(some(order, order)) == [Accept(order)]


def test_a_known_order_that_is_not_held_is_answered_lost() -> None:
    order = an_order(known=True)

    (action,) = act(some(order))

    assert isinstance(action, AnswerLost)


def test_an_attempt_that_was_seen_before_is_never_started_again() -> None:
    order = an_order(attempt=2)

    (action,) = act(some(order), seen={order.uid: 2})

    assert isinstance(action, AnswerLost)
    assert action.text == "the node has already run attempt 2 of this job"


def test_a_stop_for_a_stranger_is_answered_without_a_start() -> None:
    order = an_order(stop=STOP)

    assert act(some(order)) == [AnswerNeverStarted(order)]


def test_a_stop_ends_what_runs_and_a_longer_grace_changes_nothing() -> None:
    order = an_order()
    stopping = replace(order, stop=STOP)

    assert act(some(stopping), held(order)) == [End(key(order), STOP)]
    assert act(some(stopping), held(order, stop=STOP)) == []


def test_a_shorter_grace_hurries_a_stop() -> None:
    order, sooner = an_order(), Stop(grace_s=0.0, why="cancelled")

    actions = act(some(replace(order, stop=sooner)), held(order, "stopping", stop=STOP))

    assert actions == [End(key(order), sooner)]


def test_a_changed_order_is_renewed() -> None:
    order = an_order()
    longer = replace(order, timeout_s=60.0)

    assert act(some(longer), held(order)) == [Renew(longer)]


def test_a_full_list_ends_what_it_does_not_name() -> None:
    order = an_order()

    (action,) = act(some(full=True), held(order))

    assert isinstance(action, End)


def test_a_list_of_changes_leaves_alone_what_it_does_not_name() -> None:
    assert act(some(), held(an_order())) == []


def test_a_controller_out_of_a_backup_is_told_of_what_it_does_not_know_and_ends_nothing() -> None:
    running = held(an_order(epoch=1))

    actions = act(some(full=True), running, epoch=2, highest_epoch=2)

    assert actions == [Offer(running.key)]


def test_an_older_copy_of_the_controller_is_not_obeyed() -> None:
    assert act(some(an_order(), full=True), held(an_order()), epoch=1, highest_epoch=2) == []


def test_an_ended_attempt_that_is_not_named_is_dropped_only_when_acknowledged() -> None:
    ended = held(an_order(), "ended", end_seq=7)

    assert act(some(full=True), ended, acked_seq=6) == []
    assert act(some(full=True), ended, acked_seq=7) == [Drop(ended.key)]


def test_a_dropped_attempt_that_runs_is_ended_as_well() -> None:
    order = an_order()

    actions = act(some(dropped=((order.uid, 1),)), held(order))

    assert [type(action) for action in actions] == [End, Drop]


def test_a_later_attempt_ends_the_earlier_one_first() -> None:
    first = an_order()
    second = replace(first, attempt=2)

    actions = act(some(second), held(first), seen={first.uid: 1})

    assert [type(action) for action in actions] == [End, Accept]


orders = st.builds(
    lambda job, attempt, known, stop, epoch: an_order(
        uid=f"job-{job}", number=job, attempt=attempt, known=known, stop=stop, epoch=epoch
    ),
    st.integers(1, 3),
    st.integers(1, 3),
    st.booleans(),
    st.sampled_from([None, STOP]),
    st.integers(1, 2),
)


@given(st.lists(st.tuples(st.lists(orders, max_size=5), st.booleans()), max_size=8))
def test_nothing_starts_twice_and_nothing_lower_than_seen(
    messages: list[tuple[list[Order], bool]],
) -> None:
    roster, seen, started = Roster(), dict[str, int](), list[AttemptKey]()

    for wanted, full in messages:
        actions = reconcile(
            roster,
            some(*wanted, full=full),
            epoch=1,
            highest_epoch=1,
            seen=seen,
            acked_seq=10**9,
        )
        for action in actions:
            _play(action, roster, seen, started)

    assert len(started) == len(set(started))
    for uid in {key.uid for key in started}:
        attempts = [key.attempt for key in started if key.uid == uid]
        assert attempts == sorted(attempts)


@given(st.lists(orders, max_size=6))
def test_a_message_that_comes_twice_changes_nothing_the_second_time(wanted: list[Order]) -> None:
    roster, seen, started = Roster(), dict[str, int](), list[AttemptKey]()
    message = some(*wanted, full=True)

    def once() -> Iterable[Action]:
        actions = reconcile(roster, message, epoch=1, highest_epoch=1, seen=seen, acked_seq=0)
        for action in actions:
            _play(action, roster, seen, started)
        return actions

    once()

    assert not [action for action in once() if isinstance(action, Accept | AnswerLost)]


def _play(action: Action, roster: Roster, seen: dict[str, int], started: list[AttemptKey]) -> None:
    """Do what the agent does with an action, as far as the next decision depends on it."""
    if isinstance(action, Accept):
        started.append(key(action.order))
        roster.put(held(action.order, "accepted"))
    elif isinstance(action, AnswerLost | AnswerNeverStarted):
        roster.put(held(action.order, "ended", end_seq=1))
    if isinstance(action, Accept | AnswerLost | AnswerNeverStarted):
        seen[action.order.uid] = max(seen.get(action.order.uid, 0), action.order.attempt)
    if isinstance(action, End):
        attempt = roster.get(action.key)
        assert attempt is not None
        roster.put(replace(attempt, state="stopping", stop=action.stop))
    if isinstance(action, Drop):
        roster.drop(action.key)
