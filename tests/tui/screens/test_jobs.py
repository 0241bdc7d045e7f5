"""All jobs as a person works with them: the selection stays, marks are named, nothing is blind."""

import asyncio
import random
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import msgspec
import pytest
from aiohttp import web
from textual import events
from textual.pilot import Pilot

from eaas.client import Address, Client
from eaas.views import JobView, Page, ReasonView
from eaas_tui.actions import Actions
from eaas_tui.model.picture import Link, Picture
from eaas_tui.screens import jobs as module
from eaas_tui.screens.base import PictureApp
from eaas_tui.screens.confirm import Confirm
from eaas_tui.screens.jobs import JobsScreen
from eaas_tui.widgets.job_preview import JobPreview
from eaas_tui.widgets.log_view import LogView
from eaas_tui.widgets.text_lines import TextLines
from tests.rig.pilots import until
from tests.rig.stand_in import StandIn, a_job, serving

NOW = 1_772_352_000.0
STATES = ("Running", "Pending", "Starting")


class JobsApp(PictureApp):
    """The jobs screen with a client, and what it asks the app to open."""

    def __init__(self, client: Client | None = None) -> None:
        super().__init__()
        self.client = client
        self.opened: list[int] = []
        self.told: list[str] = []
        self.actions = Actions(
            client=lambda: self.client,
            picture=lambda: self.picture,
            start=self.run_worker,
            notify=self.notify,
        )

    def clock(self) -> float:
        return NOW

    def on_mount(self) -> None:
        self.push_screen(JobsScreen())

    def open_job(self, id: int, tab: str = "Overview") -> None:
        self.opened.append(id)

    def notify(self, message: str, **_: Any) -> None:
        self.told.append(message)

    @property
    def jobs(self) -> JobsScreen:
        assert isinstance(self.screen, JobsScreen)
        return self.screen

    def show(self, *jobs: JobView, link: Link | None = None) -> None:
        live = Link(state="live", since=NOW)
        self.picture = Picture(
            seq=self.picture.seq + 1,
            link=link or live,
            user="ada",
            jobs={job.id: job for job in jobs},
        )


def many(count: int) -> list[JobView]:
    return [
        a_job(
            id,
            STATES[id % 3],
            name=f"train-{id}",
            user="ada" if id % 2 else "bob",
            position=id if STATES[id % 3] == "Pending" else None,
            reason=ReasonView(code="too_few_free_cards", text="needs 8, 5 free"),
        )
        for id in range(1, count + 1)
    ]


def lines(app: JobsApp) -> list[str]:
    rows = app.jobs.job_list
    return [rows.render_line(y).text.rstrip() for y in range(rows.size.height)]


def counts(app: JobsApp) -> str:
    return app.jobs.query_one("#jobs-counts", TextLines).text()


@asynccontextmanager
async def shown(
    *jobs: JobView, size: tuple[int, int] = (120, 40), client: Client | None = None
) -> AsyncIterator[tuple[JobsApp, Pilot[None]]]:
    app = JobsApp(client)
    async with app.run_test(size=size) as pilot:
        await pilot.pause()
        app.show(*jobs)
        await pilot.pause()
        yield app, pilot


@pytest.fixture
def stand_in() -> StandIn:
    return StandIn()


@pytest.fixture
async def client(stand_in: StandIn, tmp_path: Path) -> AsyncIterator[Client]:
    socket = tmp_path / "c.sock"
    async with serving(stand_in, socket), Client(Address(socket=socket)) as client:
        yield client


async def test_jobs_are_listed_with_state_reason_and_owner() -> None:
    async with shown(*many(3), size=(80, 24)) as (app, _):
        titles = "ID     NAME       USER       STATE         GPU    TIME  PRI WHY / ETA"
        assert lines(app)[0].split() == titles.split()
        assert lines(app)[1].startswith(">  2      train-2")
        assert "needs 8" in lines(app)[1]
        assert counts(app).startswith("JOBS 3 of 3  filter: (none)")


async def test_the_same_job_stays_selected_through_a_thousand_updates_even_as_it_ends() -> None:
    chance = random.Random(5)
    jobs = many(100)
    async with shown(*jobs) as (app, pilot):
        app.jobs.job_list.select(50)
        for turn in range(1000):
            state = "Succeeded" if turn == 500 else jobs[49].state
            jobs[49] = a_job(50, state, priority=turn % 100)
            app.show(jobs[49], *chance.sample(jobs, 40))
            await asyncio.sleep(0)
        await pilot.pause()

        assert app.jobs.job_list.selected == 50
        await until(
            lambda: any("Succeeded" in line for line in lines(app) if line.startswith(">")), pilot
        )


