import pytest

from eaas_tui.glyphs import ASCII, BLOCKS
from eaas_tui.model.curve_points import Curve
from eaas_tui.widgets.curve import CurveGrid, heading, time_axis
from tests.rig.pilots import OneWidget, lines_of, widths


def a_curve(title: str = "card 0 utilisation", *values: float | None) -> Curve:
    return Curve(title=title, unit="%", top=100, values=values or (0, 50, 100), every_s=5)


def test_a_heading_tells_the_curve_in_four_numbers() -> None:
    assert heading(a_curve("load", 3, None, 99)) == "load %  now 99 avg 51 min 3 max 99"
    assert heading(a_curve("load", None)) == "load %  now ? avg ? min ? max ?"


def test_the_time_axis_says_how_long_ago_the_curve_begins() -> None:
    assert time_axis(180, 5, 20) == "-15m             now"
    assert time_axis(4, 5, 20) == "            -20s now"
    assert time_axis(180, 5, 4) == " now"


async def test_a_curve_has_axes_and_a_scale() -> None:
    grid = CurveGrid()
    async with OneWidget(grid).run_test(size=(40, 8)):
        grid.show([a_curve()], glyphs=ASCII, empty="")

        lines = [line.rstrip() for line in lines_of(grid)]
        assert lines[1].startswith(" 100|")
        assert lines[1].endswith("#")
        assert lines[3].startswith("  50|")
        assert lines[5].startswith("   0|")
        assert lines[5].endswith(".##")
        assert lines[6].endswith("now")


async def test_curves_stand_side_by_side_when_there_is_room() -> None:
    grid = CurveGrid()
    async with OneWidget(grid).run_test(size=(100, 8)) as pilot:
        grid.show([a_curve("one"), a_curve("two")], glyphs=BLOCKS, empty="")
        assert "one %" in lines_of(grid)[0]
        assert "two %" in lines_of(grid)[0]

        await pilot.resize_terminal(60, 8)

        assert "two %" not in lines_of(grid)[0]
        await pilot.press("G")
        assert "two %" in lines_of(grid)[0]


async def test_without_curves_a_sentence_says_why() -> None:
    grid = CurveGrid()
    async with OneWidget(grid).run_test(size=(40, 8)):
        grid.show([], glyphs=BLOCKS, empty="the job holds no card")
        assert lines_of(grid)[0].rstrip() == "the job holds no card"


@pytest.mark.parametrize("size", [(1, 1), (6, 2), (20, 5)])
async def test_no_size_is_too_small(size: tuple[int, int]) -> None:
    grid = CurveGrid()
    async with OneWidget(grid).run_test(size=size) as pilot:
        grid.show([a_curve()] * 3, glyphs=BLOCKS, empty="")
        await pilot.press("j", "G", "g")
        assert widths(lines_of(grid)) == {size[0]}
