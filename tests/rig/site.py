"""One node of a running pool, and what a test does with jobs on it."""

import asyncio
from typing import Any, Final

import msgspec
from aiodocker import Docker, DockerError

from eaas.client import Client
from eaas.ids import new_uid
from eaas.lifecycle import JobState
from eaas.views import JobView
from tests.rig.images import import_busybox
from tests.rig.pool import Installation

IMAGE: Final = "eaas-test/end-to-end:2"
WORKER_IMAGE: Final = "eaas-test/end-to-end-worker:2"
WITHIN_S: Final = 40.0


class Site(msgspec.Struct, frozen=True, kw_only=True):
    """One node of a pool, and how to run jobs on it."""

    pool: Installation
    client: Client
    node: str
    image: str | None

    def fields(self, command: str | list[str], **more: Any) -> dict[str, Any]:
        """Return a job for this node, in the job file's words."""
        image = {} if self.image is None else {"image": self.image}
        return {"command": command, "nodes": [self.node], **image, **more}

    def flags(self) -> list[str]:
        """Return the same as flags of ``job submit``."""
        return ["--node", self.node, *([] if self.image is None else ["--image", self.image])]

    async def submit(self, command: str | list[str], **more: Any) -> JobView:
        """Submit a job for this node."""
        return await self.client.submit(self.fields(command, **more))

    async def run(self, command: str | list[str], **more: Any) -> JobView:
        """Submit a job for this node and return it once it has ended."""
        return await self.end(await self.submit(command, **more))

    async def running(self, command: str | list[str], **more: Any) -> JobView:
        """Submit a job that says ``ready``, and return it once it has said so."""
        job = await self.submit(command, **more)
        async with asyncio.timeout(WITHIN_S):
            seen = b""
            async for piece in self.client.follow_log(job.id):
                seen += piece.data
                if b"ready\n" in seen:
                    return await self.when(job, JobState.RUNNING)
        raise AssertionError(f"it ended without a word: {await self.client.job(job.id)}")

    async def when(self, job: JobView, *states: str) -> JobView:
        """Return the job as soon as it is in one of the states."""
        async with asyncio.timeout(WITHIN_S):
            found = await self.client.until(job.id, lambda view: view.state in states)
        assert found.state in states, found
        return found

    async def end(self, job: JobView) -> JobView:
        """Return the job once it has ended."""
        async with asyncio.timeout(WITHIN_S):
            (ended,) = await self.client.wait(job.id)
        return ended

    async def log(self, job: JobView, *, attempt: int = 1, stream: Any = "stdout") -> bytes:
        """Return everything an attempt of an ended job wrote to a stream."""
        async with asyncio.timeout(WITHIN_S):
            pieces = self.client.follow_attempt(job.id, attempt, stream=stream)
            return b"".join([piece.data async for piece in pieces])

    async def pid(self, job: JobView) -> int:
        """Return a process of this host that ends with the running job, and not before it."""
        handle = job.attempts[-1].container_id
        assert handle is not None, job
        if self.image is None:
            return int(handle.partition(":")[0])
        async with Docker(self.pool.environ["DOCKER_HOST"]) as docker:
            container = await docker.containers.get(handle)
            return int(container["State"]["Pid"])

    @staticmethod
    def key() -> str:
        """Return an idempotency key that nobody has used."""
        return str(new_uid())

    def release(self, job: JobView) -> None:
        """Let a job that waits with ``UNTIL_RELEASED`` go on."""
        (self.pool.workspace(job) / "go").touch()


UNTIL_RELEASED: Final = "echo ready; until [ -e $EAAS_WORKSPACE/go ]; do sleep 0.05; done"
"""Shell words of a job that goes on when ``Site.release`` says so."""


async def provide_images(engine: str) -> None:
    """Import the images that are not there; never replace one that another test may use."""
    async with Docker(engine) as docker:
        for name, user in ((IMAGE, None), (WORKER_IMAGE, "1000:1000")):
            try:
                await docker.images.inspect(name)
            except DockerError:
                made = f"{name}-{new_uid()}"
                await import_busybox(docker, made, user=user)
                repository, _, tag = name.rpartition(":")
                await docker.images.tag(made, repository, tag=tag)
                await docker.images.delete(made)
