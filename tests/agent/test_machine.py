import os
from pathlib import Path

import pytest

from eaas_agent.machine import Machine, memory_used_mib, read_machine, session_of


@pytest.fixture
def proc(tmp_path: Path) -> Path:
    (tmp_path / "sys/kernel/random").mkdir(parents=True)
    (tmp_path / "sys/kernel/random/boot_id").write_text("boot\n")
    (tmp_path / "stat").write_text("cpu 1 2\nbtime 1700000000\n")
    (tmp_path / "meminfo").write_text("MemTotal: 4194304 kB\nMemAvailable: 3145728 kB\n")
    return tmp_path


def test_the_kernel_is_read(proc: Path) -> None:
    assert read_machine(proc) == Machine(
        boot_id="boot",
        booted_at=1700000000.0,
        cpus=float(len(os.sched_getaffinity(0))),
        memory_mib=4096,
    )
    assert memory_used_mib(proc) == 1024


def test_memory_that_is_not_said_is_unknown(proc: Path) -> None:
    (proc / "meminfo").write_text("MemTotal: 4194304 kB\n")

    assert memory_used_mib(proc) is None


def test_this_machine_can_be_read() -> None:
    machine = read_machine()

    assert len(machine.boot_id) == 36
    assert machine.memory_mib > 0
    assert 0 < machine.booted_at < 2e10


def test_a_process_has_a_session_while_it_lives() -> None:
    assert session_of(os.getpid()) == os.getsid(0)
    assert session_of(2**22 + 1) is None