async def test_a_job_that_has_ended_goes_when_the_selection_leaves_it() -> None:
    async with shown(*many(3)) as (app, pilot):
        app.jobs.job_list.select(2)
        app.show(a_job(1, "Running"), a_job(2, "Failed"), a_job(3, "Running"))
        await until(lambda: len(app.jobs.job_list.rows) == 3, pilot)

        await pilot.press("k")
        app.show(a_job(1, "Running"), a_job(2, "Failed"), a_job(3, "Running", priority=1))

        await until(lambda: list(app.jobs.job_list.rows.keys) == [1, 3], pilot)


async def test_a_filter_is_followed_while_it_is_typed_and_q_is_a_letter_in_it() -> None:
    async with shown(*many(20), a_job(99, name="quick")) as (app, pilot):
        await pilot.press("slash", "q", "u")
        assert list(app.jobs.job_list.rows.keys) == [99]
        assert "filter: qu" in counts(app)

        await pilot.press("enter", "j")
        assert app.jobs.job_list.has_focus
        assert app.jobs.query_now.text == "qu"

        await pilot.press("escape")
        assert len(app.jobs.job_list.rows) == 21


async def test_in_a_very_long_list_a_filter_is_tried_when_it_is_typed_and_not_before(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "MANY", 10)
    monkeypatch.setattr(module, "TYPING_S", 60.0)
    async with shown(*many(20), a_job(99, name="quick")) as (app, pilot):
        await pilot.press("slash", "q", "u")
        assert len(app.jobs.job_list.rows) == 21

        await pilot.press("enter")
        assert list(app.jobs.job_list.rows.keys) == [99]

        monkeypatch.setattr(module, "TYPING_S", 0.01)
        await pilot.press("slash", "backspace", "backspace", "b")
        await until(lambda: app.jobs.query_now.text == "b", pilot)


async def test_a_filter_that_is_wrong_says_so_and_the_last_right_one_holds() -> None:
    async with shown(*many(20)) as (app, pilot):
        await pilot.press("slash", *"user:bob ~(")

        assert "is not a regular expression" in counts(app)
        assert len(app.jobs.job_list.rows) == 10


async def test_mine_states_and_ended_narrow_and_widen() -> None:
    async with shown(*many(9), a_job(10, "Failed"), size=(100, 20)) as (app, pilot):
        await pilot.press("a")
        assert "mine" in counts(app)
        assert {app.picture.jobs[id].user for id in app.jobs.job_list.rows.keys} == {"ada"}

        await pilot.press("escape", "F")
        assert "state:Pending" in counts(app)
        assert len(app.jobs.job_list.rows) == 3

        await pilot.press("escape", "f")
        assert 10 in app.jobs.job_list.rows.keys


async def test_the_past_comes_by_pages_when_the_end_is_near(
    stand_in: StandIn, client: Client
) -> None:
    async def answer(request: web.Request) -> web.Response:
        before = int(request.query.get("cursor", 1000))
        last = max(1, before - 200)
        items = [a_job(id, "Succeeded", name="old") for id in range(before - 1, last - 1, -1)]
        body = msgspec.json.encode(Page(items, str(last) if last > 1 else None))
        return web.Response(body=body, content_type="application/json")

    stand_in.answers["GET /api/v1/jobs"] = answer
    async with shown(a_job(2000, "Running"), size=(80, 24), client=client) as (app, pilot):
        await pilot.press("f")
        await until(lambda: len(app.jobs.job_list.rows) == 201, pilot)
        assert "200 of the past, more below" in counts(app)

        for wanted in (401, 601, 801, 1000):
            await pilot.press("G")
            await until(lambda: len(app.jobs.job_list.rows) >= wanted, pilot)  # noqa: B023

        assert len(stand_in.asked) == 5
        assert "JOBS 1 of 1" in counts(app)
        assert counts(app).endswith("999 of the past")


async def test_cancelling_many_asks_once_names_them_and_forgets_the_marks(
    stand_in: StandIn, client: Client
) -> None:
    for id in (1, 2, 3):
        stand_in.answers[f"POST /api/v1/jobs/{id}/cancel"] = a_job(id, "Cancelled")
    jobs = [a_job(id, "Running", name=f"train-{id}", user="bob", node="n1") for id in (1, 2, 3)]
    async with shown(*jobs, size=(80, 24), client=client) as (app, pilot):
        await pilot.press("space", "space", "x")
        question = app.screen
        assert isinstance(question, Confirm)
        text = str(question.query_one("#question-lines").render())
        assert text.splitlines() == [
            "2 of them are not yours:",
            "1  train-1  of bob  Running  n1",
            "2  train-2  of bob  Running  n1",
        ]

        await pilot.press("enter")
        assert (stand_in.asked, app.jobs.job_list.marked) == ([], [1, 2])

        await pilot.press("x", "y")
        await until(lambda: app.told, pilot)

        assert app.told == ["2 of 2 jobs cancelled"]
        assert [asked.path for asked in stand_in.asked] == [
            "/api/v1/jobs/1/cancel",
            "/api/v1/jobs/2/cancel",
        ]
        assert app.jobs.job_list.marked == []


