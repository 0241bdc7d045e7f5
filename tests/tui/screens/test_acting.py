"""What the keys that act ask first, and what they refuse to begin."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, ClassVar

import pytest
from textual.binding import BindingType
from textual.pilot import Pilot

from eaas.client import Address, Client
from eaas.views import JobView
from eaas_tui.actions import Actions
from eaas_tui.keys import bindings_for
from eaas_tui.model.picture import Picture
from eaas_tui.screens.acting import (
    IS_LIVE,
    ActingScreen,
    CloneAsked,
    cancel_question,
    ended_since,
    line_of,
    lines_of,
)
from eaas_tui.screens.base import PictureApp
from eaas_tui.screens.confirm import AskNumber, Confirm, PickQueue, TypeToConfirm
from tests.rig.pictures import a_picture, a_queue
from tests.rig.pilots import screen_lines, until
from tests.rig.stand_in import StandIn, a_job, serving
from tests.rig.views import a_held_card


class Chosen(ActingScreen):
    """A screen on which these jobs are chosen."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings_for("jobs")]

    def __init__(self, jobs: list[JobView]) -> None:
        super().__init__()
        self._jobs = jobs

    def chosen_jobs(self) -> list[JobView]:
        return self._jobs


class ActingApp(PictureApp):
    def __init__(self, jobs: list[JobView], picture: Picture, client: Client) -> None:
        super().__init__()
        self.jobs = jobs
        self.actions = Actions(
            client=lambda: client,
            picture=lambda: self.picture,
            start=self.run_worker,
            notify=self.notify,
        )
        self.told: list[str] = []
        self.opened: list[int] = []
        self.cloned: list[int] = []
        self.set_reactive(PictureApp.picture, picture)

    def on_mount(self) -> None:
        self.push_screen(Chosen(self.jobs))

    def notify(self, message: str, **_: Any) -> None:
        self.told.append(message)

    def open_job(self, id: int, tab: str = "Overview") -> None:
        self.opened.append(id)

    def on_clone_asked(self, event: CloneAsked) -> None:
        self.cloned.append(event.job)


class Desk:
    """Where the controller stands in: what was asked of it."""

    def __init__(self, stand_in: StandIn, client: Client) -> None:
        self.stand_in = stand_in
        self.client = client

    async def asked(self, pilot: Pilot[None], times: int) -> list[tuple[str, Any]]:
        """Return what was asked once it is so many requests, and all of them are answered."""
        workers = pilot.app.workers
        await until(lambda: len(self.stand_in.asked) >= times and not list(workers), pilot)
        return [
            (f"{asked.method} {asked.path.removeprefix('/api/v1/jobs/')}", asked.body)
            for asked in self.stand_in.asked
        ]

    @asynccontextmanager
    async def chosen(self, *jobs: JobView) -> AsyncIterator[tuple[ActingApp, Pilot[None]]]:
        queues = {queue.ref: queue for queue in (a_queue("default"), a_queue("night"))}
        picture = a_picture(user="ada", queues=queues, jobs={job.id: job for job in jobs})
        app = ActingApp(list(jobs), picture, self.client)
        async with app.run_test(size=(80, 24)) as pilot:
            await pilot.pause()
            yield app, pilot


@pytest.fixture
async def desk(tmp_path: Path) -> AsyncIterator[Desk]:
    stand_in = StandIn()
    for id in (1, 2):
        for verb in ("cancel", "top", "retry"):
            stand_in.answers[f"POST /api/v1/jobs/{id}/{verb}"] = a_job(id)
        stand_in.answers[f"PATCH /api/v1/jobs/{id}"] = a_job(id)
    socket = tmp_path / "c.sock"
    async with serving(stand_in, socket), Client(Address(socket=socket)) as client:
        yield Desk(stand_in, client)


async def test_cancel_asks_and_leaves_out_what_has_ended(desk: Desk) -> None:
    async with desk.chosen(a_job(1, "Running", node="n1"), a_job(2, "Failed")) as (app, pilot):
        await pilot.press("x")
        assert isinstance(app.screen, Confirm)
        await pilot.press("shift+tab", *"30s", "enter", "y")

        assert await desk.asked(pilot, 1) == [("POST 1/cancel", {"grace_s": 30.0})]


async def test_a_job_that_waits_gets_no_grace_to_ask_for(desk: Desk) -> None:
    async with desk.chosen(a_job(1)) as (app, pilot):
        await pilot.press("x")
        assert not app.screen.query("#grace")

        await pilot.press("escape")
        assert await desk.asked(pilot, 0) == []


async def test_a_question_says_that_its_job_has_ended_meanwhile(desk: Desk) -> None:
    async with desk.chosen(a_job(1, "Running", node="n1")) as (app, pilot):
        await pilot.press("x")
        app.picture = a_picture(jobs={1: a_job(1, "Succeeded")})

        await until(
            lambda: "job 1 has ended meanwhile: Succeeded" in "\n".join(screen_lines(app)), pilot
        )


