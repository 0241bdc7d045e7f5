"""What the tests of watched folders may ask for."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.daemon.intake.folders import Doorway, a_doorway


@pytest.fixture
async def doorway(tmp_path: Path) -> AsyncIterator[Doorway]:
    """A door on an empty folder, before a controller with the pool ``default``."""
    async with a_doorway(tmp_path) as door:
        yield door
