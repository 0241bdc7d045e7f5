import os
from pathlib import Path

import pytest

from eaas.ids import new_uid
from eaas_daemon.core.run_samples import CardSample, RunSamples
from eaas_daemon.logs.files import LogKey, stem_of
from eaas_daemon.samples.files import RunFiles, stored


def a_run(points: int = 3) -> RunSamples:
    run = RunSamples(1000.0, ["GPU-a", "GPU-b"])
    for point in range(points):
        run.add(1000.0 + 5 * point, [CardSample("GPU-a", 10 * point, 1000 + point, 24576)])
    return run


@pytest.fixture
def files(tmp_path: Path) -> RunFiles:
    return RunFiles(tmp_path / "job-samples")


def test_a_run_that_was_written_goes_on_as_if_nothing_had_been(files: RunFiles) -> None:
    key, run = LogKey(new_uid(), 1), a_run()
    files.write(key, stored(run))

    found = files.read(key)

    assert found is not None
    for one in (run, found):
        one.add(1003.0, [CardSample("GPU-a", 99, 9, None)])
        one.add(1000.0 + 5 * 400, [CardSample("GPU-a", 1, 2, None)])
    assert stored(found) == stored(run)
    assert found.every_s == 10.0


def test_what_is_written_is_small_and_for_the_controller_alone(files: RunFiles) -> None:
    key = LogKey(new_uid(), 1)
    files.write(key, stored(a_run(360)))
    path = stem_of(files.root, key)

    assert path.stat().st_size < 8000
    assert path.stat().st_mode & 0o077 == 0


def test_a_file_that_is_missing_or_damaged_is_no_run(files: RunFiles) -> None:
    key = LogKey(new_uid(), 1)
    assert files.read(key) is None
    files.write(key, stored(a_run()))
    path = stem_of(files.root, key)
    whole = path.read_bytes()

    for content in (b"", whole[: len(whole) // 2], b"\0" * 40):
        path.write_bytes(content)
        assert files.read(key) is None


def test_a_run_can_be_dropped_also_twice(files: RunFiles) -> None:
    key = LogKey(new_uid(), 2)
    files.write(key, stored(a_run()))

    files.drop(key)
    files.drop(key)

    assert files.read(key) is None


def test_the_oldest_go_when_all_together_are_too_large(tmp_path: Path) -> None:
    files = RunFiles(tmp_path, max_bytes=0)
    keys = [LogKey(new_uid(), 1) for _ in range(10)]
    for age, key in enumerate(reversed(keys)):
        files.write(key, stored(a_run()))
        os.utime(stem_of(tmp_path, key), (1000 - age, 1000 - age))
    size = sum(stem_of(tmp_path, key).stat().st_size for key in keys)

    RunFiles(tmp_path, max_bytes=size).make_room()
    assert all(files.read(key) for key in keys)
    RunFiles(tmp_path, max_bytes=size - 1).make_room()

    kept = [key for key in keys if files.read(key) is not None]
    assert kept
    assert kept == keys[-len(kept) :]
    assert len(kept) < len(keys)


def test_many_writes_make_room_by_themselves(tmp_path: Path) -> None:
    files = RunFiles(tmp_path, max_bytes=0, look_every=3)
    keys = [LogKey(new_uid(), 1) for _ in range(3)]

    for key in keys[:2]:
        files.write(key, stored(a_run()))
    assert files.read(keys[0]) is not None
    files.write(keys[2], stored(a_run()))

    assert [files.read(key) for key in keys] == [None, None, None]
