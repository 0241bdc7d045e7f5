from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from eaas.client import Address, Client
from tests.rig.stand_in import StandIn, serving


@pytest.fixture
def socket(tmp_path: Path) -> Path:
    return tmp_path / "c.sock"


@pytest.fixture
async def controller(socket: Path) -> AsyncIterator[StandIn]:
    """A stand-in that serves canned views."""
    stand_in = StandIn()
    async with serving(stand_in, socket):
        yield stand_in


@pytest.fixture
async def client(controller: StandIn, socket: Path) -> AsyncIterator[Client]:
    async with Client(Address(socket=socket)) as client:
        yield client
