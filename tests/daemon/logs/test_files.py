from pathlib import Path

import pytest

from eaas.wire.codec import BadMessage
from eaas_daemon.logs.files import AttemptLog, EndMark, log_key, stem_of
from eaas_daemon.logs.order import Place

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


def test_one_stream_alone_needs_one_file(stem: Path) -> None:
    log = AttemptLog(stem)
    assert log.write("stdout", b"abc") == 3
    assert log.write("stdout", b"d") == 1
    log.close()

    assert [path.name for path in stem.parent.iterdir()] == [f"{UID}-1.stdout"]
    assert AttemptLog(stem).sizes == Place(4, 0)


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
        log.write(stream, data)  # type: ignore[arg-type]
        log.close()

    log = AttemptLog(stem)
    assert log.read("both", 0, 10, log.sizes) == b"1234"


def test_marks_of_bytes_that_were_lost_with_the_power_are_not_believed(stem: Path) -> None:
    log = AttemptLog(stem)
    for stream, data in (("stdout", b"11"), ("stderr", b"22"), ("stdout", b"33")):
        log.write(stream, data)  # type: ignore[arg-type]
    log.close()
    log.path("stderr").write_bytes(b"2")

    log = AttemptLog(stem)
    log.write("stderr", b"2")
    log.close()

    assert log.read("both", 0, 10, log.sizes) == b"113322"


def test_a_marker_that_is_no_marker_ends_nothing(stem: Path) -> None:
    log = AttemptLog(stem)
    log.write("stdout", b"abc")
    log.close()
    log.path("end").write_bytes(b"")

    assert AttemptLog(stem).end is None
