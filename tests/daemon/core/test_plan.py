from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from eaas.lifecycle import JobState
from eaas_daemon.core import events as e
from eaas_daemon.core.invariants import broken
from eaas_daemon.core.plan import plan
from tests.rig.builders import ADMIN, ALICE, BOB, House, a_card, cards_of


def a_house(*, cards: int = 2, nodes: int = 1) -> House:
    house = House()
    names = [f"n{i}" for i in range(1, nodes + 1)]
    for name in names:
        house.node(name, *(a_card(i, node=name) for i in range(cards)))
    house.pool("default", *names)
    return house


def test_a_job_is_placed_in_the_step_that_brings_it() -> None:
    house = a_house()

    job = house.submit(gpus=1)

    assert (job.state, cards_of(job)) == (JobState.STARTING, ["GPU-n1-0"])


def test_jobs_wait_when_the_cards_are_gone_and_go_when_they_are_seen_clean_again() -> None:
    house = a_house(cards=1)
    first, second = house.submit(gpus=1), house.submit(gpus=1)
    house.ended(house.running(first))

    assert house.job(second.number).state is JobState.PENDING

    house.now += 2
    house.beat("n1", a_card(0))

    assert house.job(second.number).state is JobState.STARTING


def test_a_reading_from_before_the_release_does_not_offer_the_card() -> None:
    house = a_house(cards=1)
    first, second = house.submit(gpus=1), house.submit(gpus=1)
    house.ended(house.running(first), finished_at=house.now + 5)
    house.now += 2

    house.beat("n1", a_card(0))

    assert house.job(second.number).state is JobState.PENDING


def test_priority_then_age_decides_and_top_beats_both() -> None:
    house = a_house(cards=1)
    blocker = house.submit(gpus=1)
    low, high, late = (
        house.submit(gpus=1, priority=0),
        house.submit(gpus=1, priority=5),
        house.submit(gpus=1, priority=0),
    )
    house.do(e.PutOnTop(caller=ADMIN, number=late.number))

    order = list(house.state.line.in_order(blocker.pool, house.state.order))

    assert order == [late.uid, high.uid, low.uid]


def test_who_has_had_less_of_the_cards_goes_first() -> None:
    house = a_house(cards=1)
    hog = house.running(house.submit(ALICE, gpus=1))
    house.now += 3600
    mine, his = house.submit(ALICE, gpus=1), house.submit(BOB, gpus=1)
    urgent = house.submit(ALICE, gpus=1, priority=1)

    order = list(house.state.line.in_order(hog.pool, house.state.order))

    assert order == [urgent.uid, his.uid, mine.uid]
    assert [house.state.line.position(job, house.state.order) for job in (urgent, his, mine)] == [
        1,
        2,
        3,
    ]


def test_two_users_take_turns_on_one_card_whoever_came_first() -> None:
    house = a_house(cards=1)
    for caller in [ALICE] * 6 + [BOB] * 3:
        house.submit(caller, gpus=1)

    turns = []
    for _ in range(6):
        (job,) = (job for job in house.state.jobs.values() if job.live_attempt)
        turns.append(job.user)
        house.running(job)
        house.now += 600
        house.ended(house.job(job.number))
        house.now += 2
        house.beat("n1", a_card(0))

    assert turns == ["alice", "bob", "alice", "bob", "alice", "bob"]


def test_a_queue_of_higher_priority_goes_first() -> None:
    house = a_house(cards=1)
    house.queue("urgent", priority=10)
    blocker = house.submit(gpus=1)
    house.submit(gpus=1, priority=100)
    urgent = house.submit(gpus=1, queue="urgent")

    house.ended(house.running(blocker))
    house.now += 2
    house.beat("n1", a_card(0))

    assert house.job(urgent.number).state is JobState.STARTING


def test_max_running_holds_the_rest_of_the_queue() -> None:
    house = a_house()
    house.queue("default", max_running=2)

    jobs = [house.submit() for _ in range(3)]

    assert [house.job(job.number).state for job in jobs] == [
        JobState.STARTING,
        JobState.STARTING,
        JobState.PENDING,
    ]


def test_a_paused_queue_starts_nothing_until_it_is_resumed() -> None:
    house = a_house()
    house.queue("default", paused=True)
    job = house.submit()
    assert house.job(job.number).state is JobState.PENDING

    house.queue("default", paused=False)

    assert house.job(job.number).state is JobState.STARTING


def test_a_wide_job_that_does_not_fit_lets_a_narrow_one_pass() -> None:
    house = a_house(cards=2)
    house.submit(gpus=1)

    wide, narrow = house.submit(gpus=2), house.submit(gpus=1)

    assert wide.state is JobState.PENDING
    assert narrow.state is JobState.STARTING


