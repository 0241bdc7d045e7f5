import pytest
from msgspec.structs import replace

from eaas_tui.glyphs import ASCII, BLOCKS
from eaas_tui.model.curve_points import Curve
from eaas_tui.widgets.curve import CurveGrid, heading, overlaid, time_axis
from tests.rig.pilots import OneWidget, lines_of, widths


def a_curve(title: str = "card 0 utilisation", *values: float | None) -> Curve:
    return Curve(title=title, unit="%", top=100, values=values or (0, 50, 100), every_s=5)


def test_a_heading_tells_the_curve_in_numbers_as_far_as_there_is_room() -> None:
    curve = replace(a_curve("card 0 load", 3, None, 99), short="c0")

    assert heading(curve, 80) == "card 0 load %  now 99 avg 51 min 3 max 99"
    assert heading(curve, 40) == "c0 %  now 99 avg 51 min 3 max 99"
    assert heading(curve, 28) == "c0 %  now 99 avg 51 max 99"
    assert heading(curve, 3) == "c0 %  now 99"
    assert heading(a_curve("load", None), 80) == "load %  now ? avg ? min ? max ?"


def test_where_the_values_are_means_the_most_is_that_of_the_peaks() -> None:
    curve = replace(a_curve("load", 10, 20), peaks=(10, 95), is_live=False)

    assert heading(curve, 80) == "load %  avg 15 max 95"


def test_the_time_axis_says_how_long_ago_the_curve_begins() -> None:
    assert time_axis(a_curve("load", *[1] * 180), 20) == "-15m             now"
    assert time_axis(a_curve("load", 1, 2, 3, 4), 20) == "            -20s now"
    assert time_axis(a_curve("load", *[1] * 180), 4) == " now"


def test_the_axis_of_a_whole_run_says_when_it_began_and_how_long_it_took() -> None:
    run = replace(a_curve("load", *[1] * 24), since="14:03:10", until="14:05:10", is_whole=True)

    assert time_axis(run, 30) == "14:03:10      2m      14:05:10"
    assert time_axis(run, 18) == "14:03:10  14:05:10"
    assert time_axis(run, 12) == "    14:05:10"
    assert all(len(time_axis(run, width)) == width for width in range(1, 60))


def test_peaks_are_seen_where_the_means_leave_room() -> None:
    assert overlaid("  ab ", "x yyz") == [("x", "peak"), (" ab", "plot"), ("z", "peak")]
    assert overlaid("", "") == []


async def test_all_curves_share_one_axis_where_each_having_its_own_takes_too_much_room() -> None:
    grid = CurveGrid()
    async with OneWidget(grid).run_test(size=(78, 19)):
        curves = [a_curve(f"card {at} load", 0, 100) for at in range(16)]
        grid.show(curves, glyphs=BLOCKS, empty="", caption="attempt 1 of 1")

        lines = lines_of(grid)
        assert lines[0].startswith("attempt 1 of 1")
        assert [line.split(" load")[0] for line in lines[1:17:2]] == [
            f"card {at}" for at in range(0, 16, 2)
        ]
        assert lines[-1].count("now") == 2
        assert sum("now" in line.removesuffix("now") for line in lines[:-1]) == 8


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
        assert "two %" in lines_of(grid)[3]


async def test_what_has_no_room_at_all_is_scrolled_to_above_the_axis_of_all() -> None:
    grid = CurveGrid()
    async with OneWidget(grid).run_test(size=(60, 8)) as pilot:
        curves = [a_curve(f"card {at} load") for at in range(9)]
        grid.show(curves, glyphs=BLOCKS, empty="", caption="whose")
        assert "card 8 load" not in "".join(lines_of(grid))

        await pilot.press("G")

        lines = lines_of(grid)
        assert "card 8 load" in lines[-5]
        assert (lines[0].rstrip(), lines[-1].rstrip()[-3:]) == ("whose", "now")


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


def test_now_is_what_is_measured_at_this_moment_where_that_is_known() -> None:
    curve = replace(a_curve("load", 0, 50, 60), now=99.0)

    assert "now 99" in heading(curve, 60)
    assert "max 99" in heading(curve, 60)
    assert "max 99" not in heading(replace(curve, is_live=False), 60)
