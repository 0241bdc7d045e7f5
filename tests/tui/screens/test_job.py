import pytest

from eaas_tui.screens.confirm import Confirm
from eaas_tui.screens.job import Tab
from tests.rig.job_screen import RUNNING, JobApp, said, until_said
from tests.rig.logs_in_memory import LogsInMemory
from tests.rig.pictures import a_job
from tests.rig.pilots import screen_lines, until


async def test_a_waiting_job_says_first_why_it_waits_and_what_would_help() -> None:
    app = JobApp(a_job(42), LogsInMemory(a_job(42)))
    async with app.run_test(size=(80, 24)) as pilot:
        text = await until_said(pilot, "waits for 2 cards")

        assert "DO   ask for one card" in text
        assert "#42 job-42  Pending" in text
        assert "uid-42" in text


async def test_the_tabs_are_chosen_by_number_and_by_brackets() -> None:
    app = JobApp(RUNNING, LogsInMemory(RUNNING))
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("5")
        text = await until_said(pilot, "[5 Spec]")
        assert "command: |" in text
        assert "  echo done" in text
        assert "memory" not in text
        await pilot.press("4")
        await until_said(pilot, "job 42 was submitted by alice")
        await pilot.press("right_square_bracket", "right_square_bracket")
        await until_said(pilot, "[1 Overview]")
        assert "kept for 7 days" in said(app)


async def test_the_footer_has_the_logs_keys_only_where_the_log_is_open() -> None:
    app = JobApp(RUNNING, LogsInMemory(RUNNING))
    async with app.run_test(size=(120, 24)) as pilot:
        await until_said(pilot, "[1 Overview]")
        before = screen_lines(app)[-1]
        await pilot.press("2")
        await until_said(pilot, "[2 Log]")
        await pilot.pause()
        on_log = screen_lines(app)[-1]

    assert "follow" not in before
    assert "x cancel" in before
    assert "f follow" in on_log


async def test_cancelling_asks_and_names_the_job_and_its_owner() -> None:
    app = JobApp(RUNNING, LogsInMemory(RUNNING))
    app.actions.refusal = lambda: None  # type: ignore[method-assign]
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("x")
        await until(lambda: isinstance(app.screen, Confirm), pilot)
        await until(lambda: "训练-a" in said(app), pilot)
        await until(lambda: "alice" in said(app), pilot)


@pytest.mark.parametrize("size", [(80, 24), (120, 40), (200, 60), (20, 5)])
@pytest.mark.parametrize("tab", ["Overview", "Log", "Curves", "Events", "Spec"])
async def test_every_tab_stands_at_every_size(size: tuple[int, int], tab: Tab) -> None:
    client = LogsInMemory(RUNNING)
    client.write("训练 \x1b[31mred\x1b[0m\x1b]0;title\x07\n".encode() * 90)
    app = JobApp(RUNNING, client, tab=tab)
    async with app.run_test(size=size) as pilot:
        await pilot.pause()
        await pilot.press("j", "G", "g", "w", "pagedown")
        await until(lambda: "\x1b" not in said(app), pilot)
        await until(lambda: all(len(line) <= size[0] for line in said(app).splitlines()), pilot)
