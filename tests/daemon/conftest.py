"""What the tests of the controller's engine may ask for."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.daemon.shell import Shell


@pytest.fixture
async def shell(tmp_path: Path) -> AsyncIterator[Shell]:
    shell = Shell(tmp_path)
    await shell.start()
    try:
        yield shell
    finally:
        await shell.stop()
