import pytest
from rich.cells import cell_len

from eaas_tui.keys import footer_keys
from eaas_tui.widgets.key_bar import MOST, KeyBar, placed
from tests.rig.pilots import OneWidget, lines_of, until


@pytest.mark.parametrize("width", [5, 20, 40, 80, 200])
def test_keys_that_do_not_fit_are_left_out_from_the_right(width: int) -> None:
    keys = footer_keys("jobs", may=("look", "act"))
    places = placed(keys, width)

    assert [place.key for place in places] == keys[: len(places)]
    assert len(places) <= MOST
    assert all(place.end <= width for place in places)


async def test_a_narrow_bar_shows_the_most_used_keys() -> None:
    bar = KeyBar("jobs")
    async with OneWidget(bar).run_test(size=(40, 5)):
        line = lines_of(bar)[0]

        assert line.startswith(" ? help")
        assert cell_len(line) == 40


async def test_what_one_may_not_do_is_not_offered() -> None:
    bar = KeyBar("jobs")
    async with OneWidget(bar).run_test(size=(200, 5)) as pilot:
        assert "x cancel" in lines_of(bar)[0]

        bar.may = frozenset({"look"})

        await until(lambda: "x cancel" not in lines_of(bar)[0], pilot)
        await until(lambda: "l log" in lines_of(bar)[0], pilot)


async def test_a_click_is_the_key() -> None:
    bar = KeyBar("jobs")
    app = OneWidget(bar)
    pressed: list[str] = []
    app.simulate_key = pressed.append  # type: ignore[assignment,method-assign]
    async with app.run_test(size=(80, 5)) as pilot:
        await pilot.click(KeyBar, offset=(1, 0))

    assert pressed == ["question_mark"]
