import asyncio
import os
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Any

import msgspec
import pytest

from eaas_daemon.api.kernel_word import user_name
from tests.daemon.api.served import House, a_controller, a_house

NOBODY = 65534


@pytest.mark.skipif(
    os.geteuid() != 0 or shutil.which("curl") is None,
    reason="needs root, to become somebody else, and curl",
)
async def test_another_user_of_this_host_is_a_member_and_may_not_speak_for_a_node() -> None:
    with tempfile.TemporaryDirectory(prefix="eaas-") as folder:
        os.chmod(folder, 0o755)
        async with a_house(Path(folder)) as house, a_controller(house):
            view = await curl(house, "/api/v1/status")
            refused = await curl(house, "/agent/v1/link")

    assert (view["user"], view["role"]) == (user_name(NOBODY), "member")
    assert refused["code"] == "forbidden"


async def curl(house: House, path: str) -> Any:
    """Ask as nobody."""
    command = [
        "curl",
        "-sS",
        "--unix-socket",
        str(house.parts.home / "real.sock"),
        f"http://c{path}",
    ]
    done = await asyncio.to_thread(
        subprocess.run, command, user=NOBODY, capture_output=True, timeout=10, check=True
    )
    return msgspec.json.decode(done.stdout)
