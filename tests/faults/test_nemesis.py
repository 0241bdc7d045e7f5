"""Everything is killed with -9, again and again, while people submit, cancel and retry.

What really ran is told by the jobs themselves: each appends its start and its end to a file that
no part of the product knows of, and holds a lock of its own and one of each card it was given.
"""

import asyncio
import random
from collections import Counter
from collections.abc import Awaitable, Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Final, TypeVar

from eaas.client import Client
from eaas.errors import Conflict, Unavailable, Unreachable
from eaas.lifecycle import JobState
from eaas.views import JobView
from tests.rig.pool import Installation, an_installation

SEED: Final = 20_261
JOBS: Final = 700
SUBMITTERS: Final = 4
STEERERS: Final = 2
KILL_EVERY_S: Final = (0.5, 2.0)
LEAST_ROUNDS: Final = 4
SETTLED_WITHIN_S: Final = 60.0
NODES: Final = ("node-a", "node-b")

WITNESS: Final = """cd "$1"
exec 8>>"job.$EAAS_JOB_UID" && flock -n 8 || echo "overlap $EAAS_JOB_UID $EAAS_ATTEMPT" >>told
if [ -n "$EAAS_CARDS" ]; then
  exec 9>>"card.$EAAS_CARDS" && flock -n 9 || echo "card $EAAS_JOB_UID $EAAS_ATTEMPT" >>told
fi
echo "start $EAAS_JOB_UID $EAAS_ATTEMPT" >>told
sleep "$2"
echo "end $EAAS_JOB_UID $EAAS_ATTEMPT" >>told
"""

T = TypeVar("T")


async def insist(call: Callable[[], Awaitable[T]]) -> T:
    """Ask until a controller answers."""
    while True:
        try:
            return await call()
        except (Unreachable, Unavailable):
            await asyncio.sleep(0.05)  # nobody tells when a controller that was killed is back


class People:
    """Everybody who submits and steers; they remember what they were told."""

    def __init__(self, client: Client, folder: Path, rng: random.Random) -> None:
        self._client = client
        self._folder = folder
        self._rng = rng
        self._left = JOBS
        self.told: Final[dict[int, str]] = {}
        """Number and uid of each job that was accepted."""
        self.done = asyncio.Event()

    async def submit(self) -> None:
        """Submit one job after another, whatever breaks on the way."""
        client = self._client
        while self._left:
            self._left -= 1
            fields, key = self._fields(), f"nemesis-{self._left}"
            job = await insist(partial(client.submit, fields, idempotency_key=key))
            self.told[job.id] = job.uid

    async def steer(self) -> None:
        """Cancel, retry and reorder whatever comes to hand, until all is submitted."""
        while not self.done.is_set():
            if self.told:
                await self._steer(self._rng.choice(sorted(self.told)))
            await asyncio.sleep(self._rng.uniform(0, 0.03))

    async def _steer(self, id: int) -> None:
        verbs: tuple[Callable[[], Awaitable[object]], ...] = (
            lambda: self._client.cancel(id, grace_s=self._rng.choice((0, 1, None))),
            lambda: self._client.cancel(id, grace_s=0),
            lambda: self._client.retry(id),
            lambda: self._client.top(id),
            lambda: self._client.patch(id, priority=self._rng.randrange(-100, 101)),
        )
        verb = self._rng.choice(verbs)
        with suppress(Conflict):  # it ended, or it waits, just before we asked
            await insist(verb)

    def _fields(self) -> dict[str, object]:
        seconds = str(self._rng.choice((0, 0, 0, 0.02, 0.2)))
        return {
            "command": ["/bin/sh", "-c", WITNESS, "sh", str(self._folder), seconds],
            "gpus": int(self._rng.random() < 0.1),
            "cpus": 1,
        }


async def kill_again_and_again(pool: Installation, until: asyncio.Event, rng: random.Random) -> int:
    """Kill some or all programs, start them in any order, and so on; return how often.

    Goes on beyond ``until`` for ``LEAST_ROUNDS``: a fast machine has all submitted before that.
    """
    rounds = 0
    while not until.is_set() or rounds < LEAST_ROUNDS:
        await asyncio.sleep(rng.uniform(*KILL_EVERY_S))
        victims = rng.sample(("controller", *NODES), rng.randint(1, 3))
        for name in victims:
            (pool.controller if name == "controller" else pool.agents[name]).kill()
        rounds += 1
        async with asyncio.TaskGroup() as group:
            for name in victims:
                group.create_task(start_again(pool, name))
    return rounds


async def start_again(pool: Installation, name: str) -> None:
    if name == "controller":
        await asyncio.to_thread(pool.start_controller)
    else:
        await asyncio.to_thread(pool.start_agent, name)


async def all_jobs_once_settled(client: Client) -> list[JobView]:
    async with asyncio.timeout(SETTLED_WITHIN_S):
        await client.wait(*[job.id async for job in client.each_job()])
    return [job async for job in client.each_job(all=True)]


def wrongs(jobs: list[JobView], told: dict[int, str], lines: list[str]) -> list[str]:
    """Return everything that should never be, by the word of the jobs themselves."""
    counted = Counter(lines)
    wrong = [f"{line}, {times} times" for line, times in counted.items() if times > 1]
    wrong += [line for line in lines if line.startswith(("overlap", "card"))]
    known = {job.id: job.uid for job in jobs}
    wrong += [f"lost: {id} {uid}" for id, uid in told.items() if known.get(id) != uid]
    wrong += [f"nobody submitted {id}" for id in known.keys() - told.keys()]
    for job in jobs:
        for attempt in job.attempts:
            ended = counted[f"end {job.uid} {attempt.number}"]
            if attempt.state == JobState.SUCCEEDED and not ended:
                wrong.append(f"{job.id} never came to its end: {attempt}")
            if attempt.state not in (JobState.SUCCEEDED, JobState.CANCELLED):
                wrong.append(f"{job.id} neither succeeded nor was cancelled: {attempt}")
    return wrong


async def test_no_job_is_lost_or_runs_twice_whatever_is_killed(tmp_path: Path) -> None:
    rng = random.Random(SEED)
    async with an_installation() as pool:
        pool.start_controller()
        for name in NODES:
            await pool.add_agent(name, simulate="4x8GiB")
        async with pool.client() as client, asyncio.TaskGroup() as group:
            people = People(client, tmp_path, rng)
            killer = group.create_task(kill_again_and_again(pool, people.done, rng))
            for _ in range(STEERERS):
                group.create_task(people.steer())
            async with asyncio.TaskGroup() as submitters:
                for _ in range(SUBMITTERS):
                    submitters.create_task(people.submit())
            people.done.set()
        async with pool.client() as client:
            jobs = await all_jobs_once_settled(client)

    lines = (tmp_path / "told").read_text().splitlines()
    assert killer.result() >= LEAST_ROUNDS
    assert wrongs(jobs, people.told, lines) == []
