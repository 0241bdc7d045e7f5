from msgspec.structs import replace

from tests.rig.job_screen import RUNNING, JobApp, said, until_said
from tests.rig.logs_in_memory import LogsInMemory
from tests.rig.pictures import a_job, an_event
from tests.rig.pilots import until


async def test_it_is_asked_again_why_a_job_waits_when_something_about_it_changed() -> None:
    client = LogsInMemory(a_job(42))
    app = JobApp(a_job(42), client)
    async with app.run_test(size=(80, 24)) as pilot:
        await until_said(pilot, "waits for 2 cards")
        asked = len(client.whys)

        app.picture = replace(app.picture, jobs={42: a_job(42, priority=5)})

        await until(lambda: len(client.whys) == asked + 1, pilot)
        await until(lambda: "prio 5" in said(app), pilot)


async def test_a_job_that_the_stream_no_longer_tells_of_is_asked_for() -> None:
    ended = a_job(42, state="Failed", exit_code=137, oom_killed=True, attempt=1)
    app = JobApp(ended, LogsInMemory(ended), known=False)
    async with app.run_test(size=(80, 24)) as pilot:
        text = await until_said(pilot, "Failed (exit 137)")
        assert "out of memory yes" in text


async def test_a_job_that_is_not_there_is_told_in_a_sentence() -> None:
    app = JobApp(a_job(42), LogsInMemory(None), known=False)
    async with app.run_test(size=(80, 24)) as pilot:
        await until_said(pilot, "there is no job 42")


async def test_what_the_stream_tells_of_the_job_is_added_to_its_journal() -> None:
    app = JobApp(RUNNING, LogsInMemory(RUNNING), tab="Events")
    async with app.run_test(size=(80, 24)) as pilot:
        await until_said(pilot, "job 42 was submitted by alice")
        news = (an_event(8, text="job 42 started", job=42), an_event(9, text="other", job=43))

        app.picture = replace(app.picture, events=news)

        text = await until_said(pilot, "job 42 started")
        assert "other" not in text
