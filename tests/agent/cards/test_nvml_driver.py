"""The real pynvml on a stand-in for the driver, loaded into the test itself."""

import ctypes
from pathlib import Path

import pytest

from eaas.ids import CardUuid
from eaas_agent.cards.nvml_answers import MIB, RawMemory, RawProcess, Refused
from eaas_agent.cards.nvml_driver import NvmlDriver
from tests.rig.nvml_standin import StandIn, card, uuid_of


@pytest.fixture
def driver(machine: StandIn, nvml_library: Path, monkeypatch: pytest.MonkeyPatch) -> NvmlDriver:
    """An open driver; pynvml finds the library by its name, because it is loaded already."""
    ctypes.CDLL(str(nvml_library), mode=ctypes.RTLD_GLOBAL)
    monkeypatch.setenv("NVML_STANDIN", machine.env["NVML_STANDIN"])
    driver = NvmlDriver()
    assert driver.open() is None
    return driver


def test_a_driver_that_refuses_to_start_gives_its_refusal(
    driver: NvmlDriver, machine: StandIn
) -> None:
    machine.says("error.nvmlInitWithFlags=18")

    refused = NvmlDriver().open()

    assert refused is not None
    assert (refused.code, refused.text) == (18, "RM has detected an NVML/RM version mismatch.")


def test_what_is_refused_for_good_is_asked_once_and_per_card(
    driver: NvmlDriver, machine: StandIn
) -> None:
    machine.says("count=2", *card(0, **{"error.nvmlDeviceGetPowerUsage": 3}), *card(1))
    assert isinstance(driver.card(0).power_mw, Refused)

    machine.says("count=2", *card(0), *card(1))

    assert isinstance(driver.card(0).power_mw, Refused)
    assert driver.card(1).power_mw == 21500


def test_what_is_refused_for_a_moment_is_asked_again(driver: NvmlDriver, machine: StandIn) -> None:
    machine.says("count=1", *card(0), "error.nvmlDeviceGetMemoryInfo_v2=19")
    assert isinstance(driver.card(0).memory, Refused)

    machine.says("count=1", *card(0))

    assert driver.card(0).memory == RawMemory(total=24576 * MIB, used=5 * MIB, reserved=600 * MIB)


@pytest.mark.parametrize(
    ("function", "code", "lost"),
    [
        ("nvmlDeviceGetHandleByIndex_v2", 999, True),
        ("nvmlDeviceGetHandleByIndex_v2", 2, True),
        ("nvmlDeviceGetUUID", 999, True),
        ("nvmlDeviceGetMemoryInfo_v2", 999, True),
        ("nvmlDeviceGetComputeRunningProcesses_v3", 15, True),
        ("nvmlDeviceGetTemperature", 15, True),
        ("nvmlDeviceGetTemperature", 999, False),
        ("nvmlDeviceGetPowerUsage", 3, False),
    ],
)
def test_a_card_is_lost_when_what_matters_fails(
    driver: NvmlDriver, machine: StandIn, function: str, code: int, lost: bool
) -> None:
    machine.says("count=1", *card(0, **{f"error.{function}": code}))

    raw = driver.card(0)

    assert (raw.lost is not None) == lost
    assert isinstance(raw.uuid, Refused) == lost


def test_processes_of_all_three_kinds_are_one_list(driver: NvmlDriver, machine: StandIn) -> None:
    machine.says("count=1", *card(0, processes="9:100", graphics="9:20,7:-", mps="8:5"))

    assert driver.card(0).processes == (
        RawProcess(pid=7, memory_bytes=None),
        RawProcess(pid=8, memory_bytes=5 * MIB),
        RawProcess(pid=9, memory_bytes=100 * MIB),
    )


def test_a_driver_without_mps_lists_the_others(driver: NvmlDriver, machine: StandIn) -> None:
    missing = [f"error.nvmlDeviceGetMPSComputeRunningProcesses_v{n}=13" for n in (2, 3)]
    machine.says("count=1", *missing, *card(0, processes="9:100"))

    assert driver.card(0).processes == (RawProcess(pid=9, memory_bytes=100 * MIB),)


def test_slices_and_bad_rows_are_told(driver: NvmlDriver, machine: StandIn) -> None:
    machine.says("count=1", *card(0, mig=1, remap_pending=1))

    raw = driver.card(0)

    assert (raw.mig_on, raw.remap_pending, raw.remap_failed) == (True, True, False)


def test_xids_are_told_once_with_their_card(driver: NvmlDriver, machine: StandIn) -> None:
    machine.says("count=2", *card(0), *card(1), "event=1:79")
    driver.watch_xids([driver.card(0), driver.card(1)])

    assert driver.xids() == [(CardUuid(uuid_of(1)), 79)]
    assert driver.xids() == []


def test_a_driver_without_events_tells_no_xid(driver: NvmlDriver, machine: StandIn) -> None:
    machine.says("count=1", *card(0), "event=0:79", "error.nvmlEventSetCreate=3")
    driver.watch_xids([driver.card(0)])

    assert driver.xids() == []
