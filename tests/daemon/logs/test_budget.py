import os
from pathlib import Path

from eaas_daemon.logs.budget import Budget, scan
from eaas_daemon.logs.files import AttemptLog, EndMark, LogKey, stem_of
from eaas_daemon.logs.order import MARK

OLD, YOUNG, LIVE = (LogKey(f"0197a000-0000-7000-8000-0000000000{n}", 1) for n in ("aa", "bb", "cc"))


def a_log(root: Path, key: LogKey, size: int, *, ended_at: float | None = None) -> AttemptLog:
    log = AttemptLog(stem_of(root, key))
    log.write("stdout", b"x" * size, at_ms=1)
    log.close()
    if ended_at is not None:
        log.finish(EndMark(stdout=size, stderr=0, gap_bytes=0, at=ended_at))
        os.utime(log.path("end"), (ended_at, ended_at))
    return log


def test_the_oldest_ended_log_is_due_first_and_only_while_there_is_too_much() -> None:
    budget = Budget(100)
    budget.grew(150)
    budget.ended(OLD, 40)
    budget.ended(YOUNG, 60)

    assert budget.take_due() == (OLD, 40)
    assert budget.take_due() == (YOUNG, 60)
    assert budget.take_due() is None
    assert budget.used_bytes == 50


def test_logs_still_written_are_never_due() -> None:
    budget = Budget(10)
    budget.grew(1000)

    assert budget.take_due() is None


def test_a_scan_finds_what_lies_there_in_the_order_of_the_ends(tmp_path: Path) -> None:
    a_log(tmp_path, LIVE, 7)
    a_log(tmp_path, YOUNG, 20, ended_at=2.0)
    a_log(tmp_path, OLD, 10, ended_at=1.0)

    budget = scan(tmp_path, 0)

    assert budget.used_bytes == 37 + 3 * MARK.size
    assert budget.take_due() == (OLD, 10 + MARK.size)
    assert budget.take_due() == (YOUNG, 20 + MARK.size)
    assert budget.take_due() is None


def test_a_scan_finishes_what_a_crash_cut_short(tmp_path: Path) -> None:
    log = a_log(tmp_path, OLD, 10, ended_at=1.0)
    log.path("end").rename(log.path("dropped"))
    half = log.path("end.part")
    half.write_bytes(b"{")
    (tmp_path / "aa" / "note.txt").write_text("not ours")

    budget = scan(tmp_path, 0)

    assert budget.used_bytes == 0
    assert sorted(path.name for path in (tmp_path / "aa").iterdir()) == [
        log.path("dropped").name,
        "note.txt",
    ]
