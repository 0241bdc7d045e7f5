import asyncio
import threading
from collections.abc import Iterator

import pytest

from eaas_agent.patience import NoAnswer, Patience


class Hanging:
    """A call that hangs until it is released."""

    def __init__(self) -> None:
        self.begun = threading.Event()
        self.release = threading.Event()
        self.calls = 0

    def __call__(self) -> str:
        self.calls += 1
        self.begun.set()
        self.release.wait()
        return "at last"


@pytest.fixture
def hanging() -> Iterator[Hanging]:
    hanging = Hanging()
    yield hanging
    hanging.release.set()


async def test_an_answer_in_time_is_returned_and_an_error_raised() -> None:
    patience = Patience(30.0)

    assert await patience.call("a", lambda: 7) == 7
    with pytest.raises(ZeroDivisionError):
        await patience.call("a", lambda: 1 // 0)


async def test_nobody_asks_again_while_a_call_hangs_and_others_go_on(hanging: Hanging) -> None:
    patience = Patience(0.01)

    for _ in range(3):
        with pytest.raises(NoAnswer):
            await patience.call("nas", hanging)

    assert await asyncio.to_thread(hanging.begun.wait, 30)
    assert hanging.calls == 1
    patience.wait_s = 30.0
    assert await patience.call("disk", lambda: 7) == 7


async def test_what_answers_late_is_asked_again(hanging: Hanging) -> None:
    patience = Patience(0.01)
    with pytest.raises(NoAnswer):
        await patience.call("nas", hanging)

    hanging.release.set()
    patience.wait_s = 30.0
    async with asyncio.timeout(30):
        while True:
            try:
                assert await patience.call("nas", lambda: 7) == 7
                return
            except NoAnswer:
                await asyncio.sleep(0.001)


async def test_whoever_gives_up_waiting_leaves_the_call_behind(hanging: Hanging) -> None:
    patience = Patience(30.0)
    asking = asyncio.create_task(patience.call("nas", hanging))
    assert await asyncio.to_thread(hanging.begun.wait, 30)

    asking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asking

    with pytest.raises(NoAnswer):
        await patience.call("nas", lambda: 7)
