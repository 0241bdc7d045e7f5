from hypothesis import example, given
from hypothesis import strategies as st

from eaas_tui.model.log_pages import PAGE_BYTES, TAIL, Ask, LogPages, around

LOGS = st.lists(st.sampled_from([b"a", b"bc", b"\n", b"\xff\r"]), max_size=60).map(b"".join)


def read(log: bytes, ask: Ask) -> tuple[int, bytes]:
    """Answer as the controller does."""
    begin = max(0, len(log) + ask.offset) if ask.offset < 0 else min(ask.offset, len(log))
    return begin, log[begin : begin + ask.limit]


def all_lines(pages: LogPages) -> list[bytes]:
    return [pages.line(index) for index in range(pages.count)]


@given(LOGS, st.integers(1, 40), st.lists(st.tuples(st.integers(0, 120), st.integers(0, 15))))
def test_whatever_pieces_come_the_window_shows_the_logs_own_lines(
    log: bytes, window: int, pieces: list[tuple[int, int]]
) -> None:
    pages = LogPages(window)

    for offset, length in pieces:
        pages.put(*read(log, Ask(offset, length)))

        assert pages.end - pages.begin <= window
        assert pages.bytes_between(pages.begin, pages.end) == log[pages.begin : pages.end]
        for index in range(pages.count):
            begin, stop = pages.start(index), pages.stop(index)
            assert pages.line(index) == log[begin:stop]
            assert b"\n" not in pages.line(index)
            assert pages.index_at(begin) == index
            assert begin in (0, pages.begin) or log[begin - 1 : begin] == b"\n"
            number = pages.number(index)
            assert number is None or number == log.count(b"\n", 0, begin) + 1


@given(LOGS, st.integers(1, 9), st.integers(4, 40))
def test_a_log_paged_from_its_end_to_its_top_loses_no_line(
    log: bytes, step: int, window: int
) -> None:
    pages = LogPages(window)
    pages.put(*read(log, Ask(-step, step)))

    seen = pages.end
    while not pages.reaches_top:
        begin = max(0, pages.begin - step)
        pages.put(*read(log, Ask(begin, pages.begin - begin)))
        assert pages.begin == begin
        assert pages.end <= seen

    assert pages.bytes_between(0, pages.end) == log[: pages.end]
    assert pages.count == 0 or pages.number(0) == 1


@given(LOGS, st.integers(1, 9), st.integers(9, 40))
def test_a_followed_log_always_holds_its_newest_bytes(log: bytes, step: int, window: int) -> None:
    pages = LogPages(window)

    for offset in range(0, len(log), step):
        pages.put(offset, log[offset : offset + step])
        assert pages.reaches_end
        assert pages.end == min(len(log), offset + step)


@example(b"aaaaaaaaaaaaabc", 9, 0)
@given(LOGS, st.integers(9, 40), st.integers(0, 40))
def test_what_somebody_reads_is_not_pushed_out_by_what_is_written(
    log: bytes, window: int, read_at: int
) -> None:
    pages = LogPages(window)
    pages.put(0, log[:window])
    read_at = min(read_at, pages.end)

    for offset in range(pages.end, len(log), 5):
        pages.put(offset, log[offset : offset + 5], keep_from=read_at)

        assert pages.begin <= read_at
        assert pages.bytes_between(pages.begin, pages.end) == log[pages.begin : pages.end]


def test_the_first_fetch_is_the_end_and_the_number_of_its_lines_is_unknown() -> None:
    pages = LogPages()

    pages.put(1000, b"the rest of one\ntwo\nthree")

    assert Ask(-PAGE_BYTES, PAGE_BYTES) == TAIL
    assert all_lines(pages) == [b"two", b"three"]
    assert pages.number(0) is None
    assert pages.before() == Ask(0, 1000)
    assert pages.after() is None


def test_a_search_that_names_a_line_gives_all_lines_their_number() -> None:
    pages = LogPages()
    pages.put(1000, b"rest\ntwo\nthree\n")

    pages.count_from(1010, 42)

    assert [pages.number(index) for index in range(pages.count)] == [41, 42]


def test_a_log_longer_than_the_window_says_what_to_fetch_next() -> None:
    pages = LogPages()
    pages.heard(5000, complete=True)
    pages.put(0, b"one\n")

    assert pages.after() == Ask(4, PAGE_BYTES)
    assert not pages.reaches_end
    assert pages.complete


def test_text_is_found_both_ways_in_any_case() -> None:
    pages = LogPages()
    pages.put(0, b"Loss 1\nnothing\nloss 2\n")

    assert pages.find("LOSS", 1) == 15
    assert pages.find("loss", 15, backwards=True) == 0
    assert pages.find("loss", 16) is None
    assert pages.find("", 0) is None


def test_a_place_in_the_middle_is_fetched_with_what_stands_before_it() -> None:
    assert around(10) == Ask(0, PAGE_BYTES)
    assert around(1 << 30) == Ask((1 << 30) - PAGE_BYTES // 2, PAGE_BYTES)


def test_a_line_longer_than_the_window_is_shown_as_far_as_it_is_held() -> None:
    pages = LogPages(10)
    for offset in range(0, 30, 5):
        pages.put(offset, b"x" * 5)

    assert all_lines(pages) == [b"x" * 10]


def test_hits_are_counted_by_lines() -> None:
    pages = LogPages()
    pages.put(0, b"loss loss\nnone\nLoss\nthe loss")

    assert pages.hits("loss", 0) == (1, 3)
    assert pages.hits("loss", 15) == (2, 3)
    assert pages.hits("", 0) == (0, 0)
