import asyncio
from typing import Any

from msgspec.structs import replace
from textual.pilot import Pilot

from eaas.errors import NotYours, Unreachable
from eaas.units import utc_text
from eaas.views import JobView
from eaas_tui.model.picture import Samples
from eaas_tui.screens.job_curves import ASK_EVERY_S
from tests.rig.job_screen import RUNNING, JobApp, said, until_said
from tests.rig.logs_in_memory import LogsInMemory
from tests.rig.runs import a_card_run, a_run
from tests.rig.views import AT, a_card, a_node, an_attempt

LIVE = replace(RUNNING, attempts=(an_attempt(),))
OVER = utc_text(AT)
ENDED = replace(LIVE, state="Succeeded", attempts=(an_attempt(finished_at=OVER),), finished_at=OVER)
SEEN = {"GPU-n1-0": Samples(every_s=5, utilization_pct=(10, 90), memory_pct=(50, 50))}


class ClockedApp(JobApp):
    """A job's screen at a time that a test sets."""

    now = AT

    @property
    def clock(self) -> Any:
        return lambda: self.now


def an_app(job: JobView, client: LogsInMemory) -> ClockedApp:
    return ClockedApp(job, client, tab="Curves")


def measured(app: ClockedApp, load_pct: int) -> None:
    """Let the job's card read this now; its samples are of a while ago."""
    node = a_node("n1", a_card(0, utilization_pct=load_pct))
    app.picture = replace(app.picture, nodes={"n1": node})


async def until_asked(pilot: Pilot[None], client: LogsInMemory, times: int) -> None:
    async with asyncio.timeout(10):
        while len(client.runs_asked) < times:
            await pilot.pause(0.02)


async def test_the_whole_run_is_shown_with_its_start_and_goes_on() -> None:
    client = LogsInMemory(LIVE)
    client.runs[1] = a_run(a_card_run(0, 10, 30))
    app = an_app(LIVE, client)
    async with app.run_test(size=(80, 24)) as pilot:
        measured(app, 33)
        await until_said(pilot, "card 0 util %  now 33 avg 20 max 35")
        assert "attempt 1 of 1 on n1; a point is 5s" in said(app)
        assert "10s" in said(app)

        client.runs[1] = a_run(a_card_run(0, 10, 30, 80))
        app.now += ASK_EVERY_S

        await until_said(pilot, "card 0 util %  now 33 avg 40 max 85")
        measured(app, 99)
        await until_said(pilot, "card 0 util %  now 99 avg 40 max 99")


async def test_the_run_of_an_ended_job_is_asked_for_once() -> None:
    client = LogsInMemory(ENDED)
    client.runs[1] = a_run(a_card_run(0, 10, 30))
    app = an_app(ENDED, client)
    async with app.run_test(size=(80, 24)) as pilot:
        await until_said(pilot, "card 0 utilisation %  avg 20 max 35")
        app.now += 100 * ASK_EVERY_S
        await pilot.press("1", "3", "1", "3")
        await pilot.pause()

    assert client.runs_asked == [1]


async def test_every_attempt_has_its_own_curves_one_key_away() -> None:
    job = replace(LIVE, attempt=2, attempts=(an_attempt(1), an_attempt(2)))
    client = LogsInMemory(job)
    client.runs = {n: a_run(a_card_run(0, 10 * n), attempt=n) for n in (1, 2)}
    async with an_app(job, client).run_test(size=(80, 24)) as pilot:
        await until_said(pilot, "attempt 2 of 2")
        await pilot.press("left_parenthesis")
        assert " avg 10 " in await until_said(pilot, "attempt 1 of 2")
        await pilot.press("right_parenthesis")
        assert " avg 20 " in await until_said(pilot, "attempt 2 of 2")


async def test_without_a_controllers_word_it_shows_what_was_seen_here_and_says_so() -> None:
    client = LogsInMemory(LIVE)
    app = an_app(LIVE, client)
    async with app.run_test(size=(80, 24)) as pilot:
        await until_said(pilot, "nothing was measured yet")

        measured(app, 70)
        app.picture = replace(app.picture, samples=SEEN)

        text = await until_said(pilot, "card 0 util %  now 70 avg 50")
        assert "only what this console saw: this controller keeps no samples" in text


async def test_in_a_replay_nobody_is_asked_and_what_was_seen_is_shown() -> None:
    app = an_app(LIVE, LogsInMemory(LIVE))
    app.client = None  # type: ignore[assignment]
    async with app.run_test(size=(80, 24)) as pilot:
        app.picture = replace(app.picture, samples=SEEN)

        text = await until_said(pilot, "only what this console saw")
        assert "card 0 mem" in text


async def test_a_refusal_is_told_and_silence_is_tried_again() -> None:
    class Away(LogsInMemory):
        error: Exception = Unreachable("no controller answers")

        async def job_samples(self, id: int, *, attempt: int | None = None) -> Any:
            self.runs_asked.append(attempt)
            raise self.error

    client = Away(ENDED)
    app = an_app(ENDED, client)
    async with app.run_test(size=(80, 24)) as pilot:
        await until_said(pilot, "no controller answers")
        assert client.runs_asked == [1]
        client.error = NotYours("job 42 belongs to alice")
        app.now += ASK_EVERY_S
        await until_said(pilot, "job 42 belongs to alice")
        app.now += 10 * ASK_EVERY_S
        await pilot.press("1", "3")
        await pilot.pause()

    assert client.runs_asked == [1, 1]


async def test_a_job_without_an_attempt_or_a_card_says_so() -> None:
    waiting = replace(LIVE, state="Pending", attempts=(), attempt=0, cards=())
    cardless = replace(LIVE, attempts=(an_attempt(cards=()),))
    never = replace(waiting, state="Cancelled")
    words = ("the job has not begun yet", "the job holds no card", "the job never ran")
    for job, sentence in zip((waiting, cardless, never), words, strict=True):
        async with an_app(job, LogsInMemory(job)).run_test(size=(80, 24)) as pilot:
            await until_said(pilot, sentence)
