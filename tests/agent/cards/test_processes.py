"""Who is behind a pid: texts as the kernel writes them, and a real process."""

import os
import subprocess
from pathlib import Path

import pytest

from eaas_agent.cards.processes import (
    ProcessFacts,
    UserNames,
    command_line,
    container_in,
    describe,
    start_ticks_in,
    uid_in,
)

ID = "0123456789abcdef" * 4
OTHER = "f" * 64


@pytest.mark.parametrize(
    ("cgroup", "container"),
    [
        (f"0::/system.slice/docker-{ID}.scope\n", ID),
        (f"12:devices:/docker/{ID}\n11:memory:/docker/{ID}\n", ID),
        (f"0::/eaas/{ID}\n", ID),
        (f"0::/user.slice/libpod-{ID}.scope/container\n", ID),
        (f"0::/docker/{OTHER}/docker/{ID}\n", ID),
        (f"0::/docker/{ID}ab\n", None),
        ("0::/user.slice/user-1000.slice/session-2.scope\n", None),
        ("", None),
    ],
)
def test_a_container_is_known_by_its_64_hex_digits(cgroup: str, container: str | None) -> None:
    assert container_in(cgroup) == container


def test_the_start_is_read_behind_a_name_that_holds_brackets() -> None:
    numbers = " ".join(str(n) for n in range(4, 53))

    assert start_ticks_in(f"7 (a) b ( c) S {numbers}") == 22
    assert start_ticks_in("7 (short) S 1") is None


def test_the_user_is_the_real_one_not_the_owner_of_the_folder() -> None:
    assert uid_in("Name:\tpython\nUid:\t1000\t0\t0\t0\nGid:\t5\t5\t5\t5\n") == 1000
    assert uid_in("Name:\tpython\n") is None


def test_a_command_is_cut_at_200_characters_and_a_bare_name_stands_in_brackets() -> None:
    assert command_line("python\0train.py\0", "1 (python) S") == "python train.py"
    assert command_line("x" * 500, "1 (x) S") == "x" * 200
    assert command_line("", "2 (kthread add) S") == "[kthread add]"
    assert command_line("", "") is None


def test_this_process_is_described() -> None:
    facts = describe(os.getpid(), UserNames())

    assert facts is not None
    assert facts.user == UserNames().name(os.getuid())
    assert facts.command
    assert facts.started_ticks == start_ticks_in(Path("/proc/self/stat").read_text())


def test_a_vanished_process_is_no_error() -> None:
    with subprocess.Popen(["true"]) as gone:
        gone.wait()

    assert describe(gone.pid, UserNames()) is None


def test_a_process_that_vanishes_between_two_reads_keeps_what_was_learnt(tmp_path: Path) -> None:
    (tmp_path / "7").mkdir()
    (tmp_path / "7" / "stat").write_text("7 (python) S 1")

    assert describe(7, UserNames(), proc=tmp_path) == ProcessFacts(command="[python]")


def test_a_user_without_a_name_is_its_number() -> None:
    assert UserNames().name(3_999_999_999) == "3999999999"
