import os
from collections.abc import Callable, Iterator
from operator import attrgetter
from pathlib import Path

import pytest

from eaas_daemon.logs import times as module
from eaas_daemon.logs.order import MARK, Mark, Marks, Place, packed
from eaas_daemon.logs.times import LogTime, LogTimes, is_due, times_between

NOW = 1_800_000_000_000
STDERR: Callable[[Place], int] = attrgetter("stderr")


@pytest.fixture
def a_file(tmp_path: Path) -> Iterator[Callable[..., Marks]]:
    handles: list[int] = []

    def kept(*marks: Mark) -> Marks:
        path = tmp_path / "order"
        path.write_bytes(b"".join(map(packed, marks)))
        handles.append(os.open(path, os.O_RDONLY))
        return Marks(handles[-1], len(marks))

    yield kept
    for handle in handles:
        os.close(handle)


def test_a_mark_keeps_its_time_beside_lengths_of_a_terabyte(a_file: Callable[..., Marks]) -> None:
    mark = Mark(Place((1 << 40) - 1, 7), NOW + 123)

    assert a_file(mark, Mark(Place(0, 5), None)).read(0, 9) == [mark, Mark(Place(0, 5), None)]
    assert len(packed(mark)) == MARK.size == 16


def test_a_moment_speaks_for_what_comes_soon_after_until_the_clock_is_set_back() -> None:
    assert not is_due(NOW + 99, NOW)
    assert is_due(NOW + 100, NOW)
    assert is_due(NOW - 5000, NOW)
    assert is_due(NOW, None)


def test_each_byte_has_the_moment_of_the_last_mark_before_it(a_file: Callable[..., Marks]) -> None:
    marks = a_file(
        Mark(Place(0, 0), NOW),
        Mark(Place(5, 0), NOW + 1000),
        Mark(Place(5, 3), NOW + 1010),
        Mark(Place(9, 3), NOW + 2000),
    )

    assert times_between(marks, None, sum, 0, 12) == LogTimes(
        (LogTime(0, NOW), LogTime(5, NOW + 1000)), 12, is_all=True
    )
    assert times_between(marks, None, sum, 7, 20).times == (
        LogTime(7, NOW + 1000),
        LogTime(12, NOW + 2000),
    )
    assert times_between(marks, None, STDERR, 0, 4).times == (
        LogTime(0, NOW + 1000),
        LogTime(3, NOW + 2000),
    )


def test_without_marks_all_came_when_the_log_began_or_nobody_knows(
    a_file: Callable[..., Marks],
) -> None:
    assert times_between(a_file(), NOW, sum, 3, 9).times == (LogTime(3, NOW),)
    late = a_file(Mark(Place(4, 0), NOW))
    assert times_between(late, None, sum, 0, 9).times == (LogTime(0, None), LogTime(4, NOW))


def test_very_many_moments_come_in_parts(
    a_file: Callable[..., Marks], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "MOST_MARKS", 4)
    marks = a_file(*(Mark(Place(2 * turn, 0), NOW + 1000 * turn) for turn in range(10)))

    told: list[LogTime] = []
    begin, is_all = 0, False
    while not is_all:
        times, begin, is_all = times_between(marks, None, sum, begin, 20)
        told += times

    assert told == [LogTime(2 * turn, NOW + 1000 * turn) for turn in range(10)]
