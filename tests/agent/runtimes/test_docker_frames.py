from eaas_agent.runtimes.docker_frames import PIECE, Tape
from eaas_agent.runtimes.port import LogBytes, Stream


def stamp(tick: int) -> bytes:
    return b"2026-12-01T00:38:41.%09dZ" % tick


def frame(stream: Stream, tick: int, data: bytes) -> bytes:
    body = stamp(tick) + b" " + data
    return bytes([1 if stream == "stdout" else 2, 0, 0, 0]) + len(body).to_bytes(4, "big") + body


def joined(pieces: list[LogBytes], stream: Stream = "stdout") -> bytes:
    return b"".join(piece.data for piece in pieces if piece.stream == stream)


LOG = frame("stdout", 1, b"one\n") + frame("stderr", 3, b"bad\n") + frame("stdout", 2, b"two\n")


def test_streams_are_parted_and_counted_apart() -> None:
    tape = Tape(stdout_from=0, stderr_from=0)

    assert list(tape.feed(LOG)) == [
        LogBytes("stdout", 0, b"one\ntwo\n"),
        LogBytes("stderr", 0, b"bad\n"),
    ]


def test_a_log_cut_anywhere_says_the_same() -> None:
    for size in range(1, 50):
        tape = Tape(stdout_from=0, stderr_from=0)
        chunks = [LOG[at : at + size] for at in range(0, len(LOG), size)]

        pieces = [piece for chunk in chunks for piece in tape.feed(chunk)]

        assert (joined(pieces), joined(pieces, "stderr")) == (b"one\ntwo\n", b"bad\n")


def test_what_was_read_before_is_not_told_again() -> None:
    tape = Tape(stdout_from=5, stderr_from=4)

    assert list(tape.feed(LOG)) == [LogBytes("stdout", 5, b"wo\n")]


def test_reading_again_from_the_newest_stamp_repeats_and_misses_nothing() -> None:
    tape = Tape(stdout_from=0, stderr_from=0)
    before = list(tape.feed(LOG))

    since = tape.rewind(to_stamp=True)
    again = list(tape.feed(LOG + frame("stdout", 9, b"three\n") + frame("stderr", 9, b"worse\n")))

    assert since == stamp(2)
    assert joined(before + again) == b"one\ntwo\nthree\n"
    assert again == [LogBytes("stdout", 8, b"three\n"), LogBytes("stderr", 4, b"worse\n")]


def test_a_second_cut_before_any_frame_changes_nothing() -> None:
    tape = Tape(stdout_from=0, stderr_from=0)
    list(tape.feed(LOG))

    assert tape.rewind(to_stamp=True) == tape.rewind(to_stamp=True) == stamp(2)
    assert list(tape.feed(LOG)) == []


def test_after_a_clock_was_set_back_only_the_whole_log_will_do() -> None:
    tape = Tape(stdout_from=0, stderr_from=0)
    log = frame("stdout", 9, b"late\n") + frame("stdout", 1, b"early\n")
    list(tape.feed(log))

    assert tape.rewind(to_stamp=True) == b""
    assert list(tape.feed(log + frame("stdout", 2, b"more\n"))) == [
        LogBytes("stdout", 11, b"more\n")
    ]


def test_a_long_line_gets_back_the_newline_that_the_engine_forgot() -> None:
    parts = [frame("stdout", 1, b"x" * 16384), frame("stdout", 1, b"y")]
    tape = Tape(stdout_from=0, stderr_from=0)

    pieces = list(tape.feed(b"".join(parts) + frame("stdout", 2, b"next\n")))

    assert joined(pieces) == b"x" * 16384 + b"y\nnext\n"


def test_only_an_engine_that_forgets_newlines_owes_one_at_the_end() -> None:
    for drops, end in ((True, b"\n"), (False, b"")):
        tape = Tape(stdout_from=0, stderr_from=0)
        pieces = list(tape.feed(frame("stdout", 1, b"x" * 16384) + frame("stdout", 1, b"y")))

        pieces += tape.finish(drops_newlines=drops)

        assert joined(pieces) == b"x" * 16384 + b"y" + end


def test_pieces_are_small_enough_for_one_message() -> None:
    tape = Tape(stdout_from=0, stderr_from=0)
    log = b"".join(frame("stdout", tick, b"x" * 16383 + b"\n") for tick in range(40))

    pieces = list(tape.feed(log))

    assert [len(piece.data) for piece in pieces] == [PIECE, PIECE, 40 * 16384 - 2 * PIECE]
    assert [piece.offset for piece in pieces] == [0, PIECE, 2 * PIECE]
