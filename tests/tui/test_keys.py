import pytest

from eaas_tui.app import ConsoleApp
from eaas_tui.keys import ANYWHERE, KEYS, Needs, app_bindings, bindings_for, footer_keys, keys_of
from eaas_tui.views import PLACES, screen_class
from eaas_tui.widgets.card_grid import CardGrid
from eaas_tui.widgets.form_field import Lines
from eaas_tui.widgets.row_list import RowList

VIEWS = ("overview", "jobs", "job", "node", "events", "bookings")
ALL: tuple[Needs, ...] = ("look", "act", "admin")

MOVES = {"j", "k", "g", "G", "up", "down", "home", "end", "pageup", "pagedown", "h", "l"}
ENDS = {"x"}
BESIDE_ON_A_KEYBOARD = {"x": set("zsdc")}


@pytest.mark.parametrize("view", VIEWS)
def test_a_key_means_one_thing_on_a_view(view: str) -> None:
    own = [name for key in KEYS if view in key.where for name in key.keys]

    # `l` opens a job's log in a list of jobs, and goes to the next card in the grid of cards.
    assert sorted(name for name in own if own.count(name) > 1) in ([], ["l", "l"])


@pytest.mark.parametrize("view", VIEWS)
def test_every_key_of_a_view_does_something_there(view: str) -> None:
    screen = screen_class(view)
    assert screen is not None

    undone = [
        key.labels
        for key in KEYS
        if view in key.where
        and key.action
        and not hasattr(screen, f"action_{key.action.partition('(')[0]}")
    ]

    assert undone == []


def test_every_key_that_works_anywhere_does_something_in_the_app() -> None:
    names = [key.action for key in KEYS if key.where == ANYWHERE]

    assert all(name.startswith("app.") for name in names)
    assert all(
        hasattr(ConsoleApp, f"action_{name.removeprefix('app.').partition('(')[0]}")
        for name in names
    )


def test_what_the_table_leaves_to_lists_and_grids_is_bound_there() -> None:
    bound = {
        key
        for widget in (RowList, CardGrid, Lines)
        for binding in widget._merged_bindings.key_to_bindings  # type: ignore[union-attr]
        for key in binding.split(",")
    }

    left = {key for entry in KEYS if not entry.action for key in entry.keys}

    assert left <= bound


def test_what_ends_a_job_lies_beside_no_key_that_moves() -> None:
    for key in ENDS:
        assert not BESIDE_ON_A_KEYBOARD[key] & MOVES


def test_bindings_of_the_app_and_of_a_view_are_those_of_the_table() -> None:
    assert {binding.action for binding in app_bindings()} >= {"app.help", "app.quit_view"}
    assert "cancel" in {binding.action for binding in bindings_for("jobs")}
    assert all(binding.id for binding in [*app_bindings(), *bindings_for("jobs")])


def test_a_views_own_key_hides_the_one_that_works_anywhere() -> None:
    [next_hit] = [key for key in keys_of("job") if "n" in key.keys]

    assert next_hit.action == "search_next"


def test_the_footer_offers_the_most_used_keys_first_and_nothing_one_may_not_do() -> None:
    everything = [key.label for key in footer_keys("jobs", may=ALL)]
    looking = [key.label for key in footer_keys("jobs", may=("look",))]

    assert everything[0] == "?"
    assert "x" in everything
    assert "x" not in looking
    assert "n" not in looking


def test_every_view_that_has_keys_exists() -> None:
    assert {view for key in KEYS if key.where != ANYWHERE for view in key.where} <= set(PLACES)
