import asyncio

import pytest

from eaas.errors import Unavailable
from eaas_daemon.api.long_calls import LongCalls
from eaas_daemon.api.traffic import Traffic


async def test_what_is_under_way_ends_well_and_nothing_more_begins() -> None:
    traffic, leave, order = Traffic(LongCalls()), asyncio.Event(), list[str]()

    async def request() -> None:
        with traffic.under_way():
            await leave.wait()
            order.append("answered")

    async def close() -> None:
        await traffic.close(within_s=20)
        order.append("closed")

    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(request())
        await asyncio.sleep(0)
        tasks.create_task(close())
        await asyncio.sleep(0)
        with pytest.raises(Unavailable, match="is stopping"), traffic.under_way():
            pass
        leave.set()

    assert order == ["answered", "closed"]


async def test_what_would_last_is_cut_and_what_hangs_is_not_waited_for_for_ever() -> None:
    long_calls = LongCalls()
    traffic = Traffic(long_calls)

    async def stream() -> None:
        with traffic.under_way(), long_calls.noted():
            await asyncio.Event().wait()

    async def hang() -> None:
        with traffic.under_way():
            await asyncio.Event().wait()

    streaming, hanging = asyncio.create_task(stream()), asyncio.create_task(hang())
    await asyncio.sleep(0)
    await traffic.close(within_s=0.05)

    assert streaming.cancelled()
    assert not hanging.done()
    hanging.cancel()
