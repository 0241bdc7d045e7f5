"""Who is inside by which credential: when that ends, they have to leave."""

import asyncio
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final

from aiohttp import web

from eaas_daemon.core.changes import Changes
from eaas_daemon.core.effects import Effect, Expel

SAY_WHY_S: Final = 1.0
"""A link gets so long to take the reason, if one is sent."""
NOT_WELCOME: Final = 4401
"""What a websocket is closed with; applications have the numbers from 4000 on."""
EXPELLED: Final = web.RequestKey("expelled", bool)


class Guests:
    """Requests that are being answered, by the credential they came with."""

    def __init__(self) -> None:
        self._inside: dict[str, dict[asyncio.Task[Any], web.Request]] = {}

    @contextmanager
    def inside(self, request: web.Request, credential: str | None) -> Iterator[None]:
        """Let the request be ended with its credential, as long as the block runs."""
        task = asyncio.current_task()
        if credential is None or task is None:
            yield
            return
        self._inside.setdefault(credential, {})[task] = request
        try:
            yield
        finally:
            with_same = self._inside[credential]
            del with_same[task]
            if not with_same:
                del self._inside[credential]

    def __call__(self, changes: Changes, effects: Sequence[Effect]) -> None:
        """See to it that those leave whose credential has ended."""
        for effect in effects:
            if isinstance(effect, Expel):
                asyncio.get_running_loop().call_later(SAY_WHY_S, self._end, effect.credential)

    def start_over(self) -> None:
        """Nothing was told to anybody."""

    def _end(self, credential: str) -> None:
        for task, request in list(self._inside.get(credential, {}).items()):
            request[EXPELLED] = True
            task.cancel("its credential has ended")
