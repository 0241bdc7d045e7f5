from eaas.ids import JobUid
from eaas_agent.log_state import LogState
from eaas_agent.runtimes.port import AttemptKey, LogBytes


def a_state() -> LogState:
    return LogState(AttemptKey(JobUid("job"), 1), "h", fresh=True)


def test_a_log_that_was_sent_is_not_fresh() -> None:
    state = a_state()

    piece = state.sent(LogBytes("stdout", 0, b"abc"), 1.5)

    assert (piece.data, piece.at) == (b"abc", 1.5)
    assert not state.fresh
    assert (state.stdout, state.stderr) == (3, 0)


def test_bytes_are_acknowledged_once() -> None:
    state = a_state()
    state.sent(LogBytes("stdout", 0, b"abcd"), 1.0)
    state.sent(LogBytes("stderr", 0, b"xy"), 1.0)

    assert state.acked(3, 0) == 3
    assert state.acked(3, 0) == 0
    assert state.acked(4, 2) == 3


def test_a_jump_in_the_offsets_is_a_gap() -> None:
    state = a_state()
    state.sent(LogBytes("stdout", 0, b"head"), 1.0)

    state.sent(LogBytes("stdout", 100, b"tail"), 1.0)

    assert state.end().gap_bytes == 96
    assert state.end().stdout_bytes == 104


def test_what_was_under_way_at_a_cut_needs_no_acknowledgement() -> None:
    state = a_state()
    state.sent(LogBytes("stdout", 0, b"abcd"), 1.0)

    state.cut()

    assert state.acked(4, 0) == 0
