"""What the tests of the form share: a stand-in for the controller, served on a socket."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.rig.form import a_dry_run
from tests.rig.stand_in import StandIn, a_job, serving


@pytest.fixture
def stand_in() -> StandIn:
    stand_in = StandIn()
    stand_in.jobs[1] = a_job(1)
    stand_in.answers["POST /api/v1/jobs:dry-run"] = a_dry_run()
    return stand_in


@pytest.fixture
async def socket(stand_in: StandIn, tmp_path: Path) -> AsyncIterator[Path]:
    async with serving(stand_in, tmp_path / "s"):
        yield tmp_path / "s"
