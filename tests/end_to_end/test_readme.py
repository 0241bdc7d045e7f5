"""What the README shows is typed here, in a pool of the kind that the README builds."""

import asyncio
import os
import re
import shutil
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Final

import pytest

from tests.end_to_end.conftest import an_engine
from tests.rig.pool import Installation, an_installation
from tests.rig.site import WITHIN_S

README: Final = (Path(__file__).parents[2] / "README.md").read_text()
LOOK_EVERY_S: Final = 0.05

pytestmark = pytest.mark.skipif(
    None in (shutil.which("curl"), shutil.which("jq")), reason="the README uses curl and jq"
)


class Reader:
    """Somebody who types what the README shows, into one pool."""

    def __init__(self, pool: Installation, folder: Path, *, has_engine: bool) -> None:
        self.pool: Final = pool
        self.folder: Final = folder
        self._has_engine: Final = has_engine

    def blocks(self, section: str, language: str) -> list[str]:
        """Return the section's examples, without images where there is no engine."""
        (text,) = re.findall(rf"^## {section}\n(.*?)^## ", README, re.MULTILINE | re.DOTALL)
        found = re.findall(rf"^```{language}\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
        assert found, section
        if self._has_engine:
            return found
        image = r'"image": "mini-eaas/hello:1", |image: mini-eaas/hello:1\\n'
        return [re.sub(image, "", block) for block in found]

    def type(self, lines: str) -> str:
        """Type lines into a shell; see that all succeed and return what they printed."""
        path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
        done = subprocess.run(
            ["bash", "-e", "-c", lines.replace("curl ", "curl -fsS ")],
            env={**self.pool.environ, "PATH": path},
            cwd=self.folder,
            capture_output=True,
            text=True,
            timeout=WITHIN_S,
        )
        assert done.returncode == 0, f"{lines}\n{done.stdout}{done.stderr}"
        return done.stdout


@pytest.fixture
async def reader(tmp_path: Path) -> AsyncIterator[Reader]:
    """A reader with a pool of one node, as ``install.sh`` makes it: an engine's if one answers."""
    engine = an_engine()
    runtime = "process" if engine is None else "docker"
    async with an_installation(engine) as pool:
        pool.start_controller()
        await pool.add_agent("mine", runtime=runtime)
        yield Reader(pool, tmp_path, has_engine=engine is not None)


async def test_a_program_does_what_the_readme_says(reader: Reader) -> None:
    async with reader.pool.client() as client:
        address = (await client.status()).address
        (python,) = reader.blocks("From a program", "python")
        (reader.folder / "example.py").write_text(python)

        printed = await asyncio.to_thread(reader.type, f"{sys.executable} example.py")
        (shell,) = reader.blocks("From a program", "sh")
        shell = shell.replace("jobs/42", "jobs/1").replace("http://127.0.0.1:7470", str(address))
        await asyncio.to_thread(reader.type, shell)

        assert printed == "Succeeded 0\n"
        (ended,) = await client.wait(2)
        assert (ended.state, ended.exit_code) == ("Succeeded", 0)


async def test_the_watched_folder_does_what_the_readme_says(reader: Reader) -> None:
    inbox = reader.pool.paths.inbox
    status = inbox / "accepted" / "1-nap.yaml.status.yaml"
    shell, _ = reader.blocks("The watched folder", "sh")
    first, then, rest = shell.replace("42", "1").partition('ls "$INBOX/accepted"')
    inbox_is = shell.partition("\n")[0]

    await asyncio.to_thread(reader.type, first)
    await there(status)
    listed = await asyncio.to_thread(reader.type, f"{inbox_is}\n{then}{rest}")

    assert "1-nap.yaml.status.yaml" in listed
    async with reader.pool.client() as client:
        (ended,) = await client.wait(1)
    assert ended.state == "Cancelled"
    await there(inbox / "accepted" / "1-nap.yaml.log")
    assert (inbox / "accepted" / "1.cancel").exists()


async def there(path: Path) -> None:
    """Wait until the controller has written a file; it tells nobody of it."""
    async with asyncio.timeout(WITHIN_S):
        while not path.exists():  # noqa: ASYNC110
            await asyncio.sleep(LOOK_EVERY_S)
