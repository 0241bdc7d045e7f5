from eaas_tui.widgets.log_view import LogView
from tests.rig.job_screen import RUNNING, JobApp, said, until_said
from tests.rig.logs_in_memory import LogsInMemory


async def test_the_logs_keys_work_from_every_tab_and_bring_it_into_sight() -> None:
    client = LogsInMemory(RUNNING)
    client.write(b"x" * 100 + b"the end\n")
    app = JobApp(RUNNING, client)
    async with app.run_test(size=(80, 24)) as pilot:
        await until_said(pilot, "WHY")

        await pilot.press("w")

        await until_said(pilot, "the end")
        assert "wrap" in said(app)
        assert app.screen.query_one(LogView).lines.wrap


async def test_the_end_is_let_go_and_followed_again_by_one_key() -> None:
    client = LogsInMemory(RUNNING)
    client.write(b"line\n" * 100)
    app = JobApp(RUNNING, client, tab="Log")
    async with app.run_test(size=(80, 24)) as pilot:
        await until_said(pilot, "line 8")
        await pilot.press("f")
        await until_said(pilot, "LOG  both  held")
        await pilot.press("f")
        await until_said(pilot, "LOG  both  follow")
