"""Whose fault it is that no process could be made."""

import errno
import os
from pathlib import Path

import pytest

from eaas_agent.runtimes.port import RunOrder, StartFailed
from eaas_agent.runtimes.process_attempt import Attempt
from eaas_agent.runtimes.process_folder import AttemptFolder, read_handle
from eaas_agent.runtimes.process_launch import STANDARD_PATH, plan_launch
from eaas_agent.runtimes.process_spawn import spawn_attempt, start_failed
from tests.rig.process_orders import a_host, an_order


def spawn(order: RunOrder, folder: AttemptFolder) -> Attempt:
    folder.create()
    launch = plan_launch(order, path=STANDARD_PATH, my_uid=os.geteuid(), my_gid=os.getegid())
    return spawn_attempt(order, folder, launch, a_host())


def test_the_claim_says_what_the_handle_says(tmp_path: Path) -> None:
    folder = AttemptFolder(f"{tmp_path}/attempt")

    attempt = spawn(an_order(("true",), tmp_path, log_cap_mib=3), folder)
    os.waitpid(attempt.pid, 0)

    claim = folder.claim()
    assert claim is not None
    assert claim.handle == attempt.handle
    assert read_handle(claim.handle) == (attempt.pid, attempt.started_at, a_host().boot_id)
    assert (claim.number, claim.epoch, claim.log_cap_mib) == (42, 7, 3)


@pytest.mark.parametrize(
    ("command", "env"),
    [
        (("echo", "a\0b"), {}),
        (("echo", "\ud800"), {}),
        (("echo",), {"A": "\0"}),
        (("echo",), {"A=": "b"}),
        (("echo",), {"": "b"}),
        (("echo", "x" * 200_000), {}),
    ],
)
def test_what_no_process_can_be_given_is_the_users_fault(
    tmp_path: Path, command: tuple[str, ...], env: dict[str, str]
) -> None:
    with pytest.raises(StartFailed) as caught:
        spawn(an_order(command, tmp_path, env=env), AttemptFolder(f"{tmp_path}/attempt"))

    assert (caught.value.reason_code, caught.value.fault) == ("bad_command", "user")


@pytest.mark.parametrize(
    ("number", "code"), [(errno.ENOSPC, "disk_full"), (errno.EAGAIN, "engine_error")]
)
def test_what_the_machine_lacks_is_the_nodes_fault(number: int, code: str) -> None:
    failed = start_failed(OSError(number, os.strerror(number)))

    assert (failed.reason_code, failed.fault) == (code, "node")
