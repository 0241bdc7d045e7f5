"""The shim under every shell that may be /bin/sh."""

import os
import shutil
import signal
from pathlib import Path

import pytest

from eaas_agent.runtimes.process_folder import AttemptFolder
from eaas_agent.runtimes.process_shim import spawn_shim

SHELLS = [shell for shell in ("/bin/dash", "/bin/bash") if shutil.which(shell)]


@pytest.fixture(params=SHELLS)
def shell(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Return the shell under the name ``sh``, by which bash knows that it is to be POSIX."""
    link = tmp_path / "sh"
    link.symlink_to(request.param)
    return str(link)


@pytest.fixture
def folder(tmp_path: Path) -> AttemptFolder:
    folder = AttemptFolder(f"{tmp_path}/attempt's $folder")
    folder.create()
    return folder


def spawn(shell: str, folder: AttemptFolder, *argv: str, cwd: str = "/") -> int:
    env = {"PATH": "/usr/bin:/bin"}
    return spawn_shim(
        folder, shell=shell, claim="42 7 1.5 boot 1 agent", cwd=cwd, argv=argv, env=env
    )


def run(shell: str, folder: AttemptFolder, *argv: str, cwd: str = "/") -> int | None:
    """Run the shim to its end and return the exit code that it wrote."""
    os.waitpid(spawn(shell, folder, *argv, cwd=cwd), 0)
    written = folder.exit()
    return written and written[0]


def text(folder: AttemptFolder, name: str) -> str:
    return (Path(folder.path) / name).read_text()


def test_it_writes_who_it_is_and_how_the_job_ended(shell: str, folder: AttemptFolder) -> None:
    pid = spawn(shell, folder, "sh", "-c", "echo out; echo err >&2; exit 3")
    os.waitpid(pid, 0)

    assert text(folder, "claim") == f"{pid} 42 7 1.5 boot 1 agent\n"
    assert [text(folder, name) for name in ("stdout", "stderr", "exit")] == [
        "out\n",
        "err\n",
        "3\n",
    ]


@pytest.mark.parametrize(
    ("argv", "code"),
    [(("none-such",), 127), (("/etc/passwd",), 126), (("sh", "-c", "kill -9 $$"), 137)],
)
def test_other_ends_have_the_usual_codes(
    shell: str, folder: AttemptFolder, argv: tuple[str, ...], code: int
) -> None:
    assert run(shell, folder, *argv) == code


def test_a_signalled_job_leaves_no_words_of_the_shell_in_its_log(
    shell: str, folder: AttemptFolder
) -> None:
    assert run(shell, folder, "sh", "-c", "kill -11 $$") == 139
    assert text(folder, "stderr") == ""


def test_a_directory_that_cannot_be_entered_is_126(shell: str, folder: AttemptFolder) -> None:
    assert run(shell, folder, "true", cwd="/none") == 126
    assert "/none" in text(folder, "stderr")


def test_a_term_to_the_group_ends_the_job_and_not_the_shim(
    shell: str, folder: AttemptFolder
) -> None:
    ready = Path(folder.path) / "ready"
    os.mkfifo(ready)
    pid = spawn(shell, folder, "sh", "-c", 'echo >"$0"; exec sleep 60', str(ready))
    ready.read_text()

    os.killpg(pid, signal.SIGTERM)
    os.waitpid(pid, 0)

    assert text(folder, "exit") == "143\n"


def test_with_a_claim_taken_it_runs_nothing(shell: str, folder: AttemptFolder) -> None:
    folder.bury()

    assert run(shell, folder, "touch", f"{folder.path}/ran") is None
    assert sorted(os.listdir(folder.path)) == ["claim", "stderr", "stdout"]


def test_of_many_shims_in_one_folder_one_runs(shell: str, folder: AttemptFolder) -> None:
    command = ("sh", "-c", 'echo ran >>"$0"', f"{folder.path}/ran")

    for pid in [spawn(shell, folder, *command) for _ in range(12)]:
        os.waitpid(pid, 0)

    assert text(folder, "ran") == "ran\n"


def test_where_the_folder_is_gone_nothing_can_be_spawned(shell: str, folder: AttemptFolder) -> None:
    folder.delete()

    with pytest.raises(FileNotFoundError):
        spawn(shell, folder, "true")
