import asyncio
import time
from contextlib import suppress

from prometheus_client import Histogram

from eaas_daemon.metrics.loop_lag import LoopLag

HELD_S = 0.06


class Heard(Histogram):
    """A histogram that passes on what it is told."""

    def __init__(self) -> None:
        super().__init__("lag", "Lag", registry=None)
        self.told: asyncio.Queue[float] = asyncio.Queue()

    def observe(self, amount: float, exemplar: dict[str, str] | None = None) -> None:
        self.told.put_nowait(amount)


async def test_a_loop_that_was_held_up_is_seen_to_be_late_by_that_much() -> None:
    heard = Heard()
    watching = asyncio.create_task(LoopLag(heard, every_s=0.001).run())
    await asyncio.sleep(0)  # it wants to wake now

    time.sleep(HELD_S)  # noqa: ASYNC251
    async with asyncio.timeout(5):
        late_s = await heard.told.get()
    watching.cancel()
    with suppress(asyncio.CancelledError):
        await watching

    assert late_s >= HELD_S - 0.01
