import asyncio
from pathlib import Path

import pytest

from eaas_tui.screens.job_log import LogPane
from tests.rig.job_screen import RUNNING, WITHIN_S, JobApp, said, until_said
from tests.rig.logs_in_memory import LogsInMemory


async def test_the_log_is_followed_live_and_searched() -> None:
    client = LogsInMemory(RUNNING)
    client.write(b"".join(b"step %d\n" % number for number in range(100)))
    app = JobApp(RUNNING, client, tab="Log")
    async with app.run_test(size=(80, 24)) as pilot:
        await until_said(pilot, "step 99")
        client.write(b"\x1b[32mstep 100\x1b[0m\n")
        await until_said(pilot, "step 100")

        await pilot.press("slash", *"step 7", "enter")

        text = await until_said(pilot, "held")
        assert "step 79" in text
        await until_said(pilot, "hit 11 of 11")
        await pilot.press("N")
        await until_said(pilot, "line 73")
        await until_said(pilot, "hit 10 of 11")
        await pilot.press("f")
        await until_said(pilot, "follow")


async def test_escape_ends_the_search_first_and_is_left_to_others_then() -> None:
    client = LogsInMemory(RUNNING)
    client.write(b"".join(b"step %d\n" % number for number in range(100)))
    app = JobApp(RUNNING, client, tab="Log")
    async with app.run_test(size=(80, 24)) as pilot:
        await until_said(pilot, "step 99")
        pane = app.screen.query_one(LogPane)
        assert pane.check_action("end_search", ()) is False
        await pilot.press("slash", *"step 7", "enter")
        await until_said(pilot, "hit 11 of 11")
        assert pane.view.words == "step 7"

        await pilot.press("escape")
        await pilot.pause()

        assert "hit 11" not in said(app)
        assert "step 79" in said(app)
        assert (pane.view.words, pane.check_action("end_search", ())) == ("", False)


async def test_after_a_look_elsewhere_the_search_goes_on_from_there() -> None:
    client = LogsInMemory(RUNNING)
    client.write(b"".join(b"step %d\n" % number for number in range(100)))
    app = JobApp(RUNNING, client, tab="Log")
    async with app.run_test(size=(80, 24)) as pilot:
        await until_said(pilot, "step 99")
        await pilot.press("slash", *"step 9", "enter")
        await until_said(pilot, "held")

        await pilot.press("g")
        await until_said(pilot, "line 1 ")
        await pilot.press("n")

        await until_said(pilot, "line 4 ")
        await pilot.press("N")
        async with asyncio.timeout(WITHIN_S):
            while not app.notices:
                await pilot.pause(0.02)
        assert app.notices == ["no 'step 9' before this; n looks after it"]


async def test_the_log_is_copied_and_saved(tmp_path: Path) -> None:
    client = LogsInMemory(RUNNING)
    client.write(b"\x1b[31mone\x1b[0m\ntwo\n")
    client.finish()
    app = JobApp(RUNNING, client, tab="Log")
    async with app.run_test(size=(80, 24)) as pilot:
        await until_said(pilot, "two")
        await pilot.press("c", "C")
        async with asyncio.timeout(WITHIN_S):
            while len(app.copied) < 2:
                await pilot.pause(0.02)
        assert app.copied == ["one\ntwo\n"] * 2

        await pilot.press("S")
        await pilot.pause()
        await pilot.press("ctrl+u", *str(tmp_path / "a.log"), "enter")
        async with asyncio.timeout(WITHIN_S):
            while not any("Saved 17 B" in notice for notice in app.notices):
                await pilot.pause(0.02)
        assert app.notices[-1] == f"Saved 17 B to {tmp_path / 'a.log'}"
        assert (tmp_path / "a.log").read_bytes() == b"\x1b[31mone\x1b[0m\ntwo\n"


async def test_saving_proposes_a_name_and_tells_where_on_the_disk_that_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    client = LogsInMemory(RUNNING)
    client.write(b"one\n")
    client.finish()
    app = JobApp(RUNNING, client, tab="Log")
    async with app.run_test(size=(80, 24)) as pilot:
        await until_said(pilot, "one")
        await pilot.press("S", "enter")
        async with asyncio.timeout(WITHIN_S):
            while not app.notices:
                await pilot.pause(0.02)

    (written,) = tmp_path.glob("job-*.log")
    assert app.notices == [f"Saved 4 B to {written}"]
