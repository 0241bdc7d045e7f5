import os
import resource
from pathlib import Path
from typing import Any

import msgspec
import pytest

from eaas.units import utc_text
from eaas.views import ConditionView
from eaas_tui.model.store import Store
from eaas_tui.recording import (
    BadRecording,
    Recorded,
    Recorder,
    ReplayClock,
    read_recording,
    replay,
    replay_at_once,
)
from tests.rig.views import AT, a_job, a_snapshot, changes

FRAMES = (
    Recorded(at=AT, frame=a_snapshot(), user="alice", is_admin=True),
    Recorded(at=AT + 2, frame=changes(2, jobs=(a_job(1),))),
    Recorded(at=AT + 12, frame=changes(3, jobs=(a_job(2),))),
)


def written(path: Path) -> Path:
    with Recorder(path, tell=print) as recorder:
        for one in FRAMES:
            recorder.write(one)
    return path


def test_what_is_written_is_read_again(tmp_path: Path) -> None:
    assert tuple(read_recording(written(tmp_path / "r.jsonl"))) == FRAMES


def test_a_replay_shows_what_was_wrong_with_the_whole() -> None:
    lost = ConditionView(code="mass_loss", text="6 of 8 nodes fell silent", since=utc_text(AT))
    heard, shown = Store(), Store()
    heard.stands((lost,), 1)
    heard.apply(a_snapshot(), AT)

    replay_at_once([Recorded.heard(a_snapshot(), AT, heard)], shown)

    assert shown.picture.conditions == (lost,)


def test_only_its_owner_may_read_a_recording(tmp_path: Path) -> None:
    assert written(tmp_path / "r.jsonl").stat().st_mode & 0o777 == 0o600


def test_a_recording_that_was_cut_short_is_shown_up_to_there(tmp_path: Path) -> None:
    path = written(tmp_path / "r.jsonl")
    os.truncate(path, path.stat().st_size - 20)

    assert tuple(read_recording(path)) == FRAMES[:2]


def test_what_is_no_recording_is_refused_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("buy milk\n")

    with pytest.raises(BadRecording, match=r"notes.txt, line 1, is not a recorded frame"):
        list(read_recording(path))


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(BadRecording, match=r"cannot read .*nowhere"):
        list(read_recording(tmp_path / "nowhere"))
    with pytest.raises(BadRecording, match=r"cannot record into .*nowhere"):
        Recorder(tmp_path / "nowhere" / "r.jsonl", tell=print)


def a_pipe(path: Path) -> None:
    os.mkfifo(path)


def a_link_to_a_device(path: Path) -> None:
    path.symlink_to("/dev/zero")


@pytest.mark.parametrize("made", [Path.touch, Path.mkdir, a_pipe, a_link_to_a_device])
def test_a_recording_goes_into_a_file_of_its_own_and_empties_none(
    tmp_path: Path, made: Any
) -> None:
    made(path := tmp_path / "r.jsonl")

    with pytest.raises(BadRecording, match=r"there is a .*r.jsonl already: record into a new file"):
        Recorder(path, tell=print)


@pytest.mark.parametrize("made", [Path.mkdir, a_pipe, a_link_to_a_device])
def test_what_is_no_file_is_not_waited_for(tmp_path: Path, made: Any) -> None:
    made(path := tmp_path / "r.jsonl")

    with pytest.raises(BadRecording, match=r"r.jsonl is no file: give one that --record"):
        list(read_recording(path))


def test_a_full_disk_ends_the_recording_only_and_is_told_once(tmp_path: Path) -> None:
    path, told = tmp_path / "r.jsonl", list[str]()
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    with Recorder(path, told.append) as recorder:
        recorder.write(FRAMES[0])
        resource.setrlimit(resource.RLIMIT_FSIZE, (path.stat().st_size + 9, limits[1]))
        try:
            recorder.write(FRAMES[1])
            recorder.write(FRAMES[2])
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, limits)

    assert told == [f"the recording into {path} ended: File too large"]
    assert tuple(read_recording(path)) == FRAMES[:1]


LINE = msgspec.json.encode(FRAMES[0])


def test_a_line_without_an_end_is_refused_before_it_fills_the_memory(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    with path.open("wb") as file:
        file.truncate(1 << 40)

    with pytest.raises(BadRecording, match="line 1, is too long for a recorded frame"):
        list(read_recording(path))


@pytest.mark.parametrize(
    "line",
    [
        LINE.replace(b'"frame":', b'"frame":' + b"[" * 5000, 1),
        LINE.replace(str(AT).encode(), b"1e308", 1),
        LINE.replace(str(AT).encode(), b"-1", 1),
        LINE.replace(b"{", b"\xff", 1),
    ],
    ids=["nested", "beyond all dates", "before all dates", "no text"],
)
def test_a_line_that_no_console_has_written_is_named(tmp_path: Path, line: bytes) -> None:
    path = tmp_path / "r.jsonl"
    path.write_bytes(LINE + b"\n" + line + b"\n")

    with pytest.raises(BadRecording, match=r"r.jsonl, line 2, is not a recorded frame"):
        list(read_recording(path))


def test_at_once_the_last_picture_is_there_with_its_time() -> None:
    store = Store()

    at = replay_at_once(FRAMES, store, "r.jsonl")

    assert at == AT + 12
    assert list(store.picture.jobs) == [1, 2]
    assert (store.picture.user, store.picture.is_admin) == ("alice", True)
    assert (store.picture.link.state, store.picture.link.text) == ("replay", "end of r.jsonl")


async def test_a_replay_keeps_the_rhythm_at_the_speed_asked_for() -> None:
    now, waits, jobs = [50.0], [], []
    store = Store()
    clock = ReplayClock(speed=4.0, clock=lambda: now[0])

    async def pause(seconds: float) -> None:
        waits.append(seconds)
        now[0] += seconds

    await replay(FRAMES, store, lambda: jobs.append(len(store.picture.jobs)), clock, pause=pause)

    assert waits == [0.0, 0.5, 2.5]
    assert jobs == [0, 1, 2, 2]
    assert clock.now() == AT + 12


def test_a_replay_clock_stands_still_before_the_start() -> None:
    assert ReplayClock().now() == 0.0
