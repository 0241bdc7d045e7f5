import re
import threading
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eaas_daemon.logs import search as module
from eaas_daemon.logs.search import (
    CHUNK_BYTES,
    After,
    Found,
    LogMatch,
    ReadAt,
    search,
    search_back,
)


def over(log: bytes) -> ReadAt:
    return lambda offset, length: log[offset : offset + length]


def test_a_match_says_where_it_is_in_which_line_and_what_stands_there() -> None:
    log = b"one\r\nloss = nan\r\ntwo\nLoss 0.5 loss 0.4\n"

    assert search(over(log), "loss", limit=10).matches == (
        LogMatch(offset=5, line=2, text="loss = nan"),
        LogMatch(offset=21, line=4, text="Loss 0.5 loss 0.4"),
    )
    exactly = search(over(log), "Loss", limit=10, exact_case=True)
    assert [match.line for match in exactly.matches] == [4]


def test_the_text_is_taken_literally() -> None:
    assert search(over(b"a+b\naab\n"), "A+B", limit=10).matches[0].line == 1
    assert len(search(over(b"a+b\naab\n"), "a.b", limit=10).matches) == 0


def test_case_does_not_matter_outside_of_ascii_either() -> None:
    log = "ok\nÜBERLAUF: é\n错误\n".encode()

    assert [match.line for match in search(over(log), "überlauf", limit=9).matches] == [2]
    assert [match.line for match in search(over(log), "错误", limit=9).matches] == [3]


def test_an_empty_text_is_nowhere() -> None:
    assert search(over(b"abc"), "", limit=10) == Found(())


def test_no_more_matches_than_asked_for() -> None:
    assert len(search(over(b"x\n" * 100), "x", limit=7).matches) == 7


def test_of_a_line_without_end_only_the_part_around_the_match_is_shown() -> None:
    log = b"a" * 1_000_000 + b"needle" + b"b" * 1_000_000

    (match,) = search(over(log), "needle", limit=10).matches

    assert (match.offset, match.line) == (1_000_000, 1)
    assert match.text == "a" * 200 + "needle" + "b" * 394


def test_bytes_that_are_no_text_do_not_hide_a_match() -> None:
    (match,) = search(over(b"\xff\x00needle\xfe\n"), "needle", limit=10).matches

    assert match == LogMatch(offset=2, line=1, text="�\x00needle�")


def test_a_search_that_nobody_waits_for_ends() -> None:
    stop = threading.Event()
    stop.set()

    assert search(over(b"x"), "x", limit=10, stop=stop) == Found(())


@pytest.mark.parametrize("shift", range(-8, 3))
def test_matches_across_the_seam_of_two_chunks_are_found_once(shift: int) -> None:
    before = b"\n" * (CHUNK_BYTES + shift)
    log = before + b"needle and needle\nneedle\n"

    found = search(over(log), "needle", limit=10).matches

    lines = before.count(b"\n")
    assert [(match.offset, match.line) for match in found] == [
        (len(before), lines + 1),
        (len(before) + 18, lines + 2),
    ]


@given(
    log=st.lists(st.sampled_from([b"ab", b"B", b"\n", b"x" * 90_000, b"\xff"]), max_size=12).map(
        b"".join
    )
)
def test_the_same_lines_are_found_as_by_reading_it_all(log: bytes) -> None:
    found = search(over(log), "aB", limit=1000).matches

    expected = []
    offset = 0
    for number, line in enumerate(log.split(b"\n"), start=1):
        if match := re.search(b"(?i)ab", line):
            expected.append((offset + match.start(), number))
        offset += len(line) + 1
    assert [(match.offset, match.line) for match in found] == expected
    back = search_back(over(log), "Ab", limit=1000, before=len(log)).matches
    assert [(match.offset, match.line) for match in back] == expected


ODD_LINES: Final = st.lists(
    st.sampled_from([b"ab", b"B", b"\n", b"x" * 90_000, b"\xff", b"ab ab"]), max_size=14
).map(b"".join)


@given(log=ODD_LINES, limit=st.integers(1, 3))
def test_page_by_page_the_same_lines_are_found_as_at_once(log: bytes, limit: int) -> None:
    paged: list[LogMatch] = []
    found = search(over(log), "ab", limit=limit)
    while True:
        paged += found.matches
        if found.next is None:
            break
        found = search(over(log), "ab", limit=limit, after=found.next)

    assert tuple(paged) == search(over(log), "ab", limit=1000).matches


@given(log=ODD_LINES, limit=st.integers(1, 3))
def test_page_by_page_backwards_the_same_lines_are_found_as_at_once(log: bytes, limit: int) -> None:
    paged: tuple[LogMatch, ...] = ()
    before = len(log)
    while found := search_back(over(log), "ab", limit=limit, before=before).matches:
        paged, before = found + paged, found[0].offset

    assert paged == search(over(log), "ab", limit=1000).matches


def test_behind_a_byte_only_what_begins_behind_it_is_found() -> None:
    log = b"ab\nab ab\nab\n"

    assert [m.offset for m in search(over(log), "ab", limit=9, after=After(3)).matches] == [6, 9]
    assert search(over(log), "ab", limit=1, after=After(2, 2)).next == After(8, 3)
    assert [m.offset for m in search_back(over(log), "ab", limit=9, before=4).matches] == [0, 3]
    assert search_back(over(log), "ab", limit=9, before=0) == Found(())
    assert search(over(log), "ab", limit=9, after=After(99)) == Found(())


def test_lines_far_into_a_log_have_numbers_only_when_somebody_says_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "COUNTED_BYTES", 3)
    log = b"ab\nab\nab\n"

    def lines(after: After) -> list[int | None]:
        return [match.line for match in search(over(log), "ab", limit=9, after=after).matches]

    assert lines(After(2)) == [2, 3]
    assert lines(After(5)) == [None]
    assert lines(After(5, 3)) == [3]
    assert search_back(over(log), "ab", limit=1, before=9).matches[0].line is None
