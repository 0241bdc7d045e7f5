"""The selection follows the key, and stays on its line of the screen."""

import random

from eaas_tui.model.viewport import Viewport, followed, moved, within

KEYS = list(range(100))


def test_the_selected_key_stays_selected_and_on_its_line_when_rows_come_above_it() -> None:
    view = Viewport(cursor=50, index=50, top=45)

    after = followed(view, KEYS, [1000, 1001, *KEYS], height=20)

    assert after == Viewport(cursor=50, index=52, top=47)


def test_it_stays_selected_whatever_order_comes() -> None:
    view, keys, chance = Viewport(cursor=50, index=50, top=45), KEYS, random.Random(7)
    for _ in range(1000):
        now = chance.sample(range(1000), 200)
        now[chance.randrange(200)] = 50
        now = list(dict.fromkeys(now))
        view = followed(view, keys, now, height=20)
        keys = now

        assert view.cursor == 50
        assert keys[view.index] == 50
        assert view.top <= view.index < view.top + 20


def test_when_it_goes_the_nearest_after_it_is_selected_on_the_same_line() -> None:
    view = Viewport(cursor=50, index=50, top=45)

    after = followed(view, KEYS, [key for key in KEYS if key not in (50, 51)], height=20)

    assert after == Viewport(cursor=52, index=50, top=45)


def test_when_nothing_comes_after_it_the_nearest_before_it_is_selected() -> None:
    view = Viewport(cursor=99, index=99, top=80)

    assert followed(view, KEYS, KEYS[:95], height=20).cursor == 94


def test_it_is_found_again_when_the_list_was_empty_for_a_while() -> None:
    view = Viewport(cursor=50, index=50, top=45)

    empty = followed(view, KEYS, [], height=20)

    assert followed(empty, [], KEYS, height=20).cursor == 50


def test_when_it_is_out_of_sight_the_first_visible_row_stays_in_place() -> None:
    view = Viewport(cursor=5, index=5, top=60)

    after = followed(view, KEYS, [-2, -1, *KEYS], height=20)

    assert (after.cursor, after.index, after.top) == (5, 7, 62)


def test_the_first_rows_select_the_first() -> None:
    assert followed(Viewport(), [], KEYS, height=20) == Viewport(cursor=0, index=0, top=0)


def test_moving_brings_the_row_into_sight_and_ends_at_the_ends() -> None:
    view = Viewport(cursor=0, index=0, top=0)

    assert moved(view, KEYS, 25, height=20) == Viewport(cursor=25, index=25, top=6)
    assert moved(view, KEYS, 500, height=20) == Viewport(cursor=99, index=99, top=80)
    assert moved(view, KEYS, -5, height=20) == view
    assert moved(view, [], 3, height=20) == view


def test_the_end_of_the_list_leaves_no_blank_lines() -> None:
    assert within(95, 100, 20) == 80
    assert within(3, 10, 20) == 0
