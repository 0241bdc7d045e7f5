from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eaas.ids import PoolName, UserName
from eaas_daemon.core.model import Pool, UseSoFar
from eaas_daemon.core.usage import Span, Usage, counts_s, decay, past, spent, standing

DAY = 86400.0
POOL = PoolName("default")
POOLS = {POOL: Pool(name=POOL)}
ALICE = UserName("alice")


def test_a_card_second_counts_half_after_the_half_life_and_a_quarter_after_two() -> None:
    used = Usage(card_seconds=800.0, as_of=1000.0)

    assert used.at(1000.0, DAY) == 800.0
    assert used.at(1000.0 + DAY, DAY) == pytest.approx(400.0)
    assert used.at(1000.0 + 2 * DAY, DAY) == pytest.approx(200.0)


def test_two_cards_for_a_minute_are_a_hundred_and_twenty_card_seconds() -> None:
    used = Usage().holding(2000, 0.0, DAY).holding(-2000, 60.0, DAY)

    assert used.thousandths == 0
    assert used.card_seconds == pytest.approx(120.0, rel=1e-3)


def test_a_share_counts_for_the_part_of_the_card_that_it_declared_rounded_up() -> None:
    spans = [Span(POOL, ALICE, 0.0, None, share, 23552) for share in (None, 23552, 11776, 1)]

    assert [span.thousandths for span in spans] == [1000, 1000, 500, 1]
    assert past(spans, POOLS, 0.0)[POOL, ALICE].thousandths == 2501


def test_a_card_that_is_held_for_ever_comes_to_a_bounded_use() -> None:
    held = Usage().holding(1000, 0.0, DAY)

    assert held.at(1e9, DAY) == pytest.approx(DAY / 0.6931471805599453)


def test_a_clock_that_went_back_adds_nothing_and_takes_nothing() -> None:
    used = Usage(card_seconds=10.0, as_of=1000.0, thousandths=3000)

    assert used.at(400.0, DAY) == 10.0
    assert used.holding(1000, 400.0, DAY) == Usage(
        card_seconds=10.0, as_of=1000.0, thousandths=4000
    )


def test_users_are_level_within_a_card_minute() -> None:
    usage = {
        (POOL, ALICE): Usage(card_seconds=119.0),
        (POOL, UserName("bob")): Usage(card_seconds=61.0),
        (PoolName("gone"), ALICE): Usage(card_seconds=1e6),
    }

    assert standing(usage, POOLS, 0.0) == {(POOL, "alice"): 1, (POOL, "bob"): 1}


def test_who_has_had_less_than_a_card_minute_has_had_nothing() -> None:
    assert standing({(POOL, ALICE): Usage(card_seconds=59.0)}, POOLS, 0.0) == {}


def test_use_that_has_decayed_to_nothing_is_spent_and_what_is_held_never_is() -> None:
    usage = {
        (POOL, ALICE): Usage(card_seconds=1024.0),
        (POOL, UserName("bob")): Usage(card_seconds=0.0, thousandths=1000),
        (PoolName("gone"), ALICE): Usage(card_seconds=1024.0),
    }

    assert spent(usage, POOLS, 9 * DAY) == []
    assert spent(usage, POOLS, 11 * DAY) == [(POOL, "alice"), ("gone", "alice")]


moments = st.lists(
    st.tuples(
        st.integers(0, 500_000),
        st.integers(1, 90_000),
        st.booleans(),
        st.sampled_from([None, 1, 700, 8192, 23552]),
    ),
    max_size=8,
)


@given(moments)
def test_use_told_event_by_event_is_the_use_of_the_spans(
    taken: Sequence[tuple[int, int, bool, int | None]],
) -> None:
    spans = [
        Span(POOL, ALICE, float(began), None if still else float(began + length), share, 23552)
        for began, length, still, share in taken
    ]
    turns = [(span.began, span.thousandths) for span in spans]
    turns += [(span.ended, -span.thousandths) for span in spans if span.ended is not None]
    told = Usage()
    for at, more in sorted(turns):
        told = told.holding(more, at, DAY)

    again = past(spans, POOLS, 600_000.0).get((POOL, ALICE), Usage())

    assert again.thousandths == told.thousandths
    for now in (600_000.0, 5_000_000.0):
        assert again.at(now, DAY) == pytest.approx(told.at(now, DAY), rel=1e-6, abs=1e-6)


def test_the_past_of_a_pool_that_is_gone_counts_for_nobody() -> None:
    assert past([Span(PoolName("gone"), ALICE, 0.0, 10.0)], POOLS, 20.0) == {}


def test_nothing_decays_in_no_time() -> None:
    assert (decay(0.0, DAY), decay(-5.0, DAY), decay(DAY, DAY)) == (1.0, 1.0, 0.5)


def test_what_a_pool_says_was_used_is_all_that_counts_from_before() -> None:
    used = UseSoFar(as_of=1000.0, card_seconds={ALICE: 800.0})
    pools = {POOL: Pool(name=POOL, used=used)}
    spans = [Span(POOL, ALICE, 0.0, 900.0), Span(POOL, ALICE, 940.0, 1060.0)]

    assert past(spans, pools, 1060.0)[POOL, ALICE].card_seconds == pytest.approx(860.0, abs=1.0)
    assert past([], pools, 1000.0 + DAY)[POOL, ALICE].card_seconds == pytest.approx(400.0)


def test_a_card_counts_for_as_long_as_the_longest_half_life_says() -> None:
    pools = [Pool(name=POOL), Pool(name=PoolName("slow"), half_life_s=10 * DAY)]

    assert (counts_s(pools), counts_s([])) == (100 * DAY, 0.0)