async def test_plus_and_minus_change_the_priority_at_once(
    stand_in: StandIn, client: Client
) -> None:
    stand_in.answers["PATCH /api/v1/jobs/1"] = a_job(1, priority=5)
    async with shown(a_job(1), client=client) as (app, pilot):
        await pilot.press("plus")
        await until(lambda: app.told, pilot)

        assert app.told == ["job 1 has priority 5"]
        assert [asked.body["priority"] for asked in stand_in.asked] == [5]


async def test_nothing_can_be_done_while_the_controller_is_away(client: Client) -> None:
    async with shown(a_job(1, "Running"), client=client) as (app, pilot):
        app.show(a_job(1, "Running"), link=Link(state="away", since=NOW, text="cut"))
        await pilot.pause()
        await pilot.press("x", "plus", "t")

        assert isinstance(app.screen, JobsScreen)
        assert len(app.told) == 3
        assert app.told[0].startswith("Not done: the controller does not answer (cut)")
        assert app.jobs.job_list.has_class("-stale")


async def test_a_paste_never_acts(client: Client) -> None:
    async with shown(*many(5), client=client) as (app, pilot):
        app.post_message(events.Paste("x\ny\n*Xq+++"))
        await pilot.pause()

        assert isinstance(app.screen, JobsScreen)
        assert (app.told, app.opened, app.jobs.job_list.marked) == ([], [], [])


async def test_enter_opens_the_selected_job_and_a_header_sorts() -> None:
    async with shown(*many(5)) as (app, pilot):
        await pilot.click("#jobs-list", offset=(4, 0))
        assert list(app.jobs.job_list.rows.keys) == [1, 2, 3, 4, 5]
        await pilot.press("R")
        assert list(app.jobs.job_list.rows.keys) == [5, 4, 3, 2, 1]
        assert "sort: id v" in counts(app)

        await pilot.press("g", "enter")
        assert app.opened == [5]


async def test_the_preview_follows_the_selection_with_facts_and_the_end_of_the_log(
    stand_in: StandIn, client: Client
) -> None:
    stand_in.logs[1, 1, "both"] = b"step 1\nstep 2\n"
    async with shown(a_job(1, "Running", name="one"), a_job(2, name="two"), client=client) as (
        app,
        pilot,
    ):
        log = app.jobs.query_one("#preview-log", LogView)
        await until(lambda: log.pages.size, pilot)
        facts = app.jobs.query_one("#preview-facts", TextLines)
        assert facts.text().startswith("#1 one")
        assert log.render_line(1).text.strip() == "step 2"

        await pilot.press("j")
        await until(lambda: facts.text().startswith("#2 two"), pilot)
        assert log.pages.size == 0


async def test_a_selection_that_moves_tells_no_row_anew() -> None:
    async with shown(*many(50)) as (app, _):
        rows = app.jobs.job_list.rows
        before = [rows.row_of(id) for id in rows.keys[:30]]
        app.jobs.job_list.action_move(1)

        assert app.jobs.job_list.rows is rows
        assert all(rows.row_of(id) is row for id, row in zip(rows.keys, before, strict=False))


@pytest.mark.parametrize("size", [(20, 5), (80, 24), (120, 40), (200, 60)])
async def test_every_size_can_be_used(size: tuple[int, int]) -> None:
    async with shown(*many(50), size=size) as (app, pilot):
        await pilot.press("j", "space", "v", "j", "v", "w", "G", "g", "slash", "t", "enter")
        await pilot.pause()

        preview = app.jobs.query_one(JobPreview)
        assert preview.is_on_screen if size[0] >= 110 else not preview.display
        assert app.jobs.job_list.selected is not None


async def test_without_jobs_it_says_what_to_do_next() -> None:
    async with shown(size=(80, 24)) as (app, pilot):
        assert lines(app)[1] == "   No job waits or runs."

        app.show(*many(3))
        await pilot.press("slash", *"nothing", "enter")
        assert lines(app)[1] == "   No job matches."
