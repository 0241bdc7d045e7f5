"""What a job finds: its environment, its directory, its user."""

import os
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from eaas.ids import CardUuid
from eaas_agent.runtimes.port import CardSlot, StartFailed
from eaas_agent.runtimes.process import ProcessRuntime
from tests.rig.process_orders import an_order
from tests.rig.process_runtime import a_runtime, output, read, run, started

C_LIBRARYS_OWN = 0x1_8000_0000
"""Signals 32 and 33, which glibc's posix_spawn leaves ignored; no program can use them."""
needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root becomes another user")


@pytest.fixture
async def runtime(tmp_path: Path) -> AsyncIterator[ProcessRuntime]:
    async with a_runtime(tmp_path / "state") as runtime:
        yield runtime


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    path = tmp_path / "workspace"
    path.mkdir()
    return path


async def test_the_environment_is_clean(
    runtime: ProcessRuntime, workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SECRET_OF_THE_AGENT", "x")
    env = {"A": "1 2'\n3", "PATH": "/usr/bin:/bin", "CUDA_VISIBLE_DEVICES": "all"}

    seen = await output(runtime, an_order(("env", "-0"), workspace, env=env, uid="u"))

    variables = dict(line.split("=", 1) for line in seen.decode().split("\0") if line)
    for name in ("PWD", "OLDPWD", "SHLVL", "_"):  # a shell's own
        variables.pop(name, None)
    assert variables == {
        "A": "1 2'\n3",
        "CUDA_DEVICE_ORDER": "PCI_BUS_ID",
        "CUDA_VISIBLE_DEVICES": "",
        "EAAS_JOB_UID": "u",
        "EAAS_WORKSPACE": str(workspace),
        "HOME": str(workspace),
        "LANG": "C.UTF-8",
        "NVIDIA_VISIBLE_DEVICES": "void",
        "PATH": "/usr/bin:/bin",
    }


async def test_variables_that_no_shell_passes_on_arrive(
    runtime: ProcessRuntime, workspace: Path
) -> None:
    env = {"with.dot": "1", "with-dash": "2", "IFS": "x", "OPTIND": "none"}

    seen = (await output(runtime, an_order(("env",), workspace, env=env))).decode().splitlines()

    assert {"with.dot=1", "with-dash=2", "IFS=x", "OPTIND=none"} <= set(seen)


async def test_the_job_sees_its_real_cards(runtime: ProcessRuntime, workspace: Path) -> None:
    cards = (
        CardSlot(uuid=CardUuid("GPU-a")),
        CardSlot(uuid=CardUuid("GPU-s"), simulated=True),
        CardSlot(uuid=CardUuid("GPU-b")),
    )
    order = an_order("echo $CUDA_VISIBLE_DEVICES $NVIDIA_VISIBLE_DEVICES", workspace, cards=cards)

    assert await output(runtime, order) == b"GPU-a,GPU-b GPU-a,GPU-b\n"


async def test_the_job_gets_no_descriptor_and_no_signal_setting_of_ours(
    runtime: ProcessRuntime, workspace: Path
) -> None:
    order = an_order("umask; grep -E 'Sig(Blk|Ign)' /proc/self/status; ls /proc/self/fd", workspace)

    umask, _, blocked, _, ignored, *fds = (await output(runtime, order)).split()

    assert (umask, int(blocked, 16), int(ignored, 16) & ~C_LIBRARYS_OWN) == (b"0022", 0, 0)
    assert {int(fd) for fd in fds} - inherited_by_everyone() == {0, 1, 2, 3}


def inherited_by_everyone() -> set[int]:
    """Return what whoever started these tests left open for all their children."""
    numbers = [int(name) for name in os.listdir("/proc/self/fd")]
    return {fd for fd in numbers if fd > 3 and is_inheritable(fd)}


def is_inheritable(fd: int) -> bool:
    try:
        return os.get_inheritable(fd)
    except OSError:
        return False


@pytest.mark.parametrize(
    ("workdir", "inside"),
    [(None, ""), ("/workspace", ""), ("/workspace/sub dir", "/sub dir"), ("sub dir", "/sub dir")],
)
async def test_the_working_directory_is_in_the_workspace(
    runtime: ProcessRuntime, workspace: Path, workdir: str | None, inside: str
) -> None:
    (workspace / "sub dir").mkdir()

    seen = await output(runtime, an_order(("pwd",), workspace, workdir=workdir))

    assert seen.decode() == f"{workspace}{inside}\n"


async def test_a_working_directory_that_is_not_there_is_the_users_fault(
    runtime: ProcessRuntime, workspace: Path
) -> None:
    with pytest.raises(StartFailed, match="/workspace/none does not exist") as caught:
        await started(runtime, an_order(("true",), workspace, workdir="/workspace/none"))

    assert (caught.value.fault, caught.value.reason_code) == ("user", "workdir_bad")


@needs_root
async def test_run_as_becomes_that_user_and_may_reopen_its_streams(
    runtime: ProcessRuntime, workspace: Path
) -> None:
    command = "id -u; id -g; id -G; echo 1 >>/dev/stderr; grep SigIgn /proc/self/status; echo $X"
    order = an_order(command, workspace, run_as="1234:2345", env={"X": "x", "LD_PRELOAD": ""})

    end = await run(runtime, order)

    streams = await read(runtime, order.key)
    *ids, _, ignored, variable = streams["stdout"].split()
    assert (ids, variable) == ([b"1234", b"2345", b"2345"], b"x")
    assert int(ignored, 16) & ~C_LIBRARYS_OWN == 0
    assert (end.exit_code, streams["stderr"]) == (0, b"1\n")


@needs_root
async def test_an_unknown_command_under_run_as_ends_with_127(
    runtime: ProcessRuntime, workspace: Path
) -> None:
    order = an_order(("no-such-command",), workspace, run_as="1234")

    assert (await run(runtime, order)).exit_code == 127
    assert (await read(runtime, order.key))["stderr"] == (
        b"no-such-command: No such file or directory\n"
    )
