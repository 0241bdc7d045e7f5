"""Requests under way, and the word that no more are taken because the controller stops."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Final

from eaas.errors import Unavailable
from eaas_daemon.api.long_calls import LongCalls

STOPPING: Final = "the controller is stopping; try again in a moment"


class Traffic:
    """Counts the requests that are being answered and lets them finish before the end."""

    def __init__(self, long_calls: LongCalls) -> None:
        self._long_calls = long_calls
        self._under_way = 0
        self._quiet = asyncio.Event()
        self._quiet.set()
        self.is_closing = False

    @contextmanager
    def under_way(self) -> Iterator[None]:
        """Count the request for as long as the block runs; raise ``Unavailable`` at the end."""
        if self.is_closing:
            raise Unavailable(STOPPING)
        self._under_way += 1
        self._quiet.clear()
        try:
            yield
        finally:
            self._under_way -= 1
            if not self._under_way:
                self._quiet.set()

    async def close(self, *, within_s: float) -> None:
        """Take no more, end what would last, and wait for the rest, for so long at most."""
        self.is_closing = True
        self._long_calls.cut()
        with suppress(TimeoutError):
            async with asyncio.timeout(within_s):
                await self._quiet.wait()
