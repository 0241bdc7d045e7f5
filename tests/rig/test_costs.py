"""What a piece of work costs has nothing to do with what was there before it."""

import gc

from tests.rig.costs import costing

MADE = 100_000


def make_things() -> list[list[dict[str, int]]]:
    return [[{"number": number}] for number in range(MADE)]


def test_garbage_is_looked_for_only_among_what_the_work_makes() -> None:
    before = make_things()

    with costing() as cost:
        looked_at = len(gc.get_objects())
        made = make_things()

    assert len(made) == len(before) == MADE
    assert cost.s > 0
    assert looked_at < MADE
    assert len(gc.get_objects()) > 2 * MADE
