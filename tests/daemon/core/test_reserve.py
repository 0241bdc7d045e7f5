from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eaas import reasons as r
from eaas.job_spec import read_spec
from eaas.lifecycle import JobState
from eaas_daemon.core import events as e
from eaas_daemon.core.dry_run import dry_run
from eaas_daemon.core.explain import Explainer
from eaas_daemon.core.invariants import broken
from eaas_daemon.core.model import Job, Reservation
from eaas_daemon.core.reserve import COOLING_S
from tests.rig.builders import ADMIN, ALICE, BOB, House, a_card

SEEN_CLEAN_S = 2.0
"""How long it takes here until a card that was given back is offered again."""

STARTING, PENDING = JobState.STARTING, JobState.PENDING


def a_house(*, cards: int = 2, nodes: int = 1) -> House:
    house = House()
    names = [f"n{i}" for i in range(1, nodes + 1)]
    for name in names:
        house.node(name, *(a_card(i, node=name) for i in range(cards)))
    house.pool("default", *names)
    house.do(e.Tick())
    return house


def kept(house: House) -> Reservation | None:
    return next(house.state.every_reservation(), None)


def end(house: House, job: Job, cards: int = 2) -> None:
    """Let the job's attempt end and its cards be read clean."""
    house.ended(house.job(job.number) if job.attempts else job)
    house.now += SEEN_CLEAN_S
    for name in list(house.state.nodes):
        house.beat(name, *(a_card(i, node=name) for i in range(cards)))


def pass_time(house: House, seconds: float) -> None:
    house.now += seconds
    house.do(e.Tick())


def test_the_first_job_without_room_knows_when_it_starts_at_the_latest() -> None:
    house = a_house()
    running = house.running(house.submit(gpus=1, timeout="1h"))

    wide = house.submit(gpus=2)

    reservation = kept(house)
    assert reservation is not None
    assert (reservation.uid, reservation.nodes, reservation.is_firm) == (wide.uid, ("n1",), True)
    assert running.attempts[-1].started_at is not None
    assert reservation.at == pytest.approx(running.attempts[-1].started_at + 3610)


def test_why_says_when_the_first_job_starts_at_the_latest_and_of_others_that_nobody_knows() -> None:
    house = a_house()
    house.running(house.submit(gpus=2, timeout="1h"))
    first, second = house.submit(gpus=2), house.submit(gpus=2)
    explainer = Explainer(house.state, house.now + 10)

    eta, other = explainer.why(first).eta, explainer.why(second).eta

    assert (eta.in_s, eta.kind) == (3600.0 + COOLING_S, "certain")
    assert (other.at, other.kind) == (None, "unknown")


def test_a_job_that_is_gone_in_time_may_go_before_and_one_that_may_not_be_may_not() -> None:
    house = a_house()
    house.running(house.submit(gpus=1, timeout="1h"))
    house.submit(gpus=2)

    short, long, endless = (
        house.submit(gpus=1, timeout="50m"),
        house.submit(gpus=1, timeout="70m"),
        house.submit(gpus=1),
    )

    assert (short.state, long.state, endless.state) == (STARTING, PENDING, PENDING)
    why = Explainer(house.state, house.now).why(house.job(endless.number))
    assert [node.code for node in why.nodes] == ["too_few_free_cards"]


def test_room_that_is_kept_says_for_whom() -> None:
    house = a_house()
    house.running(house.submit(gpus=1, timeout="1h"))
    wide, endless = house.submit(BOB, gpus=2), house.submit(gpus=1)

    why = Explainer(house.state, house.now).why(endless)

    assert [(node.code, node.text) for node in why.nodes] == [
        (
            "card_reserved",
            f"what is free on n1 is kept for job {wide.number} of bob, which goes first",
        )
    ]


def test_a_job_that_needs_none_of_the_kept_cards_goes_ahead_however_long_it_runs() -> None:
    house = a_house(cards=4)
    house.running(house.submit(gpus=3, timeout="1h"))
    wide = house.submit(gpus=2)

    beside, too_much = house.submit(gpus=1), house.submit(gpus=1)

    assert (wide.state, beside.state) == (PENDING, STARTING)
    assert too_much.state is PENDING


def test_other_nodes_are_not_kept() -> None:
    house = a_house(cards=2, nodes=2)
    first, second = house.submit(gpus=1, timeout="1h"), house.submit(gpus=1, timeout="2h")
    house.running(first)
    house.running(second)
    assert {first.attempts[-1].node, second.attempts[-1].node} == {"n1"}
    other = house.running(house.submit(gpus=1, timeout="9h"))
    assert other.attempts[-1].node == "n2"

    wide = house.submit(gpus=2)
    reservation = kept(house)
    assert reservation is not None
    assert (wide.state, reservation.nodes) == (PENDING, ("n1",))

    assert house.submit(gpus=1).state is STARTING


