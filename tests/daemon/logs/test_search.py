import re
import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eaas_daemon.logs.search import CHUNK_BYTES, LogMatch, ReadAt, search


def over(log: bytes) -> ReadAt:
    return lambda offset, length: log[offset : offset + length]


def test_a_match_says_where_it_is_in_which_line_and_what_stands_there() -> None:
    log = b"one\r\nloss = nan\r\ntwo\nLoss 0.5 loss 0.4\n"

    assert search(over(log), "loss", limit=10) == (
        LogMatch(offset=5, line=2, text="loss = nan"),
        LogMatch(offset=21, line=4, text="Loss 0.5 loss 0.4"),
    )
    assert [match.line for match in search(over(log), "Loss", limit=10, exact_case=True)] == [4]


def test_the_text_is_taken_literally() -> None:
    assert search(over(b"a+b\naab\n"), "A+B", limit=10)[0].line == 1
    assert len(search(over(b"a+b\naab\n"), "a.b", limit=10)) == 0


def test_case_does_not_matter_outside_of_ascii_either() -> None:
    log = "ok\nÜBERLAUF: é\n错误\n".encode()

    assert [match.line for match in search(over(log), "überlauf", limit=9)] == [2]
    assert [match.line for match in search(over(log), "错误", limit=9)] == [3]


def test_an_empty_text_is_nowhere() -> None:
    assert search(over(b"abc"), "", limit=10) == ()


def test_no_more_matches_than_asked_for() -> None:
    assert len(search(over(b"x\n" * 100), "x", limit=7)) == 7


def test_of_a_line_without_end_only_the_part_around_the_match_is_shown() -> None:
    log = b"a" * 1_000_000 + b"needle" + b"b" * 1_000_000

    (match,) = search(over(log), "needle", limit=10)

    assert (match.offset, match.line) == (1_000_000, 1)
    assert match.text == "a" * 200 + "needle" + "b" * 394


def test_bytes_that_are_no_text_do_not_hide_a_match() -> None:
    (match,) = search(over(b"\xff\x00needle\xfe\n"), "needle", limit=10)

    assert match == LogMatch(offset=2, line=1, text="�\x00needle�")


def test_a_search_that_nobody_waits_for_ends() -> None:
    stop = threading.Event()
    stop.set()

    assert search(over(b"x"), "x", limit=10, stop=stop) == ()


@pytest.mark.parametrize("shift", range(-8, 3))
def test_matches_across_the_seam_of_two_chunks_are_found_once(shift: int) -> None:
    before = b"\n" * (CHUNK_BYTES + shift)
    log = before + b"needle and needle\nneedle\n"

    found = search(over(log), "needle", limit=10)

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
    found = search(over(log), "aB", limit=1000)

    expected = []
    offset = 0
    for number, line in enumerate(log.split(b"\n"), start=1):
        if match := re.search(b"(?i)ab", line):
            expected.append((offset + match.start(), number))
        offset += len(line) + 1
    assert [(match.offset, match.line) for match in found] == expected
