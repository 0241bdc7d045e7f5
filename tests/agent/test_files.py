import asyncio
import io
import os
import tarfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from eaas.client.address import Address
from eaas.wire.from_agent import FilesFailed
from eaas.wire.to_agent import SendFiles
from eaas_agent.dial import Dial
from eaas_agent.files import FileSender
from tests.rig.scripted_controller import ScriptedController, scripted_controller


class Bench:
    def __init__(self, controller: ScriptedController, sender: FileSender) -> None:
        self.controller = controller
        self.sender = sender
        self.failures: asyncio.Queue[FilesFailed] = asyncio.Queue()


@asynccontextmanager
async def a_bench(tmp_path: Path) -> AsyncIterator[Bench]:
    async with (
        scripted_controller(tmp_path / "c") as controller,
        Dial(Address(socket=tmp_path / "c")) as dial,
        asyncio.TaskGroup() as group,
    ):
        bench: list[Bench] = []
        sender = FileSender(
            dial,
            group=group,
            workspace=lambda uid: tmp_path / uid,
            say=lambda failure: bench[0].failures.put_nowait(failure),
        )
        bench.append(Bench(controller, sender))
        yield bench[0]


async def test_a_large_file_arrives(tmp_path: Path) -> None:
    content = os.urandom(700_000)
    (tmp_path / "job").mkdir()
    (tmp_path / "job" / "model.bin").write_bytes(content)
    async with a_bench(tmp_path) as bench:
        bench.sender.send(SendFiles(request="r", uid="job", path="model.bin"))
        await bench.controller.until(lambda: "r" in bench.controller.files)

        with tarfile.open(fileobj=io.BytesIO(bench.controller.files["r"])) as tar:
            file = tar.extractfile("model.bin")
            assert file is not None
            assert file.read() == content


async def test_what_cannot_be_sent_is_told(tmp_path: Path) -> None:
    (tmp_path / "job").mkdir()
    async with a_bench(tmp_path) as bench:
        bench.sender.send(SendFiles(request="r", uid="job", path="../x"))

        failure = await bench.failures.get()

        assert failure == FilesFailed(request="r", text="../x leads out of the workspace")


async def test_a_controller_that_goes_away_does_not_hold_the_thread(tmp_path: Path) -> None:
    (tmp_path / "job").mkdir()
    (tmp_path / "job" / "big").write_bytes(bytes(30_000_000))
    async with a_bench(tmp_path) as bench:
        await bench.controller.close()
        bench.sender.send(SendFiles(request="r", uid="job", path="big"))

        failure = await bench.failures.get()

        assert failure.text.startswith("the transfer broke")
