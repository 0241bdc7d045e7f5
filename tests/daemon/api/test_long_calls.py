import asyncio

import pytest

from eaas_daemon.api.long_calls import LongCalls


async def test_a_cut_ends_what_lasts_and_nothing_else() -> None:
    calls = LongCalls()

    async def last(*, noted: bool) -> str:
        if not noted:
            await asyncio.sleep(0)
            return "done"
        with calls.noted():
            await asyncio.Event().wait()
        return "never"

    lasting = asyncio.ensure_future(last(noted=True))
    other = asyncio.ensure_future(last(noted=False))
    await asyncio.sleep(0)

    calls.cut()

    with pytest.raises(asyncio.CancelledError):
        await lasting
    assert await other == "done"
    calls.cut()
