import asyncio
from typing import Final

import pytest
from aiohttp import web
from aiohttp.test_utils import make_mocked_request

from eaas_daemon.api.guests import EXPELLED, Guests
from eaas_daemon.core.changes import Changes
from eaas_daemon.core.effects import Expel

NOTHING: Final = Changes(seq=1, next_number=1)
SOON_S: Final = 5.0


class Guest:
    """A request that is being answered until it is ended."""

    def __init__(self, guests: Guests, credential: str | None) -> None:
        self.request: web.Request = make_mocked_request("GET", "/")
        self._guests, self._credential = guests, credential
        self._is_in = asyncio.Event()

    async def enter(self) -> asyncio.Task[None]:
        task = asyncio.create_task(self._stay())
        await self._is_in.wait()
        return task

    async def _stay(self) -> None:
        with self._guests.inside(self.request, self._credential):
            self._is_in.set()
            await asyncio.Event().wait()


async def test_who_came_by_the_token_that_ended_has_to_leave_and_nobody_else() -> None:
    guests = Guests()
    out, another, stays, known = (Guest(guests, by) for by in ("u1", "u1", "u2", None))
    tasks = [await guest.enter() for guest in (out, another, stays, known)]

    guests(NOTHING, (Expel(credential="u1"), Expel(credential="nobodys")))
    done, others = await asyncio.wait(tasks, timeout=SOON_S, return_when=asyncio.FIRST_COMPLETED)
    await asyncio.wait(tasks[:2], timeout=SOON_S)

    assert done <= set(tasks[:2])
    assert [task.cancelled() for task in tasks[:2]] == [True, True]
    assert {tasks[2], tasks[3]} <= others
    assert not tasks[2].done()
    assert [EXPELLED in guest.request for guest in (out, stays)] == [True, False]
    for task in tasks[2:]:
        task.cancel()


@pytest.mark.parametrize("credential", ["u1", None])
async def test_whoever_has_gone_is_not_remembered(credential: str | None) -> None:
    guests = Guests()
    task = await Guest(guests, credential).enter()
    inside = len(guests._inside)

    task.cancel()
    await asyncio.wait({task}, timeout=SOON_S)

    assert (inside, len(guests._inside)) == (0 if credential is None else 1, 0)
