import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.eaas.cli.conftest import Type
from tests.rig.stand_in import StandIn, a_job, a_snapshot

ALL_BYTES = bytes(range(256)) * 3
NINE, TEN = "2026-12-01T03:42:09.120Z", "2026-12-01T03:42:10.500Z"
PROGRAM = Path(sys.executable).with_name("mini-eaas")


@pytest.fixture
def ended(controller: StandIn) -> StandIn:
    controller.jobs[1] = a_job(1, "Succeeded", attempt=2)
    controller.logs[1, 2, "both"] = b"one\ntwo\x1b[2J\nthr\xc3\xa9e\n"
    controller.logs[1, 2, "stdout"] = ALL_BYTES
    controller.logs[1, 2, "stderr"] = b"err\n"
    controller.logs[1, 1, "both"] = b"first try\n"
    return controller


def test_the_log_is_the_last_attempts_as_safe_text(typing: Type, ended: StandIn) -> None:
    said = typing("job", "logs", "1")

    assert said == type(said)(0, "one\ntwo\nthrée\n", "")


def test_one_stream_one_attempt_or_the_last_lines(typing: Type, ended: StandIn) -> None:
    assert typing("job", "logs", "1", "--stream", "stderr").out == "err\n"
    assert typing("job", "logs", "1", "--attempt", "1").out == "first try\n"
    assert typing("job", "logs", "1", "--tail", "1").out == "thrée\n"
    assert typing("job", "logs", "1", "--tail", "0").out == ""


def test_raw_is_the_exact_bytes_of_stdout(ended: StandIn) -> None:
    run = subprocess.run([PROGRAM, "job", "logs", "1", "--raw"], check=True, capture_output=True)

    assert run.stdout == ALL_BYTES


def test_raw_is_refused_on_a_terminal_and_as_json(typing: Type, ended: StandIn) -> None:
    line = f"{PROGRAM} job logs 1 --raw"
    run = subprocess.run(["script", "-qec", line, "/dev/null"], capture_output=True, text=True)

    assert run.returncode == 2
    assert "--raw would send whatever the job wrote to your terminal" in run.stdout
    assert typing("job", "logs", "1", "--raw", "-o", "json").code == 2


def test_as_json_each_piece_says_where_it_stands(typing: Type, ended: StandIn) -> None:
    line = json.loads(typing("job", "logs", "1", "--stream", "stderr", "-o", "json").out)

    assert line == {
        "job": 1,
        "attempt": 2,
        "stream": "stderr",
        "offset": 0,
        "at": None,
        "text": "err\n",
    }


def test_timestamps_stand_before_each_line_to_the_second_and_safe_text_behind_them(
    typing: Type, ended: StandIn
) -> None:
    ended.times[1, 2, "both"] = [(0, None), (4, NINE), (15, TEN)]

    said = typing("job", "logs", "1", "--timestamps")
    tail = typing("job", "logs", "1", "-t", "--tail", "1")

    assert said.out == "- one\n2026-12-01T03:42:09Z two\n2026-12-01T03:42:09Z thrée\n"
    assert tail.out == "2026-12-01T03:42:09Z thrée\n"


def test_timestamps_of_a_line_without_an_end_and_while_following(
    typing: Type, ended: StandIn
) -> None:
    ended.logs[1, 1, "both"] = b"10%\r20%\r100%"
    ended.times[1, 1, "both"] = [(0, NINE), (8, TEN)]

    said = typing("job", "logs", "1", "-t", "--follow", "--attempt", "1")

    assert said.out == "2026-12-01T03:42:09Z 10% 20% 100%\n"


def test_as_json_with_timestamps_each_line_is_an_item(typing: Type, ended: StandIn) -> None:
    ended.logs[1, 2, "both"] = b"one\ntwo\n"
    ended.times[1, 2, "both"] = [(0, None), (4, NINE)]

    lines = typing("job", "logs", "1", "-t", "-o", "json").out.splitlines()

    assert [(one["offset"], one["at"], one["text"]) for one in map(json.loads, lines)] == [
        (0, None, "one\n"),
        (4, NINE, "two\n"),
    ]


def test_raw_has_no_room_for_timestamps(typing: Type, ended: StandIn) -> None:
    assert typing("job", "logs", "1", "--raw", "-t").code == 2


def test_a_job_that_has_not_begun_has_no_log_yet(typing: Type, controller: StandIn) -> None:
    controller.jobs[1] = a_job(1)
    said = typing("job", "logs", "1")

    assert (said.code, said.out) == (0, "")
    assert said.err == "job 1 has written nothing yet; it is Pending\n"


def test_following_a_tail_goes_on_where_the_tail_ended(typing: Type, ended: StandIn) -> None:
    ended.frames[:] = [[a_snapshot()], [a_snapshot()], []]
    said = typing("job", "logs", "1", "--follow", "--tail", "2")

    assert said == type(said)(0, "two\nthrée\n", "")


def test_following_one_attempt_stops_at_its_end(typing: Type, ended: StandIn) -> None:
    said = typing("job", "logs", "1", "--follow", "--attempt", "1")

    assert said == type(said)(0, "first try\n", "")


def test_a_job_that_wrote_nothing_is_said_so(typing: Type, controller: StandIn) -> None:
    controller.jobs[1] = a_job(1, "Failed", attempt=1)
    controller.logs[1, 1, "both"] = b""

    assert typing("job", "logs", "1") == type(typing("status"))(
        0, "", "job 1 has written nothing\n"
    )
