"""One console's feed through a hundred restarts of a real controller."""

import asyncio
import os
import random
import signal
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any, Final

import pytest
from msgspec.structs import replace

from eaas.client import Address, Client
from eaas.errors import EaasError
from eaas.lifecycle import ENDED
from eaas.wire.rest import SetQueue
from eaas_tui.feed import follow
from eaas_tui.model.picture import Picture
from eaas_tui.model.store import Store
from tests.rig.restarts import Restarts

RESTARTS: Final = 100
WARM: Final = 20
"""Restarts after which nothing may grow any more."""
PAGE_BYTES: Final = os.sysconf("SC_PAGE_SIZE")
POLITE: Final = 20
"""Every so many restarts the controller is asked to stop; else it is killed."""
MAY_GROW_MIB: Final = 4.0
IN_FLIGHT: Final = 3
"""Tasks and connections that are there at one look and not at the next."""


class Ear:
    """A store that follows the controller, and can be waited for."""

    def __init__(self, changed: asyncio.Event) -> None:
        self.store: Final = Store()
        self.changed: Final = changed
        """Set whenever this picture or another one has changed."""

    async def until(self, holds: Callable[[Picture], bool], what: str) -> None:
        """Return as soon as the picture is as wanted."""
        try:
            async with asyncio.timeout(20):
                while not holds(self.store.picture):
                    self.changed.clear()
                    await self.changed.wait()
        except TimeoutError:
            raise AssertionError(f"{what} did not come: {self.store.picture}") from None


@asynccontextmanager
async def listening(client: Client, changed: asyncio.Event) -> AsyncIterator[Ear]:
    """Follow the controller until the block ends, and knock again without much ado."""
    ear = Ear(changed)

    async def pause(seconds: float) -> None:
        await asyncio.sleep(min(seconds, 0.02))

    task = asyncio.create_task(follow(client, ear.store, changed.set, pause=pause))
    try:
        yield ear
    finally:
        task.cancel()
        await asyncio.wait([task])


@pytest.mark.timeout(300)  # a hundred starts take long on a machine that has other work
async def test_the_picture_is_right_after_each_of_a_hundred_restarts(tmp_path: Path) -> None:
    chance = random.Random(3)
    sizes = []
    with Restarts(tmp_path) as controller:
        address = Address(socket=controller.paths.socket)
        async with Client(address) as client, listening(client, asyncio.Event()) as ear:
            for count in range(RESTARTS):
                controller.start()
                await ear.until(lambda picture: picture.is_live, "the controller")
                for _ in range(2):
                    with suppress(EaasError):  # the picture may be a moment late
                        await something_happens(client, ear.store.picture, chance)
                is_polite = count % POLITE == 0
                await equals_a_fresh_one(client, ear, with_places=is_polite)
                sizes.append(what_it_holds())
                controller.end(signal.SIGTERM if is_polite else signal.SIGKILL)
                await ear.until(lambda picture: not picture.is_live, "the end")

    tasks, files, mib = zip(*sizes, strict=True)
    assert max(tasks[WARM:]) <= max(tasks[:WARM]) + IN_FLIGHT
    assert max(files[WARM:]) <= max(files[:WARM]) + IN_FLIGHT
    assert mib[-1] - mib[WARM] < MAY_GROW_MIB


async def something_happens(client: Client, picture: Picture, chance: random.Random) -> None:
    """Let a job come, go, move or be paused with its queue."""
    jobs = [id for id, job in picture.jobs.items() if job.state not in ENDED]
    pools = sorted(picture.pools)
    act = chance.choice(["submit", "submit", "cancel", "priority", "top", "pause", "pool"])
    if not pools or (act == "pool" and len(pools) < 5):
        await client.create_pool(f"pool-{len(pools)}")
    elif act == "submit" or not jobs:
        await client.submit({"command": "true", "pool": chance.choice(pools)})
    elif act == "cancel":
        await client.cancel(chance.choice(jobs))
    elif act == "priority":
        await client.patch(chance.choice(jobs), priority=chance.randint(-100, 100))
    elif act == "top":
        await client.top(chance.choice(jobs))
    else:
        queue = chance.choice(list(picture.queues.values()))
        await client.set_queue(queue.pool, queue.name, SetQueue(paused=not queue.paused))


async def equals_a_fresh_one(client: Client, ear: Ear, *, with_places: bool) -> None:
    """See that somebody who comes now has the same picture.

    Places in line are told once a second, so that only some restarts wait for them.
    """
    async with listening(client, ear.changed) as other:
        await other.until(lambda picture: picture.is_live, "a picture for a newcomer")
        await ear.until(
            lambda one: shown(one, with_places) == shown(other.store.picture, with_places),
            "the newcomer's picture",
        )


def shown(picture: Picture, with_places: bool) -> dict[str, Any]:
    """Return what all who look must see alike."""
    open_jobs = {id: job for id, job in picture.jobs.items() if job.state not in ENDED}
    late = {} if with_places else {"position": None, "reason": None}
    return {
        "seq": picture.seq,
        "pools": dict(picture.pools),
        "queues": dict(picture.queues),
        "jobs": {id: replace(job, run_s=None, **late) for id, job in open_jobs.items()},
        "last event": picture.events[-1:],
    }


def what_it_holds() -> tuple[int, int, float]:
    """Return this process's tasks, open files, and memory in MiB."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return len(asyncio.all_tasks()), len(os.listdir("/proc/self/fd")), pages * PAGE_BYTES / 2**20