def test_the_reservation_is_the_jobs_that_goes_first_now() -> None:
    house = a_house()
    house.running(house.submit(gpus=1, timeout="1h"))
    wide, urgent = house.submit(gpus=2), house.submit(gpus=2, priority=5)
    now_first = kept(house)
    assert now_first is not None
    assert now_first.uid == urgent.uid

    house.do(e.Cancel(caller=ALICE, number=urgent.number))
    then = kept(house)
    assert then is not None
    assert then.uid == wide.uid

    house.do(e.Cancel(caller=ALICE, number=wide.number))
    assert kept(house) is None


def test_a_job_that_goes_before_the_first_one_is_not_kept_back_by_it() -> None:
    house = a_house()
    house.running(house.submit(gpus=1, timeout="1h"))
    house.submit(gpus=2)

    assert house.submit(gpus=1, priority=5).state is STARTING


def test_when_no_end_is_known_freed_cards_are_kept_once_the_job_has_waited_long_enough() -> None:
    house = a_house()
    first, second = house.running(house.submit(gpus=1)), house.running(house.submit(gpus=1))
    wide, narrow = house.submit(gpus=2), house.submit(gpus=1)
    end(house, first)
    assert house.job(narrow.number).state is STARTING
    third = house.running(house.job(narrow.number))

    pass_time(house, 600)
    late = house.submit(gpus=1, timeout="1m")
    end(house, second)
    reservation = kept(house)
    assert reservation is not None
    assert (reservation.uid, reservation.is_firm) == (wide.uid, True)
    assert house.job(late.number).state is PENDING
    end(house, third)

    assert house.job(wide.number).state is STARTING
    assert house.job(late.number).state is PENDING


def test_a_queue_says_how_long_its_jobs_wait_before_cards_are_kept_for_them() -> None:
    house = a_house()
    house.queue("default", hold_after_s=5.0)
    house.running(house.submit(gpus=1))
    house.submit(gpus=2)
    pass_time(house, 4)
    assert not (kept(house) or pytest.fail("nobody is first")).is_firm
    pass_time(house, 1)
    assert (kept(house) or pytest.fail("nobody is first")).is_firm

    assert house.submit(gpus=1).state is PENDING


def test_a_queue_may_keep_nothing_for_ever() -> None:
    house = a_house()
    house.queue("default", hold_after_s=None)
    first = house.running(house.submit(gpus=1))
    house.running(house.submit(gpus=1))
    house.submit(gpus=2)
    pass_time(house, 1e6)
    end(house, first)

    assert house.submit(gpus=1).state is STARTING


def test_cards_are_kept_on_the_same_node_until_the_job_starts() -> None:
    house = a_house(nodes=2)
    jobs = [house.running(house.submit(gpus=1)) for _ in range(4)]
    wide = house.submit(gpus=2)
    pass_time(house, 600)
    before = kept(house)
    assert before is not None

    other = next(job for job in jobs if job.attempts[-1].node not in before.nodes)
    end(house, other)

    after = kept(house)
    assert after is not None
    assert (after.uid, after.nodes) == (wide.uid, before.nodes)


def test_a_card_that_was_released_a_moment_ago_is_on_its_way_and_not_lost() -> None:
    house = a_house()
    first, second = (house.running(house.submit(gpus=1, timeout="1h")) for _ in range(2))
    wide = house.submit(gpus=2)
    house.ended(first)

    assert house.submit(gpus=1).state is PENDING
    reservation = kept(house)
    assert reservation is not None
    assert reservation.uid == wide.uid
    assert second.attempts[-1].started_at is not None


def test_a_job_that_no_end_could_help_keeps_nothing() -> None:
    house = a_house(nodes=2)
    house.do(e.SetDraining(caller=ADMIN, node="n1", draining=True))
    house.running(house.submit(gpus=1, timeout="1h"))
    house.submit(gpus=2, nodes=["n1"])

    assert kept(house) is None
    assert house.submit(gpus=1).state is STARTING


def test_cpus_are_kept_for_a_job_without_cards() -> None:
    house = House()
    house.node("n1", cpus=4)
    house.pool("default", "n1")
    house.running(house.submit(cpus=2, timeout="1h"))
    house.submit(cpus=4)

    assert house.submit(cpus=1).state is PENDING
    assert house.submit(cpus=1, timeout="30m").state is STARTING


def test_a_card_that_is_kept_shows_for_whom() -> None:
    from eaas_daemon.core.inventory_picture import card_view

    house = a_house()
    house.running(house.submit(gpus=1, timeout="1h"))
    house.submit(BOB, gpus=2)
    node = house.state.nodes[next(iter(house.state.nodes))]

    shown = [card_view(house.state, node, card) for card in node.cards]

    assert [card.state for card in shown] == ["held", "free"]
    assert shown[1].reason is not None
    assert shown[1].reason.code == "card_reserved"
    assert "kept for job 2 of bob" in shown[1].reason.text


