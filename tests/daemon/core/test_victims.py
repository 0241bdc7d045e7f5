from itertools import combinations

from hypothesis import given, settings
from hypothesis import strategies as st

from eaas.ids import CardUuid, JobUid
from eaas_daemon.core.victims import Amounts, Victim, least_loss, loss


def a_victim(number: int, *, queue: int = 0, priority: int = 0, ran_s: float = 100.0) -> Victim:
    return Victim(
        queue_priority=queue,
        priority=priority,
        ran_s=ran_s,
        number=number,
        uid=JobUid(f"uid-{number}"),
        cards=frozenset({CardUuid(f"GPU-{number}")}),
        cpus_milli=1000,
        memory_mib=0,
    )


def cards(count: int) -> Amounts:
    return count, 0, 0


def suffices(victims: tuple[Victim, ...], gives: dict[Victim, Amounts], lacks: Amounts) -> bool:
    sums = [sum(gives[victim][i] for victim in victims) for i in range(3)]
    return all(given >= lacking for given, lacking in zip(sums, lacks, strict=True))


def test_one_large_job_is_stopped_rather_than_two_small_ones() -> None:
    small, other, large = a_victim(1), a_victim(2), a_victim(3, queue=5, ran_s=9e6)

    chosen = least_loss(cards(2), {small: cards(1), other: cards(1), large: cards(4)})

    assert chosen == (large,)


def test_of_as_many_the_least_important_are_stopped_and_of_those_the_youngest() -> None:
    low = a_victim(1, queue=-5, priority=9, ran_s=500)
    lower = a_victim(2, queue=-5, priority=-9, ran_s=9000)
    young = a_victim(3, queue=-5, priority=-9, ran_s=100)
    high = a_victim(4, queue=0, priority=-100, ran_s=1)

    gives = dict.fromkeys((low, lower, young, high), cards(1))

    assert least_loss(cards(1), gives) == (young,)
    assert least_loss(cards(2), gives) == (young, lower)
    assert least_loss(cards(3), gives) == (young, lower, low)


def test_nobody_is_stopped_when_nothing_is_lacking() -> None:
    assert least_loss((0, -5, 0), {a_victim(1): cards(1)}) == ()


def test_nobody_is_stopped_when_all_of_them_would_not_do() -> None:
    assert least_loss((1, 3000, 0), {a_victim(1): (1, 1000, 0), a_victim(2): (1, 1000, 0)}) is None


def test_cards_of_one_and_memory_of_another_are_taken_together() -> None:
    with_card, with_memory, idle = a_victim(1), a_victim(2), a_victim(3)

    gives = {with_card: (1, 1000, 0), with_memory: (0, 1000, 4096), idle: (0, 1000, 0)}

    assert least_loss((1, 0, 2048), gives) == (with_card, with_memory)


def test_of_many_small_jobs_as_few_are_stopped_without_looking_at_every_set() -> None:
    many = {a_victim(number, ran_s=float(number)): (0, 1000, 0) for number in range(200)}

    chosen = least_loss((0, 64_000, 0), many)

    assert chosen is not None
    assert [victim.number for victim in chosen] == list(range(64))


amounts = st.tuples(st.integers(0, 3), st.integers(0, 3), st.integers(0, 2))
victims = st.tuples(st.integers(-2, 1), st.integers(-1, 1), st.sampled_from([0.0, 60.0, 61.5]))


@settings(max_examples=300, deadline=None)
@given(lacks=amounts, offered=st.lists(st.tuples(victims, amounts), max_size=7))
def test_no_other_set_that_suffices_is_a_smaller_loss(
    lacks: Amounts, offered: list[tuple[tuple[int, int, float], Amounts]]
) -> None:
    gives = {
        a_victim(number, queue=queue, priority=priority, ran_s=ran_s): given
        for number, ((queue, priority, ran_s), given) in enumerate(offered)
    }
    every = [set_ for size in range(len(gives) + 1) for set_ in combinations(gives, size)]
    enough = [set_ for set_ in every if suffices(set_, gives, lacks)]

    chosen = least_loss(lacks, gives)

    assert chosen == least_loss(lacks, dict(reversed(gives.items())))
    if chosen is None:
        assert enough == []
    else:
        assert loss(chosen) == min(map(loss, enough))
        assert chosen in [tuple(sorted(set_)) for set_ in enough]


@settings(max_examples=200, deadline=None)
@given(lacks=amounts, offered=st.lists(amounts, max_size=9))
def test_where_sets_are_too_many_to_compare_still_nobody_is_stopped_who_can_be_spared(
    lacks: Amounts, offered: list[Amounts]
) -> None:
    gives = {a_victim(number): given for number, given in enumerate(offered)}

    chosen = least_loss(lacks, gives, most_sets=0)

    if chosen is None:
        assert not suffices(tuple(gives), gives, lacks)
    else:
        assert suffices(chosen, gives, lacks)
        for spared in chosen:
            rest = tuple(victim for victim in chosen if victim != spared)
            assert not suffices(rest, gives, lacks)
