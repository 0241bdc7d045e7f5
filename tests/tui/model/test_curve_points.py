import pytest
from hypothesis import given
from hypothesis import strategies as st

from eaas_tui.model.curve_points import Kind, Summary, plotted, spans, summary

KINDS: list[Kind] = ["braille", "blocks", "ascii"]
VALUES = st.lists(st.one_of(st.none(), st.integers(0, 100)), max_size=80)


def test_a_short_dip_stays_visible_in_a_narrow_chart() -> None:
    values = [90] * 50 + [3] + [90] * 49

    assert spans(values, 10)[5] == (3, 90)


def test_few_values_stand_at_the_right_edge_where_now_is() -> None:
    assert spans([1, 2], 4) == [None, None, (1, 1), (2, 2)]


@given(VALUES, st.integers(1, 30))
def test_no_least_and_no_most_is_lost(values: list[float | None], columns: int) -> None:
    found = spans(values, columns)
    known = [value for value in values if value is not None]

    assert len(found) == columns
    assert min((span[0] for span in found if span), default=None) == min(known, default=None)
    assert max((span[1] for span in found if span), default=None) == max(known, default=None)


@given(
    VALUES, st.integers(1, 20), st.integers(1, 6), st.sampled_from(["braille", "blocks", "ascii"])
)
def test_a_chart_has_the_size_it_was_asked_for(
    values: list[float | None], width: int, height: int, kind: Kind
) -> None:
    rows = plotted(values, width, height, 100, kind)

    assert [len(row) for row in rows] == [width] * height
    assert any(row.strip() for row in rows) == any(v is not None for v in values)


@pytest.mark.parametrize(
    ("kind", "rows"),
    [("braille", [" ⡜", "⡰⠁"]), ("blocks", ["  █", "▁▄█"]), ("ascii", ["  #", ".:#"])],
)
def test_a_curve_rises_from_left_to_right(kind: Kind, rows: list[str]) -> None:
    values = [0, 33, 67, 100] if kind == "braille" else [0, 25, 100]

    assert plotted(values, len(rows[0]), len(rows), 100, kind) == rows


def test_what_was_not_measured_is_a_hole_and_not_zero() -> None:
    assert plotted([50, 50, None, None, 50, 50], 3, 1, 100, "braille")[0][1] == " "
    assert plotted([50, None, 50], 3, 1, 100, "blocks")[0][1] == " "


def test_a_curve_is_told_in_four_numbers() -> None:
    assert summary([1, None, 3]) == Summary(now=3, average=2, least=1, most=3)
    assert summary([None]) == Summary(now=None, average=None, least=None, most=None)


def test_a_chart_without_room_or_scale_is_no_error() -> None:
    assert plotted([1], 0, 3, 100, "braille") == []
    assert plotted([0], 1, 1, 0, "blocks") == ["▁"]


def test_a_whole_run_fills_the_width_however_few_values_it_has() -> None:
    assert spans([1, None], 4, fill=True) == [(1, 1), (1, 1), None, None]
    assert spans([], 2, fill=True) == [None, None]
    assert spans([1, 2, 3, 4], 2, fill=True) == spans([1, 2, 3, 4], 2)
    assert plotted([0, 100], 4, 1, 100, "blocks", fill=True) == ["▁▁██"]
