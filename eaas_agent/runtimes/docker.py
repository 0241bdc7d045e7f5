"""Runs attempts as containers of a Docker engine (or Podman's API), one container each."""

import asyncio
import os
import time
from collections.abc import AsyncGenerator, Callable, Sequence
from pathlib import Path
from typing import Final

from aiodocker import DockerError
from msgspec import structs

from eaas_agent.runtimes.docker_config import NoWayToCards, create_payload, is_reference
from eaas_agent.runtimes.docker_end import wait_for_end
from eaas_agent.runtimes.docker_engine import Engine, EngineAway
from eaas_agent.runtimes.docker_facts import EngineFacts, no_host_network, notes_about
from eaas_agent.runtimes.docker_find import find_attempts
from eaas_agent.runtimes.docker_images import ImageFacts, ImageShelf
from eaas_agent.runtimes.docker_launch import ImageGone, launch
from eaas_agent.runtimes.docker_log import LogClocks, LogFollower
from eaas_agent.runtimes.docker_pull import PullPatience
from eaas_agent.runtimes.docker_stop import remove_container, stop_container
from eaas_agent.runtimes.mount_identity import as_submitter
from eaas_agent.runtimes.port import (
    AttemptKey,
    CachedImage,
    Confirm,
    Exit,
    Found,
    LogBytes,
    Phase,
    RunOrder,
    RuntimeState,
    Started,
    StartFailed,
    confirmed,
)
from eaas_agent.runtimes.workspace_access import parse_user, prepare_workspace


class DockerRuntime:
    """The ``Runtime`` port over one engine.

    ``agent_id`` goes into a label, so several agents on one engine never see each
    other's containers. ``network`` is the engine's name of one, None its default bridge;
    ``mirror`` is a registry from which Docker Hub's images come.
    """

    def __init__(
        self,
        socket_path: Path,
        agent_id: str,
        network: str | None = None,
        *,
        mirror: str | None = None,
        pids_limit: int = 8192,
        patience: PullPatience | None = None,
        clock: Callable[[], float] = time.time,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self._engine = Engine(socket_path)
        self.agent_id: Final = agent_id
        self._network = network
        self._pids_limit = pids_limit
        self._clock = clock
        self._clocks = LogClocks(clock, monotonic)
        self._shelf = ImageShelf(self._engine, patience or PullPatience(), monotonic, mirror)
        self._ended: set[str] = set()
        """Handles of attempts whose end was told, until they are removed."""

    async def probe(self) -> RuntimeState:
        """Return whether jobs can run now; never raises for an engine that is away or hangs."""
        try:
            facts = await self._engine.facts(fresh=True)
        except (EngineAway, DockerError) as error:
            return RuntimeState(kind="docker", engine=None, fault=str(error))
        return RuntimeState(
            kind="docker",
            engine=facts.name,
            notes=notes_about(facts),
            can_isolate_cards=facts.isolates_cards,
            no_host_network=no_host_network(facts),
        )

    async def start(
        self, order: RunOrder, progress: Callable[[Phase], None], confirm: Confirm = confirmed
    ) -> Started:
        """Start the attempt, or adopt it when it exists already; raise ``StartFailed`` otherwise.

        Cancelling the call stops a pull and leaves nothing of what the call made; a
        container that ran before is left alone.
        """
        if order.image is None:
            raise StartFailed("a container needs an image", code="image_missing", fault="user")
        if not is_reference(order.image):
            words = f"{order.image!r} can't name an image"
            raise StartFailed(words, code="image_bad_name", fault="user")
        try:
            try:
                return await self._start(order, order.image, progress, confirm)
            except ImageGone:
                self._shelf.forget(order.image, order.image_digest)
                return await self._start(order, order.image, progress, confirm)
        except ImageGone as error:
            words = f"image {order.image} vanished while the job was started"
            raise StartFailed(words, code="engine_error", fault="node") from error
        except NoWayToCards as error:
            raise StartFailed(error.sentence, code=error.code, fault="node") from error
        except (EngineAway, DockerError) as error:
            raise StartFailed(str(error), code="engine_error", fault="node") from error

    async def wait(self, key: AttemptKey, handle: str) -> Exit:
        """Return how it ended, at once if it has; waits through restarts of the engine."""
        end = await wait_for_end(self._engine, handle, self._clock)
        self._ended.add(handle)
        return end

    async def stop(self, key: AttemptKey, handle: str, grace_s: float) -> None:
        """Send TERM, wait the grace, then KILL; return a minute later if even that ends nothing."""
        await stop_container(self._engine, handle, grace_s)

    def log(
        self, key: AttemptKey, handle: str, *, stdout_from: int, stderr_from: int
    ) -> AsyncGenerator[LogBytes, None]:
        """Yield the log from these offsets on, live, until the end; leave it with ``aclosing``."""
        return LogFollower(
            self._engine,
            handle,
            stdout_from=stdout_from,
            stderr_from=stderr_from,
            clocks=self._clocks,
            is_over=handle in self._ended,
        ).pieces()

    async def find(self) -> Sequence[Found]:
        """List this agent's attempts in the engine; raise ``EngineAway`` if it is silent."""
        return await find_attempts(self._engine, self.agent_id)

    async def remove(self, key: AttemptKey, handle: str) -> None:
        """Forget an attempt and its log; nothing happens when it is gone already."""
        await remove_container(self._engine, handle)
        self._ended.discard(handle)

    async def images(self) -> Sequence[CachedImage]:
        """List the images that are on this node."""
        return await self._shelf.list()

    async def close(self) -> None:
        """Release connections. Attempts run on."""
        await self._engine.close()

    async def _start(
        self,
        order: RunOrder,
        image_name: str,
        progress: Callable[[Phase], None],
        confirm: Confirm,
    ) -> Started:
        facts = await self._engine.facts()
        order = await asyncio.to_thread(as_submitter, order, facts, my_uid=os.geteuid())
        image = await self._shelf.provide(image_name, order.image_digest, progress)
        payload = create_payload(
            order,
            facts,
            agent_id=self.agent_id,
            image=image.reference,
            network=self._network,
            pids_limit=self._pids_limit,
        )
        await _open_workspace(order, image, facts)
        await confirm()
        started = await launch(self._engine, order, payload, progress)
        return structs.replace(started, image_digest=image.digest)


async def _open_workspace(order: RunOrder, image: ImageFacts, facts: EngineFacts) -> None:
    uid, gid = parse_user(order.run_as or image.user)
    if facts.rootless and uid == 0:
        uid = os.geteuid()
    elif facts.rootless or facts.userns:
        uid = None
    try:
        await asyncio.to_thread(prepare_workspace, order.workspace, uid, gid)
    except OSError as error:
        words = f"the workspace {order.workspace} can't be made writable: {error.strerror}"
        raise StartFailed(words, code="workspace_bad", fault="node") from error
