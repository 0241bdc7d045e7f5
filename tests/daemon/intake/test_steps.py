"""The controller ends between any two steps of a file's way, and starts again."""

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import yaml

from eaas_daemon.intake import folder, taking
from eaas_daemon.intake.failures import FolderUnusable
from eaas_daemon.intake.follower import Follower
from eaas_daemon.intake.submitting import Submitter
from tests.daemon.intake.folders import JOB, ME, Doorway, ReaderHere, a_doorway

TWO = f"{JOB}---\n{JOB}log: true\n"


class TheEnd(BaseException):
    """What a controller that is killed does not live to see."""


def the_end(*_: Any, **__: Any) -> Any:
    raise TheEnd


def end_before(module: Any, name: str, when: Any = lambda *args: True) -> Any:
    """Return a way to let the controller end when it calls something that ``when`` holds for."""

    def patch(monkeypatch: pytest.MonkeyPatch) -> None:
        real = getattr(module, name)

        def called(*args: Any, **kwargs: Any) -> Any:
            return the_end() if when(*args) else real(*args, **kwargs)

        monkeypatch.setattr(module, name, called)

    return patch


STEPS = {
    "before it is taken": end_before(taking, "opened"),
    "taken, not read": end_before(ReaderHere, "read"),
    "read, not committed": end_before(Submitter, "carry_out"),
    "committed, not answered": end_before(Follower, "first_statuses"),
    "status being written": end_before(
        folder, "write_part", lambda _, name, *__: name.endswith("status.yaml")
    ),
    "status written, not moved": end_before(
        os, "rename", lambda source, target: str(target).startswith("1-") and source == "a.yaml"
    ),
    "moved, not followed": end_before(Follower, "follow"),
}


@pytest.mark.parametrize("step", STEPS)
async def test_a_controller_that_ends_between_two_steps_makes_one_job_of_a_file(
    doorway: Doorway, step: str
) -> None:
    doorway.drop("a.yaml", TWO)
    with pytest.MonkeyPatch.context() as until_then:
        STEPS[step](until_then)
        with pytest.raises(TheEnd):
            await doorway.take()

    await doorway.restart()
    await doorway.take()

    assert doorway.house.state.job_by_number(3) is None
    assert (doorway.names(), doorway.names(".taken")) == (set(), set())
    assert doorway.names("accepted") == {"1-a.yaml", "1-a.yaml.status.yaml"}
    for number in (1, 2):
        await doorway.house.ask("POST", f"/api/v1/jobs/{number}/cancel", {}, user="root")
    await doorway.statuses()
    statuses = list(yaml.safe_load_all(doorway.text("accepted", "1-a.yaml.status.yaml")))
    assert [(s["job"], s["state"], s["log"]) for s in statuses] == [
        (1, "Cancelled", False),
        (2, "Cancelled", True),
    ]


@pytest.mark.parametrize("step", ["taken, not read", "read, not committed"])
async def test_a_file_that_was_taken_is_refused_after_the_restart_as_before(
    doorway: Doorway, step: str
) -> None:
    doorway.drop("a.yaml", "gpus: x\n" if step == "taken, not read" else f"{JOB}pool: nowhere\n")
    with pytest.MonkeyPatch.context() as until_then:
        STEPS[step](until_then)
        with pytest.raises(TheEnd):
            await doorway.take()

    await doorway.restart()

    assert (await doorway.take()).refused == 1
    assert doorway.names("refused") == {"a.yaml", "a.yaml.error.txt"}


async def test_orders_that_were_obeyed_are_answered_after_the_restart(doorway: Doorway) -> None:
    number = await doorway.house.submit(user=ME)
    doorway.drop(f"{number}.cancel", "")
    with pytest.MonkeyPatch.context() as until_then:
        until_then.setattr(folder, "write_part", the_end)
        with pytest.raises(TheEnd):
            await doorway.look()
    assert doorway.house.job(number).state == "Cancelled"

    await doorway.restart()

    assert (await doorway.look()).accepted == 1


# --- disks that come, go, fill and freeze


def mount(*words: str) -> None:
    done = subprocess.run(["mount", *words], capture_output=True, text=True)
    if done.returncode != 0:
        pytest.skip(f"needs to mount: {done.stderr.strip()}")


def umount(path: Path) -> None:
    subprocess.run(["umount", "-l", str(path)], check=True)


@contextmanager
def a_disk(path: Path, size: str = "1m") -> Iterator[None]:
    """Mount a small disk there."""
    path.mkdir(exist_ok=True)
    mount("-t", "tmpfs", "-o", f"size={size},mode=1777", "none", str(path))
    try:
        yield
    finally:
        umount(path)


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """A folder that is a disk of its own."""
    with a_disk(tmp_path / "inbox"):
        yield tmp_path / "inbox"


async def test_a_disk_that_freezes_before_the_move_makes_no_second_job(
    disk: Path, tmp_path: Path
) -> None:
    class Freezing(Submitter):
        async def carry_out(self, *what: Any) -> Any:
            outcome = await super().carry_out(*what)
            mount("-o", "remount,ro", str(disk))
            return outcome

    async with a_doorway(tmp_path) as doorway:
        doorway.door._submitter = Freezing(doorway.house.engine, doorway.house.clock)
        doorway.drop("a.yaml")
        with pytest.raises(FolderUnusable, match="Read-only file system"):
            await doorway.take()
        for _ in range(3):
            with pytest.raises(FolderUnusable):
                await doorway.look(after_s=5.0)
        assert doorway.house.job(1).state == "Pending"

        mount("-o", "remount,rw", str(disk))
        await doorway.restart()
        assert (await doorway.look()).accepted == 1
        assert doorway.house.state.job_by_number(2) is None
        assert doorway.names("accepted") == {"1-a.yaml", "1-a.yaml.status.yaml"}


async def test_a_disk_that_is_full_keeps_the_file_until_there_is_room(
    disk: Path, tmp_path: Path
) -> None:
    async with a_doorway(tmp_path) as doorway:
        doorway.drop("a.yaml")
        ballast = disk / "ballast"
        with pytest.raises(OSError, match="No space"):
            ballast.write_bytes(b"x" * (2 << 20))
        with pytest.raises(FolderUnusable, match="No space left"):
            await doorway.take()
        assert doorway.names("accepted") == set()

        ballast.unlink()
        assert (await doorway.look()).accepted == 1
        assert doorway.house.state.job_by_number(2) is None


async def test_a_disk_that_is_unmounted_cancels_nothing_and_is_followed_when_it_is_back(
    tmp_path: Path,
) -> None:
    disk, under = tmp_path / "disk", tmp_path / "inbox"
    with a_disk(disk):
        async with a_doorway(tmp_path) as doorway:
            under.chmod(0o755)
            mount("--bind", str(disk), str(under))
            await doorway.restart()
            doorway.drop("a.yaml")
            await doorway.take()
            umount(under)

            await doorway.look()
            await doorway.house.ask("POST", "/api/v1/jobs/1/cancel", {}, user="root")
            await doorway.statuses()
            assert doorway.names("accepted") == set()

            mount("--bind", str(disk), str(under))
            await doorway.follower.recover()
            await doorway.statuses()
            told = doorway.text("accepted", "1-a.yaml.status.yaml")
            umount(under)
            assert "state: Cancelled" in told
