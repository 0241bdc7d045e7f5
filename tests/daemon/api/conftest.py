"""What the server's tests may ask for: a house that is served."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.daemon.api.served import House, a_house


@pytest.fixture
async def house(tmp_path: Path) -> AsyncIterator[House]:
    """A served house with nothing in it."""
    async with a_house(tmp_path) as served:
        yield served
