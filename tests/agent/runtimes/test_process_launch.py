"""What a run order means to a plain process."""

from pathlib import Path

import msgspec
import pytest

from eaas_agent.runtimes.port import Bind, RunOrder, StartFailed
from eaas_agent.runtimes.process_launch import (
    Launch,
    plan_launch,
    survives_a_shell,
)
from tests.rig.process_orders import an_order


def plan(order: RunOrder, my_uid: int = 0) -> Launch:
    return plan_launch(order, path="/bin", my_uid=my_uid, my_gid=my_uid)


def test_a_plain_order_needs_nobody_between_the_shim_and_the_job(tmp_path: Path) -> None:
    launch = plan(an_order(("echo", "hi"), tmp_path))

    assert (launch.argv, launch.cwd, launch.enter) == (("echo", "hi"), str(tmp_path), None)
    assert launch.env["HOME"] == str(tmp_path)


def test_under_another_user_the_shim_sees_nothing_of_the_jobs_environment(tmp_path: Path) -> None:
    launch = plan(an_order(("id",), tmp_path, run_as="5:6", env={"LD_PRELOAD": "/evil.so"}))

    assert launch.env == {"PATH": "/bin"}
    assert launch.enter is not None
    assert (launch.enter.uid, launch.enter.gid) == (5, 6)
    assert launch.enter.env["LD_PRELOAD"] == "/evil.so"


@pytest.mark.parametrize("command", [None, (), ("",), ("-c", "x")])
def test_an_order_without_a_program_is_refused(
    tmp_path: Path, command: tuple[str, ...] | None
) -> None:
    with pytest.raises(StartFailed, match="needs a command") as caught:
        plan(an_order(command, tmp_path))

    assert (caught.value.reason_code, caught.value.fault) == ("bad_command", "user")


def test_an_order_with_an_image_is_refused(tmp_path: Path) -> None:
    order = msgspec.structs.replace(an_order(("true",), tmp_path), image="ubuntu:24.04")

    with pytest.raises(StartFailed, match=r"cannot run ubuntu:24\.04"):
        plan(order)


def test_a_workspace_that_is_gone_is_the_nodes_fault(tmp_path: Path) -> None:
    with pytest.raises(StartFailed, match="none is gone") as caught:
        plan(an_order(("true",), tmp_path / "none"))

    assert caught.value.fault == "node"


def test_an_absolute_working_directory_is_this_machines(tmp_path: Path) -> None:
    assert plan(an_order(("pwd",), tmp_path, workdir="/usr")).cwd == "/usr"


def test_a_workspace_sub_folder_is_not_mistaken_for_a_neighbour(tmp_path: Path) -> None:
    with pytest.raises(StartFailed, match="/workspaces does not exist"):
        plan(an_order(("pwd",), tmp_path, workdir="/workspaces"))


@pytest.mark.parametrize("name", ["a.b", "1A", "é", "BASH_FUNC_echo%%", "SHELLOPTS", "OPTIND"])
def test_names_that_a_shell_would_drop_or_heed_go_past_it(name: str) -> None:
    assert not survives_a_shell({"A": "1", name: "1"})
    assert survives_a_shell({"A_1": "%$"})


def test_a_plain_process_can_have_no_mounts(tmp_path: Path) -> None:
    data = Bind(source=tmp_path, target="/data", read_only=True)

    with pytest.raises(StartFailed, match="can't have mounts") as caught:
        plan(msgspec.structs.replace(an_order(("true",), tmp_path), mounts=(data,)))

    assert (caught.value.reason_code, caught.value.fault) == ("mounts_unsupported", "user")
