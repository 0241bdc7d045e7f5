import asyncio
import os
import time
from pathlib import Path

import pytest

from eaas.service_notice import ServiceNotice
from tests.rig.service_manager import a_service_manager


@pytest.mark.parametrize("abstract", [False, True])
def test_a_service_says_when_it_is_ready_reloads_and_stops(tmp_path: Path, abstract: bool) -> None:
    with a_service_manager(tmp_path, abstract=abstract) as manager:
        environ = {**manager.environ(), "OTHER": "stays"}
        notice = ServiceNotice(environ)
        before = time.monotonic_ns() // 1000
        notice.reloading()
        notice.ready()
        notice.stopping()
        reloading = manager.hear() or {}

        assert environ == {"OTHER": "stays"}
        assert notice.watchdog_s is None
        assert reloading.pop("RELOADING") == "1"
        assert before <= int(reloading.pop("MONOTONIC_USEC")) <= time.monotonic_ns() // 1000
        assert manager.hear() == {"READY": "1"}
        assert (manager.hear() or {})["STOPPING"] == "1"


async def test_signs_of_life_come_until_work_stands_still_and_again_when_it_moves(
    tmp_path: Path,
) -> None:
    idle_s, words = 0.0, "1 job"
    with a_service_manager(tmp_path) as manager:
        notice = ServiceNotice(manager.environ(watchdog_s=0.1))
        living = asyncio.create_task(notice.live(lambda: idle_s, lambda: words))
        heard = [await asyncio.to_thread(manager.hear) for _ in range(3)]
        idle_s, words = 0.05, "2 jobs"
        stuck = await asyncio.to_thread(manager.hear_until, "STATUS")
        silence = await asyncio.to_thread(manager.hear, 0.15)
        idle_s = 0.0
        again = await asyncio.to_thread(manager.hear)
        living.cancel()

    assert heard == [{"STATUS": "1 job"}, {"WATCHDOG": "1"}, {"WATCHDOG": "1"}]
    assert stuck[-1] == {"STATUS": "2 jobs"}
    assert silence is None
    assert again == {"WATCHDOG": "1"}


async def test_without_a_manager_nothing_is_said_and_nothing_fails(tmp_path: Path) -> None:
    notice = ServiceNotice({})
    gone = ServiceNotice({"NOTIFY_SOCKET": str(tmp_path / "gone")})

    for each in (notice, gone):
        each.ready()
    await asyncio.wait_for(notice.live(lambda: 0.0, lambda: ""), 1)


def test_a_watchdog_that_is_meant_for_another_process_or_is_no_number_is_none() -> None:
    for whose, time_us, meant in (
        (str(os.getpid()), "2000000", 2.0),
        ("1", "2000000", None),
        ("", "soon", None),
        ("", "0", None),
    ):
        environ = {"WATCHDOG_PID": whose, "WATCHDOG_USEC": time_us}
        assert ServiceNotice(environ).watchdog_s == meant
        assert environ == {}
