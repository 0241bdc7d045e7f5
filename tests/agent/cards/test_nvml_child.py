"""The child alone, as a program with a stdin, a stdout and a size."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import msgspec

from eaas_agent.cards.nvml_reading import Sample
from tests.rig.nvml_standin import StandIn, card, uuid_of

ROOT: Final = Path(__file__).parents[3]

MAX_RSS_KIB: Final = 25 * 1024


def test_it_prints_a_sample_a_line_and_stays_small(machine: StandIn) -> None:
    machine.says("count=8", *(line for index in range(8) for line in card(index)))

    with child(machine) as process:
        samples = [read(process) for _ in range(3)]
        rss_kib = resident_kib(process.pid)

    assert [sample.picture.state for sample in samples] == ["ok"] * 3
    assert len(samples[2].picture.cards) == 8
    assert rss_kib <= MAX_RSS_KIB


def test_it_ends_when_its_stdin_closes(machine: StandIn) -> None:
    machine.says("count=1", *card(0))

    with child(machine) as process:
        read(process)
        close_stdin(process)
        assert process.wait(timeout=5) == 0


def test_it_ends_when_its_stdin_closes_while_the_driver_hangs(machine: StandIn) -> None:
    machine.says("delay.nvmlInitWithFlags=600000")

    with child(machine) as process:
        close_stdin(process)
        assert process.wait(timeout=5) == 0


def test_without_a_driver_it_says_so_and_ends(bare_machine: StandIn) -> None:
    with child(bare_machine) as process:
        sample = read(process)
        assert process.wait(timeout=5) == 0

    assert sample.picture.state == "none"


def test_a_driver_that_lost_its_state_is_initialized_once_more(machine: StandIn) -> None:
    machine.says("count=1", *card(0))

    with child(machine) as process:
        read(process)
        machine.says("error.nvmlDeviceGetCount_v2=1")
        while (sample := read(process)).picture.state == "ok":
            pass
        assert process.wait(timeout=5) == 0

    assert sample.picture.state == "unknown"
    assert [known.uuid for known in sample.known] == [uuid_of(0)]


@contextmanager
def child(machine: StandIn) -> Iterator[subprocess.Popen[bytes]]:
    command = [sys.executable, "-P", "-m", "eaas_agent.cards.nvml_child", "0.02"]
    with subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={**machine.env, "PYTHONPATH": str(ROOT)},
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def read(process: subprocess.Popen[bytes]) -> Sample:
    assert process.stdout is not None
    return msgspec.json.decode(process.stdout.readline(), type=Sample)


def close_stdin(process: subprocess.Popen[bytes]) -> None:
    assert process.stdin is not None
    process.stdin.close()


def resident_kib(pid: int) -> int:
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1])
    raise AssertionError(f"process {pid} has no size")
