"""A controller that is not root, in a process of its own: files of others it can't read or move."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Final

import msgspec
import pytest

from tests.daemon.intake.folders import JOB, a_folder, needs_root
from tests.rig.program import ROOT

pytestmark = needs_root

UID: Final = 1
AT_WORK: Final = """
import json, os, sys
from pathlib import Path
from eaas_daemon.intake.opening import opened
from eaas_daemon.intake.settings import FolderSettings
from eaas_daemon.intake.taking import Taker

path, uid = Path(sys.argv[1]), int(sys.argv[2])
os.setgroups([])
os.setgid(uid)
os.setuid(uid)
taker = Taker(FolderSettings(path=path), uid, lambda folder, now: None)
refused = [taker.take(now, (), "now").refused for now in (0.0, 3.0)]
files = taker.take(3.0, (), "now").files
with opened(path, uid) as folder:
    for file in files:
        if file.wrong:
            folder.refuse(file.name, file.wrong, secret=False)
        else:
            folder.accept(file.name, f"1-{file.name}", "final: false\\n")
refused.append(taker.take(9.0, (), "now").refused)
print(json.dumps({"refused": refused, "wrong": {file.name: file.wrong for file in files}}))
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A folder of that user, who may pass the folders above it."""
    path = a_folder(tmp_path)
    os.chown(path, UID, UID)
    for above in (tmp_path, *tmp_path.parents):
        if above.stat().st_mode & 0o001 == 0:
            above.chmod(0o711)
    return path


class Said(msgspec.Struct):
    """What was refused in place at each look, and what was wrong with what was taken."""

    refused: list[int]
    wrong: dict[str, str | None]


def at_work(path: Path) -> Said:
    command = [sys.executable, "-c", AT_WORK, str(path), str(UID)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return msgspec.json.decode(done.stdout, type=Said)


def mode(path: Path) -> int:
    return path.stat().st_mode & 0o777


def test_a_file_of_somebody_else_that_may_not_be_read_gets_a_sentence_everybody_can_read(
    path: Path,
) -> None:
    (path / "secret.yaml").touch(0o600)

    said = at_work(path)

    assert "chmod a+r it" in (said.wrong["secret.yaml"] or "")
    assert mode(path / "refused" / "secret.yaml") == 0o600
    assert mode(path / "refused" / "secret.yaml.error.txt") == 0o644


def test_a_file_of_somebody_else_that_may_be_read_is_taken(path: Path) -> None:
    (path / "a.yaml").write_text(JOB)
    (path / "a.yaml").chmod(0o644)

    assert at_work(path).wrong == {"a.yaml": None}
    status = path / "accepted" / "1-a.yaml.status.yaml"
    assert (mode(status), status.stat().st_uid) == (0o644, UID)


def test_what_can_not_be_moved_is_told_so_once_and_holds_up_nothing(path: Path) -> None:
    (path / "folder.yaml").mkdir()
    (path / "a.yaml").write_text(JOB)

    said = at_work(path)

    assert said.refused == [0, 1, 0]
    assert said.wrong == {"a.yaml": None}
    assert (path / "folder.yaml").is_dir()
    assert "can't be taken" in (path / "refused" / "folder.yaml.error.txt").read_text()


TEAM: Final = 47110


def as_user(uid: int, groups: list[int], *command: str) -> bool:
    """Tell whether the command works for that user; it runs in a process of theirs."""
    done = subprocess.run(
        command, user=uid, group=uid, extra_groups=groups, cwd="/", capture_output=True, timeout=60
    )
    return done.returncode == 0


def test_a_group_that_the_folder_is_given_to_gets_in_and_nobody_touches_anothers_file(
    path: Path,
) -> None:
    ann, bob, cleo = 61001, 61002, 61003
    path.chmod(0o1770)
    os.chown(path, UID, TEAM)
    anns, bobs = str(path / "a.yaml"), str(path / "b.yaml")
    assert as_user(ann, [TEAM], "cp", "/dev/null", anns)
    assert as_user(bob, [TEAM], "cp", "/dev/null", bobs)

    assert not as_user(bob, [TEAM], "rm", anns)
    assert not as_user(bob, [TEAM], "mv", bobs, anns)
    assert not as_user(cleo, [], "cp", "/dev/null", str(path / "c.yaml"))
    assert not as_user(cleo, [], "ls", str(path))

    (path / "a.yaml").write_text(JOB)
    at_work(path)
    for part in ("accepted", "refused"):  # as the README says; only root may for another group
        os.chown(path / part, -1, TEAM)
    assert as_user(ann, [TEAM], "cat", str(path / "accepted" / "1-a.yaml.status.yaml"))
    assert not as_user(bob, [TEAM], "rm", str(path / "accepted" / "1-a.yaml"))
    assert not as_user(bob, [TEAM], "ls", str(path / ".taken"))
    assert not as_user(cleo, [], "ls", str(path / "accepted"))
