import asyncio

from eaas_agent.cancelled import heed_cancellation


async def go_on_after_errors(began: asyncio.Event) -> None:
    while True:
        try:
            async with asyncio.TaskGroup() as group:
                group.create_task(fail_when_cancelled(began))
        except* OSError:
            heed_cancellation()


async def fail_when_cancelled(began: asyncio.Event) -> None:
    try:
        began.set()
        await asyncio.Event().wait()
    finally:
        raise OSError("both connections broke at once")


async def test_a_cancellation_is_not_lost_to_a_childs_error() -> None:
    began = asyncio.Event()
    loop = asyncio.create_task(go_on_after_errors(began))
    await began.wait()

    loop.cancel()

    await asyncio.wait({loop}, timeout=5)
    assert loop.cancelled()


async def test_who_was_not_cancelled_goes_on() -> None:
    heed_cancellation()
