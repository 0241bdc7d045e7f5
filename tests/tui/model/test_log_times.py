from datetime import UTC, datetime

from eaas_tui.model.log_pages import Ask
from eaas_tui.model.log_times import AROUND_BYTES, LogTimes

NOON = datetime(2026, 12, 1, 12, tzinfo=UTC).timestamp()
DAY_S = 86400.0


def told(*moments: tuple[int, float | None], end: int = 100) -> LogTimes:
    times = LogTimes()
    times.put(Ask(0, end), moments)
    return times


def rows(times: LogTimes, *offsets: int | None) -> list[str]:
    return times.stamp_rows(offsets, NOON, UTC)


def test_a_line_has_the_moment_of_its_first_byte_and_its_later_rows_have_none() -> None:
    times = told((0, NOON - 60), (10, NOON - 59.5))

    assert rows(times, 0, None, 9, 10) == ["11:59:00", "", "11:59:00", "11:59:00"]
    assert times.cells == 9


def test_what_nobody_knows_is_told_apart_from_what_is_not_brought_yet() -> None:
    assert rows(told((0, None), (10, NOON), end=20), 0, 10, 20) == ["       -", "12:00:00", ""]


def test_the_day_stands_first_and_where_it_changes_once_it_is_another() -> None:
    times = told((0, NOON), (10, NOON - DAY_S))
    assert rows(times, 0) == ["12:00:00"]

    assert rows(times, 10, 11, 0) == ["11-30 12:00:00", "      12:00:00", "12-01 12:00:00"]
    assert rows(times, 0) == ["12-01 12:00:00"]
    assert times.cells == 15


def test_only_what_lacks_is_asked_for_with_some_of_what_is_held_around() -> None:
    times = LogTimes()

    first = times.lacks(50_000, 50_100, (0, 60_000))
    assert first == Ask(50_000 - AROUND_BYTES, AROUND_BYTES + 10_000)
    times.put(first, [(first.offset, NOON)])

    assert times.lacks(40_000, 59_000, (0, 60_000)) is None
    assert times.lacks(59_000, 60_500, (0, 60_500)) == Ask(60_000, 500)
    assert times.lacks(0, 100, (0, 60_000)) == Ask(0, 100 + AROUND_BYTES)
    assert times.lacks(59_000, 60_500, (90_000, 99_000)) is None


def test_what_goes_on_is_added_and_what_does_not_replaces() -> None:
    times = told((0, NOON), end=10)
    times.put(Ask(10, 10), [(10, NOON + 5)])
    assert rows(times, 5, 15) == ["12:00:00", "12:00:05"]

    times.put(Ask(500, 10), [(500, NOON + 9)])
    assert rows(times, 5, 505) == ["", "12:00:09"]
