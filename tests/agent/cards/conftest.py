"""What the tests of the cards share: a pretended driver that is built once."""

import os
from pathlib import Path

import pytest

from tests.rig.nvml_standin import StandIn, build_library, why_no_standin


@pytest.fixture(scope="session")
def nvml_library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The stand-in library, built."""
    if reason := why_no_standin():
        if os.environ.get("CI"):
            pytest.fail(f"CI must run this test, but {reason}", pytrace=False)
        pytest.skip(reason)
    return build_library(tmp_path_factory.mktemp("nvml"))


@pytest.fixture
def bare_machine(tmp_path: Path, nvml_library: Path) -> StandIn:
    """A machine whose driver is not installed yet."""
    return StandIn(tmp_path, nvml_library)


@pytest.fixture
def machine(bare_machine: StandIn) -> StandIn:
    """A machine with the driver installed."""
    bare_machine.install()
    return bare_machine
