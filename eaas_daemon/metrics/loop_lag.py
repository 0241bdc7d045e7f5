"""How late the event loop is: a task that wants to wake at a moment, and sees when it does."""

import asyncio
from typing import Final

from prometheus_client import Histogram

EVERY_S: Final = 0.25


class LoopLag:
    """Watches the loop it runs in."""

    def __init__(self, lag: Histogram, every_s: float = EVERY_S) -> None:
        self._lag = lag
        self._every_s = every_s

    async def run(self) -> None:
        """Watch until cancelled."""
        loop = asyncio.get_running_loop()
        while True:
            due = loop.time() + self._every_s
            await asyncio.sleep(self._every_s)
            self._lag.observe(max(0.0, loop.time() - due))
