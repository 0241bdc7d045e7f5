import asyncio
import gc
import subprocess
import sys
import threading
from typing import Final

import pytest

from eaas_daemon.intake.own_thread import OwnThread

HANGING: Final = """
import asyncio, threading
from eaas_daemon.intake import own_thread

own_thread.LEAVE_AFTER_S = 0.01

async def main():
    thread, begun = own_thread.OwnThread(), asyncio.Event()
    loop = asyncio.get_running_loop()

    def hang():
        loop.call_soon_threadsafe(begun.set)
        threading.Event().wait()

    doing = asyncio.create_task(thread.do(hang))
    await begun.wait()
    doing.cancel()
    await asyncio.wait([doing])
    thread.close()

asyncio.run(main())
"""


async def test_work_is_done_one_piece_after_the_other_in_one_thread() -> None:
    thread = OwnThread()

    names = await asyncio.gather(*(thread.do(lambda: threading.get_ident()) for _ in range(20)))

    thread.close()
    assert len(set(names)) == 1
    assert names[0] != threading.get_ident()


async def test_what_is_raised_comes_to_the_caller() -> None:
    thread = OwnThread()

    with pytest.raises(ZeroDivisionError):
        await thread.do(divmod, 1, 0)
    assert await thread.do(divmod, 7, 2) == (3, 1)
    thread.close()


async def test_who_is_cancelled_goes_when_the_piece_is_done() -> None:
    thread, begun, may_end = OwnThread(), threading.Event(), threading.Event()
    ended: list[bool] = []

    def piece() -> None:
        begun.set()
        may_end.wait(10)
        ended.append(True)

    caller = asyncio.create_task(thread.do(piece))
    await asyncio.to_thread(begun.wait, 10)
    caller.cancel()
    await asyncio.sleep(0)
    assert not caller.done()
    may_end.set()

    await asyncio.wait([caller])
    thread.close()
    assert caller.cancelled()
    assert ended == [True]


async def test_what_goes_wrong_after_the_caller_was_cancelled_is_no_bug_to_log(
    caplog: pytest.LogCaptureFixture,
) -> None:
    thread, begun, may_end = OwnThread(), threading.Event(), threading.Event()

    def piece() -> None:
        begun.set()
        may_end.wait(10)
        raise OSError

    caller = asyncio.create_task(thread.do(piece))
    await asyncio.to_thread(begun.wait, 10)
    caller.cancel()
    await asyncio.sleep(0)
    may_end.set()
    await asyncio.wait([caller])
    await thread.do(int)
    thread.close()
    del caller
    await asyncio.sleep(0)
    gc.collect()

    assert "never retrieved" not in caplog.text


def test_a_piece_that_hangs_keeps_no_program_from_ending() -> None:
    took = subprocess.run([sys.executable, "-c", HANGING], timeout=60, check=False)

    assert took.returncode == 0