def test_the_smallest_card_that_suffices_is_given() -> None:
    house = House()
    house.node("n1", a_card(0, gib=80), a_card(1, gib=24))
    house.pool("default", "n1")

    job = house.submit(gpus=1, gpu_memory="20GiB")

    assert cards_of(job) == ["GPU-n1-1"]


def test_only_the_pools_own_cards_of_a_node_are_given() -> None:
    house = a_house(cards=2)
    house.do(e.AddToPool(caller=ADMIN, pool="default", node="n1", cards=("1",)))

    job = house.submit(gpus=1)

    assert cards_of(job) == ["GPU-n1-1"]


def test_an_excluded_card_is_never_given() -> None:
    house = a_house(cards=1)
    house.do(e.SetExcluded(caller=ADMIN, node="n1", card="0", excluded=True))

    assert house.submit(gpus=1).state is JobState.PENDING


def test_a_card_used_from_outside_is_not_given() -> None:
    house = a_house(cards=1)
    house.beat("n1", a_card(0, state="foreign", text="pid 7 of carol"))

    assert house.submit(gpus=1).state is JobState.PENDING


asks = st.lists(
    st.tuples(
        st.integers(0, 3),
        st.sampled_from([None, "10GiB", "24GiB"]),
        st.sampled_from([1, 2, 16]),
        st.integers(-3, 3),
        st.sampled_from([ALICE, BOB]),
    ),
    max_size=12,
)


@settings(max_examples=60, deadline=None)
@given(asks=asks, cards=st.integers(0, 4), nodes=st.integers(1, 3), data=st.data())
def test_nothing_is_ever_given_twice(
    asks: list[tuple[int, str | None, int, int, e.Caller]],
    cards: int,
    nodes: int,
    data: st.DataObject,
) -> None:
    house = a_house(cards=cards, nodes=nodes)
    for gpus, memory, cpus, priority, caller in asks:
        fields = {"gpu_memory": memory} if memory and gpus else {}
        house.submit(caller, force=True, gpus=gpus, cpus=cpus, priority=priority, **fields)
        assert broken(house.state) == []
        live = [job for job in house.state.jobs.values() if job.live_attempt]
        ends: bool = data.draw(st.booleans())
        if live and ends:
            house.ended(house.running(data.draw(st.sampled_from(live))))
            house.now += 1
            for name in list(house.state.nodes):
                house.beat(name, *(a_card(i, node=name) for i in range(cards)))
            assert broken(house.state) == []


@settings(max_examples=40, deadline=None)
@given(asks=asks, seed=st.randoms(use_true_random=False))
def test_the_same_jobs_get_the_same_places_in_whatever_order_the_state_was_built(
    asks: list[tuple[int, str | None, int, int, e.Caller]], seed: object
) -> None:
    def placements(shuffled: bool) -> list[tuple[int, str, tuple[str, ...]]]:
        house = a_house(cards=3, nodes=2)
        house.queue("default", paused=True)
        for gpus, _memory, cpus, priority, caller in asks:
            house.submit(caller, force=True, gpus=gpus, cpus=cpus, priority=priority)
        house.state.queues["default/default"] = type(house.state.queues["default/default"])(
            pool=house.state.pools["default"].name,  # type: ignore[index]
            name=house.state.queues["default/default"].name,
        )
        if shuffled:
            items = list(house.state.jobs.items())
            seed.shuffle(items)  # type: ignore[attr-defined]
            house.state.jobs = dict(items)
            house.state.nodes = dict(reversed(house.state.nodes.items()))
        house.state.restless.update(house.state.pools)
        return [
            (house.state.jobs[uid].number, node, tuple(card.uuid for card in cards))
            for uid, node, cards in plan(house.state, house.now).placements
        ]

    assert placements(False) == placements(True)


@settings(max_examples=40, deadline=None)
@given(asks=asks)
def test_every_waiting_job_gets_exactly_one_verdict(
    asks: list[tuple[int, str | None, int, int, e.Caller]],
) -> None:
    from eaas_daemon.core.explain import Explainer

    house = a_house(cards=2, nodes=2)
    for gpus, _memory, cpus, priority, caller in asks:
        house.submit(caller, force=True, gpus=gpus, cpus=cpus, priority=priority)

    explainer = Explainer(house.state)
    for job in house.state.jobs.values():
        why = explainer.why(job)
        assert (why.verdict == "placed") == (job.state is not JobState.PENDING)
        if job.state is JobState.PENDING:
            assert why.reasons or len(why.nodes) == 2


def test_a_plan_may_stop_after_so_many_placements() -> None:
    house = a_house(cards=3)
    house.queue("default", max_running=0)
    jobs = [house.submit(gpus=1) for _ in range(3)]
    house.state.put_queue(replace(house.state.queues["default/default"], max_running=None))

    decided = plan(house.state, house.now, at_most=2)

    assert [placement.uid for placement in decided.placements] == [job.uid for job in jobs[:2]]
