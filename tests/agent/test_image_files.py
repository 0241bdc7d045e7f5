import io
import subprocess
import sys
from pathlib import Path

import pytest
from aiodocker import Docker, DockerError

from eaas_agent.image_files import NoImages, load, save
from tests.rig.images import import_busybox

NAMES = ("eaas-test/bundled:1", "eaas-test/bundled:2")


@pytest.mark.docker
async def test_images_go_into_one_file_and_come_back_from_it(docker: Docker, engine: str) -> None:
    socket = Path(engine.removeprefix("unix://"))
    for name in NAMES:
        await import_busybox(docker, name)

    saved = await save(socket, written := io.BytesIO(), NAMES)
    for name in NAMES:
        await docker.images.delete(name, force=True)
    loaded = await load(socket, io.BytesIO(written.getvalue()))

    assert (saved, sorted(loaded)) == (list(NAMES), list(NAMES))
    for name in NAMES:
        await docker.images.inspect(name)
        await docker.images.delete(name, force=True)


@pytest.mark.docker
async def test_a_file_that_is_no_image_is_refused_in_the_engines_words(
    engine: str,
) -> None:
    with pytest.raises((NoImages, DockerError), match=r"tar|archive|EOF"):
        await load(Path(engine.removeprefix("unix://")), io.BytesIO(b"no tar"))


async def test_what_can_not_name_an_image_never_reaches_the_engine(tmp_path: Path) -> None:
    with pytest.raises(NoImages, match="can't name an image"):
        await save(tmp_path / "nobody.sock", io.BytesIO(), ["../containers/x"])


def test_a_machine_without_an_engine_is_told_so(tmp_path: Path) -> None:
    (tmp_path / "images.tar").touch()
    done = subprocess.run(
        [sys.executable, "-m", "eaas_agent.image_files", "load", str(tmp_path / "images.tar")],
        env={"DOCKER_HOST": f"unix://{tmp_path}/none.sock"},
        capture_output=True,
        text=True,
        timeout=60,
    )

    assert done.returncode == 1
    assert done.stderr == f"images: no engine answers at {tmp_path}/none.sock\n"
