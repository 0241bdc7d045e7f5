"""``python -m bench.simulate`` as a person types it."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from bench.simulate.__main__ import main
from bench.simulate.table import short

SMALL = ("--nodes", "3", "--cards", "4", "--jobs", "150", "--days", "1", "--seed", "7")

TRACE = """\
; MaxProcs: 2
1 0 -1 10000 1 -1 -1 1 10000 -1 1 1 1 -1 -1 -1 -1 -1
2 10 -1 5000 2 -1 -1 2 5000 -1 1 2 1 -1 -1 -1 -1 -1
3 20 -1 3000 1 -1 -1 1 3000 -1 1 1 1 -1 -1 -1 -1 -1
4 16000 -1 1000 1 -1 -1 1 1000 -1 1 1 1 -1 -1 -1 -1 -1
"""


def typed(folder: Path, hash_seed: str) -> tuple[str, str]:
    """Return what a process of its own prints, without the times it took, and its picture."""
    picture = folder / f"{hash_seed}.svg"
    done = subprocess.run(
        [sys.executable, "-m", "bench.simulate", *SMALL, "--svg", str(picture)],
        env={**os.environ, "PYTHONHASHSEED": hash_seed},
        cwd=Path(__file__).parents[3],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stderr == ""
    kept = [line for line in done.stdout.splitlines() if "CPU time" not in line]
    return "\n".join(kept), picture.read_text()


def test_the_same_seed_gives_the_same_table_and_the_same_picture(tmp_path: Path) -> None:
    table, picture = typed(tmp_path, "0")

    assert typed(tmp_path, "1") == (table, picture)
    assert "150 jobs on 3 nodes with 4 cards each" in table


def test_a_trace_whose_answer_is_known_by_hand(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "by-hand.swf"
    path.write_text(TRACE)

    assert main([str(path), "--nodes", "1", "--cards", "2"]) == 0

    rows = {
        line.split("  ")[0]: line.split()[len(line.split("  ")[0].split()) :]
        for line in capsys.readouterr().out.splitlines()
        if line.strip()
    }
    # ours: 10,000 + 2 x 5,000 + 3,000 of 32,000 card-seconds; FIFO: the third begins at 15,004,
    # and the last one comes at 16,000
    assert rows["utilisation"] == ["71.9", "%", "65.6", "%"]
    assert rows["makespan"] == ["4.7", "h", "5.0", "h"]
    assert rows["longest wait"] == ["2.8", "h", "4.2", "h"]
    assert rows["waited over a day"] == ["0", "0"]
    # waits of ours: 0, 9,992, 0, 0; of FIFO: 0, 9,992, 14,984, 0
    assert rows["all"][:6] == ["4", "7", "41.6", "min", "104.1", "min"]
    assert rows["u1"][:6] == ["3", "4", "0", "s", "83.2", "min"]
    assert rows["2 cards"] == ["1", "3", *["2.8", "h"] * 4, *["3.0"] * 4]


def test_a_trace_that_is_wrong_is_refused_in_one_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "bad.swf"
    path.write_text(TRACE + "5 170\n")

    assert main([str(path)]) == 1

    told = capsys.readouterr()
    assert told.out == ""
    assert told.err == (
        "simulate: bad.swf, line 6 has 2 fields; a job in the Standard Workload Format has 18\n"
    )


def test_a_trace_of_which_nothing_fits_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "large.swf"
    path.write_text("; MaxProcs: 2\n2 10 -1 5000 2 -1 -1 2 5000 -1 1 2 1 -1 -1 -1 -1 -1\n")

    assert main([str(path), "--nodes", "2", "--cards", "1"]) == 1

    assert capsys.readouterr().err == (
        "simulate: large.swf has no job that fits 2 nodes with 1 cards each\n"
    )


def test_a_picture_that_can_not_be_written_is_told_in_one_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    picture = tmp_path / "away" / "week.svg"

    assert main([*SMALL, "--svg", str(picture)]) == 1

    assert capsys.readouterr().err == (
        f"simulate: {picture} can't be written: No such file or directory\n"
    )


@pytest.mark.parametrize(
    "option", ["--nodes=0", "--cards=-1", "--days=0", "--load=inf", "--jobs=x"]
)
def test_a_pool_or_a_week_of_nothing_is_a_mistake_in_typing(
    option: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as left:
        main([option])

    assert left.value.code == 2
    assert option.partition("=")[0] in capsys.readouterr().err


def test_times_are_told_in_units_a_person_can_compare() -> None:
    told = [short(seconds) for seconds in (None, 0, 119, 120, 7199, 7200, 172_799, 172_800)]

    assert told == ["-", "0 s", "119 s", "2.0 min", "120.0 min", "2.0 h", "48.0 h", "2.0 d"]
