import gzip
from pathlib import Path

import pytest

from bench.simulate.swf import BadTrace, as_workload, first, read_trace
from bench.simulate.workload import PoolSize, Submission

POOL = PoolSize(nodes=2, cards=4)

TRACE = """\
; Version: 2.2
; Computer: a small one
; UnixStartTime: 749458800
; TimeZone: -28800
; MaxProcs: 64 (of which four are away)
; Note: MaxProcs: this is a note
;
  7 1010 -1 50.5 16 -1 -1 -1 -1 -1 1 3 1 -1 0 -1 -1 -1
; in between
  5 1000  4  100  8 99.5 2048 16 3600 -1 1 12 1 4 1 1 -1 -1
  8 1020  0   -1 -1 -1 -1  8 600 -1 5 12 1 4 1 1 -1 -1

  9 1030  9  700  2 -1 -1  2 600 -1 1 -1 1 4 1 1 7 30
"""


def written(folder: Path, text: str) -> Path:
    """Return a trace file with that text."""
    path = folder / "small.swf"
    path.write_text(text)
    return path


def test_a_trace_becomes_jobs_in_order_on_the_pools_cards(tmp_path: Path) -> None:
    trace = read_trace(written(tmp_path, TRACE))

    workload = as_workload(trace, "small.swf", POOL)

    # 64 processors are 8 cards; the job of 2 gets one whole card; 600 s were asked, 700 granted
    assert workload.submissions == (
        Submission(user="u12", at_s=0, cards=2, length_s=100, timeout_s=3600),
        Submission(user="u3", at_s=10, cards=2, length_s=50.5, timeout_s=None),
        Submission(user="unknown", at_s=30, cards=1, length_s=700, timeout_s=700),
    )
    assert workload.begins_at == 749458800 - 28800 + 1000
    assert workload.notes == (
        "its machine has 64 processors: 8 of them are one of 8 cards, "
        "each job gets the nearest whole number, at least one",
        "left out: 1 without a run time or processors",
    )


def test_the_scale_can_be_given(tmp_path: Path) -> None:
    trace = read_trace(written(tmp_path, TRACE))

    workload = as_workload(trace, "small.swf", POOL, processors_a_card=6)

    assert [job.cards for job in workload.submissions] == [3, 3, 1]


def test_without_a_header_the_largest_job_is_the_machine(tmp_path: Path) -> None:
    lines = [line for line in TRACE.splitlines() if ";" not in line]
    trace = read_trace(written(tmp_path, "\n".join(lines)))

    workload = as_workload(trace, "small.swf", POOL)

    assert [job.cards for job in workload.submissions] == [8, 8, 1]


def test_a_packed_trace_reads_the_same(tmp_path: Path) -> None:
    packed = tmp_path / "small.swf.gz"
    packed.write_bytes(gzip.compress(TRACE.encode()))

    assert read_trace(packed) == read_trace(written(tmp_path, TRACE))


def test_only_the_begin_of_a_trace_is_taken_when_that_is_asked(tmp_path: Path) -> None:
    workload = as_workload(read_trace(written(tmp_path, TRACE)), "small.swf", POOL)

    assert first(workload, jobs=None, days=None) == workload
    assert [job.user for job in first(workload, jobs=1, days=None).submissions] == ["u12"]
    kept = first(workload, jobs=None, days=20 / 86400).submissions
    assert [job.user for job in kept] == ["u12", "u3"]


GOOD = "1 0 0 10 1 -1 -1 1 60 -1 1 1 1 1 1 1 -1 -1"


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        (
            "1 0 0 10 1 -1 -1 1 60 -1 1 1 1 1 1 1 -1",
            "small.swf, line 3 has 17 fields; a job in the Standard Workload Format has 18",
        ),
        (
            "1 0 0 ten 1 -1 -1 1 60 -1 1 1 1 1 1 1 -1 -1",
            "small.swf, line 3: field 4, the run time, is 'ten', not a number",
        ),
        (
            "1 0 0 10 nan -1 -1 1 60 -1 1 1 1 1 1 1 -1 -1",
            "small.swf, line 3: field 5, the allocated processors, is 'nan', not a number",
        ),
        (
            "1 -1 0 10 1 -1 -1 1 60 -1 1 1 1 1 1 1 -1 -1",
            "small.swf, line 3: field 2, the submit time, is -1; it must be 0 or later",
        ),
    ],
)
def test_a_bad_line_is_told_in_one_sentence(tmp_path: Path, line: str, sentence: str) -> None:
    path = written(tmp_path, f"; Version: 2.2\n{GOOD}\n{line}\n{GOOD}\n")

    with pytest.raises(BadTrace) as refused:
        read_trace(path)

    assert str(refused.value) == sentence


def test_a_file_without_jobs_and_one_that_is_not_there_are_told_too(tmp_path: Path) -> None:
    with pytest.raises(BadTrace, match=r"small\.swf holds no jobs"):
        read_trace(written(tmp_path, "; Version: 2.2\n"))
    with pytest.raises(BadTrace, match=r"away\.swf can't be read: No such file or directory"):
        read_trace(tmp_path / "away.swf")


def test_a_packed_file_that_is_broken_is_told_too(tmp_path: Path) -> None:
    broken = tmp_path / "small.swf.gz"
    broken.write_bytes(gzip.compress(TRACE.encode())[:60])

    with pytest.raises(BadTrace, match=r"small\.swf\.gz can't be read: "):
        read_trace(broken)
