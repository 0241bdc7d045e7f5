from msgspec.structs import replace

from eaas.errors import NotFound, Unreachable
from eaas.views import ReasonView
from eaas_tui.app import ConsoleApp
from eaas_tui.screens.job_log import LogPane
from tests.rig.job_screen import RUNNING, JobApp, said, until_said
from tests.rig.logs_in_memory import LogsInMemory
from tests.rig.pilots import until
from tests.rig.pool import an_installation
from tests.rig.site import UNTIL_RELEASED, Site


async def test_the_log_is_not_asked_for_while_nobody_sees_it() -> None:
    client = LogsInMemory(RUNNING)
    client.write(b"one\n")
    app = JobApp(RUNNING, client, tab="Log")
    async with app.run_test(size=(80, 24)) as pilot:
        await until_said(pilot, "one")
        await pilot.press("1")
        await pilot.pause()
        client.write(b"two\n")
        await pilot.pause()
        asked = len(client.asked)
        client.write(b"three\n")
        await pilot.pause()
        assert len(client.asked) == asked

        await pilot.press("2")

        await until_said(pilot, "three")


async def test_attempts_and_streams_are_switched() -> None:
    job = replace(RUNNING, attempt=2)
    client = LogsInMemory(job)
    client.write(b"first run\n", attempt=1)
    client.write(b"second run\n", attempt=2)
    client.write(b"a warning\n", attempt=2, stream="stderr")
    app = JobApp(job, client, tab="Log")
    async with app.run_test(size=(80, 24)) as pilot:
        await until_said(pilot, "second run")
        assert "attempt 2 of 2" in said(app)
        await pilot.press("e", "e")
        await until_said(pilot, "LOG  stderr")
        await until_said(pilot, "a warning")
        assert "second run" not in said(app)
        await pilot.press("e", "left_parenthesis")
        await until_said(pilot, "first run")


async def test_the_log_of_a_job_that_waits_says_why_it_does() -> None:
    reason = ReasonView(code="too_few_free_cards", text="n1 has 0 free cards, 1 asked for")
    job = replace(RUNNING, state="Pending", attempt=0, started_at=None, cards=(), reason=reason)
    app = JobApp(job, LogsInMemory(job), tab="Log")
    async with app.run_test(size=(80, 24)) as pilot:
        await until_said(pilot, "nothing yet; it waits: n1 has 0 free cards, 1 asked for")


async def test_a_new_attempt_takes_over() -> None:
    client = LogsInMemory(RUNNING)
    client.write(b"first run\n", attempt=1)
    client.write(b"second run\n", attempt=2)
    app = JobApp(RUNNING, client, tab="Log")
    async with app.run_test(size=(80, 24)) as pilot:
        await until_said(pilot, "first run")
        app.picture = replace(app.picture, jobs={42: replace(RUNNING, attempt=2)})
        await until_said(pilot, "second run")


async def test_a_log_that_cannot_be_read_says_why() -> None:
    client = LogsInMemory(RUNNING)
    client.refusal = Unreachable("the controller does not answer")
    app = JobApp(RUNNING, client, tab="Log")
    async with app.run_test(size=(80, 24)) as pilot:
        await until_said(pilot, "the controller does not answer")


async def test_a_log_of_a_real_job_is_followed_until_it_ends() -> None:
    async with an_installation() as pool, pool.client() as client:
        pool.start_controller()
        await pool.add_agent("node-a", simulate="1x8GiB")
        site = Site(pool=pool, client=client, node="node-a", image=None)
        job = await site.submit(f"{UNTIL_RELEASED}; printf '\\033[32mthe last line\\033[0m\\n'")
        app = ConsoleApp(environ=pool.environ)
        async with app.run_test(size=(100, 30)) as pilot:
            await until_said(pilot, "live")
            app.open_job(job.id)
            await until_said(pilot, "1 Overview")
            await pilot.press("2")
            await until_said(pilot, "ready")

            site.release(await site.when(job, "Running"))

            await until_said(pilot, "the last line")
            await until_said(pilot, "Succeeded")


async def test_looking_away_and_back_at_once_goes_on_following() -> None:
    client = LogsInMemory(RUNNING)
    client.write(b"one\n")
    app = JobApp(RUNNING, client, tab="Log")
    async with app.run_test(size=(80, 24)) as pilot:
        await until_said(pilot, "one")
        pane = app.screen.query_one(LogPane)
        pane.stop()
        pane.start()
        client.write(b"two\n")
        await until_said(pilot, "two")


async def test_times_are_brought_for_what_is_in_sight_and_go_on_with_the_log() -> None:
    client = LogsInMemory(RUNNING)
    client.write(b"one\n")
    client.times = [(0, "2026-12-01T03:42:01Z"), (4, "2026-12-01T03:42:59Z")]
    app = JobApp(RUNNING, client, tab="Log")
    async with app.run_test(size=(80, 24)) as pilot:
        await until_said(pilot, "one")
        assert client.timed == []
        await pilot.press("t")
        await until_said(pilot, ":42:01 one")
        client.write(b"two\n")
        await until_said(pilot, ":42:59 two")
        assert client.timed == [(0, 4), (4, 4)]

        await pilot.press("t")

        await until(lambda: ":42:" not in said(app), pilot)


async def test_a_controller_that_tells_no_times_is_said_once() -> None:
    client = LogsInMemory(RUNNING)
    client.write(b"one\n")
    app = JobApp(RUNNING, client, tab="Log")
    async with app.run_test(size=(80, 24)) as pilot:
        await until_said(pilot, "one")
        client.refusal = NotFound("there is nothing at /times")
        await pilot.press("t")
        while not app.notices:
            await pilot.pause(0.02)
        assert "there is nothing at /times" in app.notices[0]
        assert "\none" in said(app).replace(" ", "")