def test_who_came_before_by_fair_share_does_not_take_what_is_kept_and_a_higher_priority_does() -> (
    None
):
    house = a_house()
    house.running(house.submit(ALICE, gpus=1, timeout="1h"))
    pass_time(house, 1800)
    wide = house.submit(ALICE, gpus=2)

    fair, urgent = house.submit(BOB, gpus=1), house.submit(BOB, gpus=1, priority=1)

    assert house.state.line.position(fair, house.state.order) == 1
    assert [house.job(job.number).state for job in (wide, fair, urgent)] == [
        PENDING,
        PENDING,
        STARTING,
    ]


def test_who_is_kept_from_a_room_does_not_keep_it_from_the_one_it_is_for() -> None:
    house = a_house()
    running = house.running(house.submit(ALICE, gpus=1))
    pass_time(house, 1800)
    wide = house.submit(ALICE, gpus=2)
    pass_time(house, 600)
    his = house.submit(BOB, gpus=2)
    assert house.state.line.position(his, house.state.order) == 1

    end(house, running)

    assert house.job(wide.number).state is STARTING
    assert house.job(his.number).state is PENDING


def test_nothing_is_kept_for_a_job_that_needs_but_one_card() -> None:
    house = a_house(cards=1)
    running = house.running(house.submit(ALICE, gpus=1))
    house.submit(ALICE, gpus=1)
    pass_time(house, 3600)
    his = house.submit(BOB, gpus=1)

    end(house, running, cards=1)

    assert house.job(his.number).state is STARTING


asks = st.lists(
    st.tuples(st.integers(1, 4), st.sampled_from([300, 900, 3600]), st.booleans()),
    min_size=1,
    max_size=14,
)


@settings(max_examples=150, deadline=None)
@given(asks=asks, nodes=st.integers(1, 2))
def test_nobody_who_keeps_their_timeout_delays_the_first_in_line(
    asks: list[tuple[int, int, bool]], nodes: int
) -> None:
    house = a_house(cards=4, nodes=nodes)
    promised: dict[str, float] = {}
    ends: dict[int, float] = {}
    todo = list(asks)
    while todo or house.state.jobs:
        goes_on = not todo
        if todo:
            gpus, timeout_s, goes_on = todo.pop(0)
            house.submit(gpus=gpus, timeout=f"{timeout_s}s")
        house.begin()
        for job in house.state.jobs.values():
            if job.state is JobState.RUNNING:
                assert job.timeout_s is not None
                ends.setdefault(job.number, house.now + job.timeout_s)
        for job in list(house.state.jobs.values()):
            if job.attempts and job.uid in promised:
                assert house.now <= promised.pop(job.uid)
        first = kept(house)
        if first is not None and first.at is not None:
            promised.setdefault(first.uid, first.at + SEEN_CLEAN_S)
        if goes_on and ends:
            number = min(ends, key=ends.__getitem__)
            house.now = max(house.now, ends.pop(number))
            end(house, house.job(number), cards=4)
        assert broken(house.state) == []


@settings(max_examples=100, deadline=None)
@given(asks=asks, wanted=st.integers(1, 4), timeout=st.sampled_from([None, "5m", "1h"]))
def test_what_a_trial_says_is_what_then_happens(
    asks: list[tuple[int, int, bool]], wanted: int, timeout: str | None
) -> None:
    house = a_house(cards=4, nodes=2)
    for gpus, timeout_s, known in asks:
        fields: dict[str, Any] = {"timeout": f"{timeout_s}s"} if known else {}
        job = house.submit(BOB, gpus=gpus, **fields)
        if job.attempts:
            house.running(job)
    typed = {"image": "busybox", "command": "true", "gpus": wanted, "timeout": timeout}
    spec = read_spec({key: value for key, value in typed.items() if value is not None})

    told = dry_run(house.state, spec, ALICE, house.now)
    (job,) = house.do(e.Submit(caller=ALICE, specs=(spec,)))

    assert (told.would == "start") == (job.state is STARTING)
    if job.attempts:
        assert told.node == job.attempts[-1].node
        assert [card.uuid for card in told.cards] == [c.uuid for c in job.attempts[-1].cards]


def test_reasons_are_typed() -> None:
    reason = r.CardReserved(node="n1", job=3, user="bob", asked=1, available=0)

    assert (reason.code, reason.never) == ("card_reserved", False)


def test_who_is_kept_room_for_has_it_though_another_like_it_comes_first() -> None:
    house = House()
    house.nodes("n1", "n2", cards=2)
    asked: dict[str, Any] = {"gpus": 2, "timeout": "1h", "restart": {"retries": 1, "backoff": "0s"}}
    first = house.running(house.submit(**asked))
    half = house.running(house.submit(gpus=1, timeout="1h"))
    wide = house.submit(**asked)
    house.do(e.SetDraining(caller=ADMIN, node=first.attempts[-1].node, draining=True))

    again = house.ended(first, 1)
    house.ended(half)
    house.now += 5
    house.beat("n2", a_card(0, node="n2"), a_card(1, node="n2"))

    assert (again.number, again.state) == (1, PENDING)
    assert house.job(wide.number).state is JobState.STARTING
