"""Taking over what another process of the agent started."""

import os
import select
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from eaas.ids import JobUid
from eaas_agent.runtimes.port import AttemptKey
from eaas_agent.runtimes.process_adopt import adopt, lives
from eaas_agent.runtimes.process_folder import AttemptFolder, handle_text
from tests.rig.process_orders import a_host

HOST = a_host()
KEY = AttemptKey(JobUid("uid"), 1)


def a_folder(tmp_path: Path, *, claim: str | None) -> AttemptFolder:
    folder = AttemptFolder(f"{tmp_path}/uid-1")
    folder.create()
    if claim is not None:
        (Path(folder.path) / "claim").write_text(claim)
    return folder


def a_gone_pid() -> int:
    process = subprocess.Popen(["/bin/true"])
    process.wait()
    return process.pid


def test_the_written_end_is_its_end_whatever_else_is_true(tmp_path: Path) -> None:
    folder = a_folder(tmp_path, claim="1 42 7 1.5 other-boot 5 agent-1\n")
    (Path(folder.path) / "exit").write_text("3\n")

    attempt = adopt(folder, KEY, "", HOST)

    assert attempt is not None
    assert attempt.exit is not None
    assert (attempt.exit.exit_code, attempt.exit.lost, attempt.started_at) == (3, False, 1.5)
    assert attempt.log_cap_bytes == 5 << 20


def test_a_restart_of_the_machine_is_named(tmp_path: Path) -> None:
    folder = a_folder(tmp_path, claim=f"{os.getpid()} 42 7 1.5 other-boot 5 agent-1\n")

    attempt = adopt(folder, KEY, "", HOST)

    assert attempt is not None
    assert attempt.exit is not None
    assert (attempt.exit.exit_code, attempt.exit.lost) == (None, True)
    assert attempt.exit.text == "the machine was restarted while it ran"


def test_a_process_id_that_went_to_somebody_else_is_not_adopted(tmp_path: Path) -> None:
    claim = f"{os.getpid()} 42 7 1.5 {HOST.boot_id} 5 agent-1\n"
    folder = a_folder(tmp_path, claim=claim)

    attempt = adopt(folder, KEY, "", HOST)

    assert attempt is not None
    assert attempt.exit is not None
    assert (attempt.exit.exit_code, attempt.exit.lost) == (137, True)


def test_what_was_never_claimed_is_buried(tmp_path: Path) -> None:
    folder = a_folder(tmp_path, claim=None)

    attempt = adopt(folder, KEY, handle_text(a_gone_pid(), 1.0, HOST.boot_id), HOST)

    assert attempt is not None
    assert attempt.exit is not None
    assert attempt.exit.lost
    assert folder.is_claimed()


def test_while_a_shim_writes_its_claim_nothing_is_said(tmp_path: Path) -> None:
    folder = a_folder(tmp_path, claim="")
    with a_process_with(folder.path):
        assert adopt(folder, KEY, "", HOST) is None

    attempt = adopt(folder, KEY, "", HOST)
    assert attempt is not None
    assert attempt.exit is not None


def test_a_shim_that_has_not_claimed_yet_is_known_by_its_handle(tmp_path: Path) -> None:
    folder = a_folder(tmp_path, claim=None)
    with a_process_with(folder.path) as process:
        attempt = adopt(folder, KEY, handle_text(process.pid, 1.0, HOST.boot_id), HOST)

        assert attempt is not None
        assert (attempt.exit, attempt.pid) == (None, process.pid)
        assert not folder.is_claimed()
        assert not lives(folder, process.pid, "other-boot", HOST)


def test_a_job_whose_shim_died_unseen_is_killed_by_its_own_folder_and_by_no_copy_of_it(
    tmp_path: Path,
) -> None:
    """The job's own process lives on in the session of a leader that is gone."""
    leader = subprocess.Popen(
        ["/bin/sh", "-c", "sleep 60 >/dev/null & echo $!; exec >&-; kill -9 $$"],
        env={"EAAS_JOB_UID": "uid"},
        start_new_session=True,
        stdout=subprocess.PIPE,
    )
    orphan = int(leader.communicate()[0])
    folder = a_folder(tmp_path, claim=None)
    words = f"{leader.pid} 42 7 1.5 {HOST.boot_id} 5 agent-1 {folder.inode()}\n"
    (Path(folder.path) / "claim").write_text(words)
    copy = AttemptFolder(f"{tmp_path}/copy")
    shutil.copytree(folder.path, copy.path)
    pidfd = os.pidfd_open(orphan)

    adopt(copy, KEY, "", HOST)
    assert not select.select([pidfd], [], [], 0)[0]
    adopt(folder, KEY, "", HOST)

    assert select.select([pidfd], [], [], 5)[0]
    os.close(pidfd)


def test_a_copy_leaves_alone_what_its_original_runs(tmp_path: Path) -> None:
    """The shim lives, and the copy of its claim, by an older version, does not name its folder."""
    original = a_folder(tmp_path, claim=None)
    shim = subprocess.Popen(
        ["/bin/sh", "-c", "echo; read line", "sh", original.path],
        env={"EAAS_JOB_UID": "uid"},
        start_new_session=True,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert shim.stdout is not None
    shim.stdout.readline()
    (Path(original.path) / "claim").write_text(f"{shim.pid} 42 7 1.5 {HOST.boot_id} 5 agent-1\n")
    copy = AttemptFolder(f"{tmp_path}/copy")
    shutil.copytree(original.path, copy.path)

    adopted = adopt(copy, KEY, "", HOST)

    assert adopted is not None
    assert adopted.exit is not None
    assert shim.poll() is None
    shim.communicate(b"\n")


@contextmanager
def a_process_with(argument: str) -> Iterator[subprocess.Popen[bytes]]:
    """Run a process that has the argument, until the block ends."""
    process = subprocess.Popen(
        ["/bin/sh", "-c", "echo; read line", "sh", argument],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert process.stdout is not None
    process.stdout.readline()
    yield process
    process.communicate(b"\n")
