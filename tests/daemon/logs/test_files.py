import struct
from pathlib import Path

import pytest

from eaas.wire.codec import BadMessage
from eaas_daemon.logs.files import AttemptLog, EndMark, log_key, stem_of
from eaas_daemon.logs.order import MARK, Place

NOW = 1_800_000_000_000
UID = "0197a000-0000-7000-8000-0000000000ab"


@pytest.fixture
def stem(tmp_path: Path) -> Path:
    return stem_of(tmp_path, log_key(UID, 1))


@pytest.mark.parametrize(
    ("uid", "attempt"),
    [("../../etc/passwd", 1), (UID.upper(), 1), (UID + "/x", 1), ("", 1), (UID, 0), (UID, -1)],
)
def test_what_names_no_attempt_never_becomes_a_path(uid: str, attempt: int) -> None:
    with pytest.raises(BadMessage):
        log_key(uid, attempt)


def test_one_stream_that_came_at_once_needs_no_order(stem: Path) -> None:
    log = AttemptLog(stem)
    assert log.write("stdout", b"abc", at_ms=NOW) == 3
    assert log.write("stdout", b"d", at_ms=NOW + 99) == 1
    log.finish(EndMark(stdout=4, stderr=0, gap_bytes=0, at=1.0))

    assert {path.suffix for path in stem.parent.iterdir()} == {".end", ".stdout"}
    log = AttemptLog(stem)
    assert log.sizes == Place(4, 0)
    assert log.times("both", 1, 4).times == ((1, NOW),)


def test_the_order_tells_when_each_piece_came_also_after_a_restart(stem: Path) -> None:
    log = AttemptLog(stem)
    log.write("stdout", b"1111", at_ms=NOW)
    log.write("stdout", b"22", at_ms=NOW + 50)
    log.write("stderr", b"33", at_ms=NOW + 70)
    assert log.times("both", 0, 8).times == ((0, NOW),)
    log.close()
    log = AttemptLog(stem)
    log.write("stdout", b"44", at_ms=NOW + 2000)
    log.write("stdout", b"5", at_ms=NOW - 9000)
    log.close()

    log = AttemptLog(stem)
    assert log.times("both", 0, 11).times == ((0, NOW), (8, NOW + 2000), (10, NOW - 9000))
    assert log.times("stdout", 5, 8).times == ((5, NOW), (6, NOW + 2000))
    assert log.times("stderr", 0, 2).times == ((0, NOW + 70),)
    assert log.read("both", 0, 20, log.sizes) == b"11112233445"


def test_a_log_of_an_earlier_version_is_read_and_nobody_knows_its_times(stem: Path) -> None:
    stem.parent.mkdir(parents=True)
    log = AttemptLog(stem)
    log.path("stdout").write_bytes(b"1133")
    log.path("stderr").write_bytes(b"22")
    log.path("order").write_bytes(struct.pack("<QQQQ", 2, 0, 2, 2))
    log = AttemptLog(stem)

    assert log.read("both", 0, 9, log.sizes) == b"112233"
    assert log.times("both", 0, 6).times == ((0, None),)
    log.write("stdout", b"4", at_ms=NOW)
    assert log.read("both", 0, 9, log.sizes) == b"1122334"
    assert log.times("both", 0, 7).times == ((0, None), (6, NOW))


def test_the_first_moment_is_written_when_the_files_are_let_go(stem: Path) -> None:
    log = AttemptLog(stem)
    log.write("stderr", b"abc", at_ms=NOW)

    assert log.close() == MARK.size
    assert log.close() == 0
    assert AttemptLog(stem).times("stderr", 0, 3).times == ((0, NOW),)


def test_an_end_with_nothing_before_it_leaves_no_file(stem: Path, tmp_path: Path) -> None:
    AttemptLog(stem).finish(EndMark(stdout=0, stderr=0, gap_bytes=0, at=1.0))

    assert list(tmp_path.iterdir()) == []


def test_an_end_with_bytes_left_out_is_remembered(stem: Path) -> None:
    end = EndMark(stdout=0, stderr=0, gap_bytes=None, at=1.0)
    AttemptLog(stem).finish(end)

    assert AttemptLog(stem).end == end


def test_the_order_goes_on_after_a_restart(stem: Path) -> None:
    for stream, data in (("stdout", b"1"), ("stderr", b"2"), ("stderr", b"3"), ("stdout", b"4")):
        log = AttemptLog(stem)
        log.write(stream, data, at_ms=1)  # type: ignore[arg-type]
        log.close()

    log = AttemptLog(stem)
    assert log.read("both", 0, 10, log.sizes) == b"1234"


def test_marks_of_bytes_that_were_lost_with_the_power_are_not_believed(stem: Path) -> None:
    log = AttemptLog(stem)
    for stream, data in (("stdout", b"11"), ("stderr", b"22"), ("stdout", b"33")):
        log.write(stream, data, at_ms=1)  # type: ignore[arg-type]
    log.close()
    log.path("stderr").write_bytes(b"2")

    log = AttemptLog(stem)
    log.write("stderr", b"2", at_ms=1)
    log.close()

    assert log.read("both", 0, 10, log.sizes) == b"113322"


def test_a_marker_that_is_no_marker_ends_nothing(stem: Path) -> None:
    log = AttemptLog(stem)
    log.write("stdout", b"abc", at_ms=1)
    log.close()
    log.path("end").write_bytes(b"")

    assert AttemptLog(stem).end is None
