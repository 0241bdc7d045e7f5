from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st

from eaas.job_spec import read_spec
from eaas.wire.from_agent import CardLink, CardReport
from eaas_daemon.core.closeness import FAR, Ways, closest, one_model, pick, ways_of
from eaas_daemon.core.dry_run import dry_run
from tests.rig.builders import ALICE, House, a_card, cards_of

NEAR, FAR_OFF = "nvlink", "system"
Links = tuple[CardLink, ...]


def linked(count: int, *groups: tuple[int, ...], near: str = NEAR, far: str = FAR_OFF) -> Links:
    """Return the links of so many cards: near within a group, far between groups."""
    return tuple(
        CardLink(
            a=f"GPU-n1-{a}",
            b=f"GPU-n1-{b}",
            kind=near if any({a, b} <= set(group) for group in groups) else far,
        )
        for a, b in combinations(range(count), 2)
    )


def cards(*indices: int) -> list[CardReport]:
    return [a_card(index) for index in indices]


def picked(free: tuple[int, ...], count: int, links: Links) -> list[int]:
    found = pick(
        cards(*free), count, free=[card.uuid for card in cards(*free)], ways=ways_of(links)
    )
    return [card.index for card in found]


PAIRS = linked(4, (0, 2), (1, 3))
FOURS = linked(8, (0, 1, 2, 3), (4, 5, 6, 7))


def test_a_job_on_two_cards_gets_two_that_are_joined() -> None:
    assert picked((0, 1, 2, 3), 2, PAIRS) == [0, 2]
    assert picked((1, 2, 3), 2, PAIRS) == [1, 3]


def test_a_job_on_one_card_breaks_up_no_pair_while_a_single_card_is_there() -> None:
    assert picked((0, 1, 3), 1, PAIRS) == [0]
    assert picked((0, 1, 2), 1, PAIRS) == [1]
    assert picked((0, 1, 2, 3), 1, PAIRS) == [0]


def test_a_pair_comes_from_the_group_that_is_broken_already() -> None:
    assert picked((0, 1, 2, 3, 4, 5), 2, FOURS) == [4, 5]
    assert picked((1, 2, 3, 4, 5, 6, 7), 3, FOURS) == [1, 2, 3]


def test_a_job_that_is_wider_than_a_group_gets_the_least_that_is_far() -> None:
    assert picked((0, 1, 2, 3, 4, 5, 6, 7), 5, FOURS) == [0, 1, 2, 3, 4]


def test_the_worst_pair_counts_before_the_sum() -> None:
    kinds = {(0, 1): "nvlink", (0, 2): "nvlink", (1, 2): "system", (3, 4): "host"}
    kinds |= {(3, 5): "host", (4, 5): "host"}
    links = tuple(
        CardLink(a=f"GPU-n1-{a}", b=f"GPU-n1-{b}", kind=kinds.get((a, b), "system"))
        for a, b in combinations(range(6), 2)
    )

    assert picked((0, 1, 2, 3, 4, 5), 3, links) == [3, 4, 5]


def test_cards_that_are_equally_far_have_no_ways() -> None:
    assert ways_of(()) is None
    assert ways_of(linked(4, near="host", far="host")) is None


def test_a_kind_that_nobody_knows_is_far() -> None:
    ways = ways_of(linked(3, (0, 1), far="carrier pigeon"))

    assert ways == Ways(
        {"GPU-n1-0": 0, "GPU-n1-1": 1, "GPU-n1-2": 2}, ((0, 0, FAR), (0, 0, FAR), (FAR, FAR, 0))
    )


def test_a_card_without_links_leaves_the_order_as_it_is() -> None:
    assert picked((0, 1, 2, 9), 2, PAIRS) == [0, 1]


def test_cards_of_one_model_are_given_where_any_model_has_enough() -> None:
    mixed = [
        a_card(0, gib=16, model="T4"),
        a_card(1),
        a_card(2),
        a_card(3, gib=80, model="A100"),
        a_card(4, gib=80, model="A100"),
    ]

    assert [card.index for card in one_model(mixed, 2)] == [1, 2]
    assert one_model(mixed, 3) == mixed
    assert one_model(mixed, 1) == mixed
    assert [card.index for card in pick(mixed, 2, free=(), ways=None)] == [1, 2]


def test_a_card_that_is_larger_than_need_be_is_not_given_for_its_place() -> None:
    sizes = [a_card(0, gib=24), a_card(1, gib=24), a_card(2, gib=80)]
    ways = ways_of(linked(3, (0, 1)))

    found = pick(sizes, 1, free=[card.uuid for card in sizes], ways=ways)

    assert [card.index for card in found] == [0]


def test_nearness_decides_only_between_cards_of_the_best_rank() -> None:
    free = cards(1, 3, 0, 2)  # 1 and 3 are not what is kept for another
    ways = ways_of(linked(4, (0, 1), (2, 3)))

    found = pick(free, 2, free=[], ways=ways, rank=lambda card: card.index in (0, 2))

    assert [card.index for card in found] == [1, 3]
    assert [
        card.index for card in pick(free, 3, free=[], ways=ways, rank=lambda c: c.index in (0, 2))
    ] == [1, 3, 0]


tables = st.integers(2, 12).flatmap(
    lambda n: st.lists(
        st.sampled_from([0, 2, 3, FAR]), min_size=n * (n - 1) // 2, max_size=n * (n - 1) // 2
    ).map(lambda found: (n, found))
)


@given(tables, st.data())
def test_what_is_found_is_of_the_right_size_and_never_worse_than_a_grown_set(
    given_table: tuple[int, list[int]], data: st.DataObject
) -> None:
    size, found = given_table
    rows = [[0] * size for _ in range(size)]
    for (a, b), distance in zip(combinations(range(size), 2), found, strict=True):
        rows[a][b] = rows[b][a] = distance
    table = tuple(map(tuple, rows))
    count: int = data.draw(st.integers(1, size))

    chosen = closest(table, tuple(range(size)), count, tuple(range(size)))

    assert len(set(chosen)) == count
    if count == 2:
        assert table[chosen[0]][chosen[1]] == min(found)


def test_a_plan_gives_close_cards_and_a_trial_says_which() -> None:
    house = House()
    house.node("n1", *cards(0, 1, 2, 3), links=PAIRS)
    house.pool("default", "n1")
    spec = read_spec({"image": "busybox", "command": "true", "gpus": 2})

    told = dry_run(house.state, spec, ALICE, house.now)
    first, second = house.submit(gpus=2), house.submit(gpus=2)

    assert [card.uuid for card in told.cards] == cards_of(first) == ["GPU-n1-0", "GPU-n1-2"]
    assert cards_of(second) == ["GPU-n1-1", "GPU-n1-3"]


def test_a_share_opens_a_card_that_breaks_up_no_pair() -> None:
    house = House()
    house.node("n1", *cards(0, 1, 2, 3), links=PAIRS)
    house.pool("default", "n1")
    house.submit(gpus=1)

    job = house.submit(gpus=1, share=True, gpu_memory="4GiB")

    assert cards_of(job) == ["GPU-n1-2"]
