"""An agent that comes to a controller for the first time, for the tests of its credentials."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.rig.newcomer import Newcomer, a_newcomer, errors_of_disk


@pytest.fixture
async def newcomer(tmp_path: Path) -> AsyncIterator[Newcomer]:
    """The agent's folder, and the controller that it goes to."""
    async with a_newcomer(tmp_path) as newcomer:
        yield newcomer


@pytest.fixture
def full_disk(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Errors that the next passports to be written meet."""
    return errors_of_disk(monkeypatch)