def test_a_question_about_several_jobs_counts_those_that_have_ended() -> None:
    jobs = [a_job(1), a_job(2), a_job(3)]
    picture = a_picture(jobs={1: a_job(1), 2: a_job(2, "Failed"), 3: a_job(3, "Cancelled")})

    assert ended_since(jobs, picture) == "2 of them have ended meanwhile"
    assert ended_since(jobs[:1], picture) is None


async def test_what_is_killed_at_once_has_its_number_typed_and_gets_no_grace(desk: Desk) -> None:
    jobs = (a_job(1, "Running", node="n1"), a_job(2, user="bob"))
    async with desk.chosen(*jobs) as (app, pilot):
        await pilot.press("X")
        assert isinstance(app.screen, TypeToConfirm)
        await pilot.press("y", "enter", "backspace", "1", "enter")

        assert await desk.asked(pilot, 1) == [("POST 1/cancel", {"grace_s": 0.0})]


async def test_what_waits_is_not_killed_but_cancelled(desk: Desk) -> None:
    async with desk.chosen(a_job(1)) as (app, pilot):
        await pilot.press("X")

        assert app.told == ["Nothing to kill: job 1 has not started; x cancels"]


def test_several_jobs_are_named_one_below_the_other_in_columns() -> None:
    jobs = [a_job(9, name="训练"), a_job(10, "Running", name="train", user="bo", node="n")]

    assert lines_of(jobs) == [
        "9   训练   of ada  Pending  default/default",
        "10  train  of bo   Running  n",
    ]
    assert lines_of([]) == []


def test_the_question_before_a_cancel_says_whose_jobs_they_are_and_what_grace_they_get() -> None:
    question = cancel_question([a_job(1, "Running", node="n", user="bob"), 77], "ada")

    assert question._title == "Cancel 2 jobs?"
    assert question._lines == ["It is not yours:", "1  of bob  Running  n", "77"]
    assert [field.placeholder for field in question.fields()] == [
        "grace: 10s, or type another, as 2m"
    ]
    assert not list(cancel_question([a_job(1)], "ada").fields())


async def test_keys_that_fit_no_chosen_job_say_so_and_ask_nothing(desk: Desk) -> None:
    async with desk.chosen(a_job(1, "Failed")) as (app, pilot):
        await pilot.press("x", "plus", "t")
        assert app.told == [
            "Nothing to cancel: job 1 has ended",
            "Nothing to reprioritise: job 1 has ended",
            "Nothing to put to the top: job 1 has ended",
        ]
        assert await desk.asked(pilot, 0) == []

    async with desk.chosen(a_job(1), a_job(2)) as (app, pilot):
        await pilot.press("r")
        assert app.told == [f"Nothing to retry: 2 jobs have not ended. {IS_LIVE}"]

    async with desk.chosen() as (app, pilot):
        await pilot.press("x")
        assert app.told == ["No job is selected"]


async def test_priorities_go_up_and_down_by_five_and_to_a_number(desk: Desk) -> None:
    async with desk.chosen(a_job(1), a_job(2)) as (app, pilot):
        await pilot.press("plus", "minus", "p")
        assert isinstance(app.screen, AskNumber)
        await pilot.press(*"-20", "enter")

        assert [(path, body["priority"]) for path, body in await desk.asked(pilot, 6)] == [
            *(("PATCH 1", 5), ("PATCH 2", 5)),
            *(("PATCH 1", 0), ("PATCH 2", 0)),
            *(("PATCH 1", -20), ("PATCH 2", -20)),
        ]


async def test_move_offers_the_other_queues(desk: Desk) -> None:
    async with desk.chosen(a_job(1)) as (app, pilot):
        await pilot.press("M")
        assert isinstance(app.screen, PickQueue)
        await pilot.press("enter")

        assert await desk.asked(pilot, 1) == [
            ("PATCH 1", {"priority": None, "queue": "default/night"})
        ]


async def test_what_runs_already_is_neither_moved_nor_put_to_the_top(desk: Desk) -> None:
    async with desk.chosen(a_job(1, "Running", node="n"), a_job(2)) as (app, pilot):
        await pilot.press("t")
        assert await desk.asked(pilot, 1) == [("POST 2/top", None)]

    async with desk.chosen(a_job(1, "Running", node="n")) as (app, pilot):
        await pilot.press("t", "M")
        assert app.told == [
            "Nothing to put to the top: job 1 waits no more",
            "Nothing to move: job 1 waits no more",
        ]


async def test_top_retry_log_and_clone_need_no_question(desk: Desk) -> None:
    async with desk.chosen(a_job(1)) as (app, pilot):
        await pilot.press("t", "l", "c")
        assert await desk.asked(pilot, 1) == [("POST 1/top", None)]
        assert (app.opened, app.cloned) == ([1], [1])

    async with desk.chosen(a_job(1, "Failed")) as (app, pilot):
        await pilot.press("r")
        assert (await desk.asked(pilot, 2))[1:] == [("POST 1/retry", None)]


def test_a_job_in_one_line_names_its_owner_and_its_cards() -> None:
    cards = (a_held_card(0), a_held_card(2))
    job = a_job(7, "Running", name="train", node="n1", cards=cards)

    assert line_of(job) == "7  train  of ada  Running  n1 card 0, 2"
