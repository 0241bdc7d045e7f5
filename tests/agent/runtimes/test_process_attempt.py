"""Ends without an exit file, and what is told of them."""

import os
import signal
from pathlib import Path

from eaas_agent.runtimes.port import Exit
from eaas_agent.runtimes.process_attempt import Attempt
from eaas_agent.runtimes.process_folder import AttemptFolder
from eaas_agent.runtimes.process_launch import STANDARD_PATH, plan_launch
from eaas_agent.runtimes.process_spawn import spawn_attempt
from eaas_agent.runtimes.process_watch import EndWatch
from tests.rig.process_orders import a_host, an_order


def spawn(folder: AttemptFolder, workspace: Path, command: str) -> Attempt:
    order = an_order(command, workspace)
    launch = plan_launch(order, path=STANDARD_PATH, my_uid=os.geteuid(), my_gid=os.getegid())
    return spawn_attempt(order, folder, launch, a_host())


def a_folder(tmp_path: Path) -> AttemptFolder:
    folder = AttemptFolder(f"{tmp_path}/attempt")
    folder.create()
    return folder


async def ended(attempt: Attempt) -> Exit:
    ends = EndWatch()
    attempt.watch(ends)
    end = await attempt.ended()
    ends.close()
    return end


async def test_a_code_that_could_not_be_written_is_taken_from_the_shim(tmp_path: Path) -> None:
    folder = a_folder(tmp_path)
    (Path(folder.path) / "exit").touch()  # as on a full disk: the shim cannot write it

    end = await ended(spawn(folder, tmp_path, "sleep 60 & exit 5"))

    assert (end.exit_code, end.lost) == (5, False)


async def test_a_shim_that_could_not_claim_ran_nothing(tmp_path: Path) -> None:
    folder = a_folder(tmp_path)
    folder.bury()

    end = await ended(spawn(folder, tmp_path, "exit 5"))

    assert (end.exit_code, end.lost) == (None, True)


async def test_a_kill_of_ours_is_137_even_for_the_agent_after_us(tmp_path: Path) -> None:
    folder = a_folder(tmp_path)
    attempt = spawn(folder, tmp_path, "exec sleep 60")
    attempt.kill()
    assert (await ended(attempt)).exit_code == 128 + signal.SIGKILL

    later = Attempt(
        folder, pid=attempt.pid, handle="", started_at=1.0, log_cap_mib=1, host=a_host()
    )
    later.end_unwritten()

    assert later.exit is not None
    assert (later.exit.exit_code, later.exit.lost, later.exit.ran_for_s) == (137, False, None)


async def test_no_end_is_told_before_its_start(tmp_path: Path) -> None:
    attempt = Attempt(
        a_folder(tmp_path), pid=0, handle="", started_at=9.0, log_cap_mib=1, host=a_host()
    )

    attempt.end_written(0, 8.999)

    assert (await attempt.ended()).finished_at == 9.0
