"""What is asked of the controller, in which order, and what the person is told."""

import asyncio
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Final, Literal

import pytest

from eaas.client import Address, Client
from eaas.errors import NotYours
from eaas.views import JobView
from eaas.wire.rest import SetQueue
from eaas_tui.actions import Actions, Severity
from eaas_tui.model.picture import EMPTY, Link, Picture
from tests.rig.pool import an_installation
from tests.rig.stand_in import StandIn, a_job, serving


class Desk:
    """Actions at a stand-in for the controller, and what they say."""

    def __init__(self, stand_in: StandIn, client: Client) -> None:
        self.stand_in: Final = stand_in
        self.said: Final[list[str]] = []
        self.about: Final[list[str]] = []
        self.picture = a_picture(a_job(1), a_job(2), a_job(3))
        self._client: Final = client
        self._started: Final[list[asyncio.Task[None]]] = []
        self.actions = self.actions_when()

    def actions_when(self, *, view_only: bool = False) -> Actions:
        return Actions(
            client=lambda: self._client,
            picture=lambda: self.picture,
            start=self._start,
            notify=self._notify,
            view_only=view_only,
        )

    async def done(self) -> list[str]:
        """Wait until everything that was asked for is answered; return what was said."""
        await asyncio.gather(*self._started)
        return self.said

    def asked(self) -> list[tuple[str, Any]]:
        return [
            (f"{asked.method} {asked.path.removeprefix('/api/v1/')}", asked.body)
            for asked in self.stand_in.asked
        ]

    def _start(self, work: Coroutine[Any, Any, None]) -> None:
        self._started.append(asyncio.get_running_loop().create_task(work))

    def _notify(self, message: str, *, severity: Severity, markup: bool, about: str) -> None:
        assert not markup
        self.about.append(about)
        self.said.append(message if severity == "information" else f"{severity}: {message}")


def a_picture(*jobs: JobView, link: Literal["live", "away", "replay"] = "live") -> Picture:
    text = "connection refused" if link == "away" else None
    jobs_by_id = {job.id: job for job in jobs}
    return Picture(seq=1, link=Link(state=link, since=0.0, text=text), jobs=jobs_by_id)


@asynccontextmanager
async def a_desk(folder: Path) -> AsyncIterator[Desk]:
    stand_in = StandIn()
    for id in (1, 2, 3):
        job = f"/api/v1/jobs/{id}"
        stand_in.answers[f"POST {job}/cancel"] = a_job(id, "Cancelled")
        stand_in.answers[f"POST {job}/retry"] = a_job(id)
        stand_in.answers[f"POST {job}/top"] = a_job(id, position=1)
        stand_in.answers[f"POST {job}/keep"] = a_job(id, workspace="kept for 7d")
        stand_in.answers[f"PATCH {job}"] = a_job(id, priority=7, queue="night")
    socket = folder / "c.sock"
    async with serving(stand_in, socket), Client(Address(socket=socket)) as client:
        yield Desk(stand_in, client)


@pytest.fixture
async def desk(tmp_path: Path) -> AsyncIterator[Desk]:
    async with a_desk(tmp_path) as desk:
        yield desk


async def test_one_job_is_cancelled_with_grace_and_the_answer_is_shown(desk: Desk) -> None:
    desk.actions.cancel([2], grace_s=30.0)

    assert await desk.done() == ["job 2 is Cancelled"]
    assert desk.asked() == [("POST jobs/2/cancel", {"grace_s": 30.0})]


async def test_many_jobs_are_one_notice_with_counts_and_the_first_refusal(desk: Desk) -> None:
    desk.stand_in.answers["POST /api/v1/jobs/2/cancel"] = NotYours("job 2 belongs to \x1b]0;bob")

    desk.actions.cancel([1, 2, 3])

    assert await desk.done() == ["error: 2 of 3 jobs cancelled; refused 2: job 2 belongs to "]
    assert len(desk.asked()) == 3


async def test_of_many_refusals_the_first_jobs_are_named_and_the_others_counted(
    desk: Desk,
) -> None:
    for id in range(1, 21):
        answer = NotYours(f"job {id} belongs to bob") if id % 2 else a_job(id, "Cancelled")
        desk.stand_in.answers[f"POST /api/v1/jobs/{id}/cancel"] = answer

    desk.actions.cancel(range(1, 21))

    assert await desk.done() == [
        "error: 10 of 20 jobs cancelled; refused 1, 3, 5, 7, 9, 11, 13, 15 and 2 more: "
        "job 1 belongs to bob"
    ]


async def test_a_refusal_of_one_job_is_shown_as_the_controller_says_it(desk: Desk) -> None:
    desk.stand_in.answers["POST /api/v1/jobs/2/retry"] = NotYours("job 2 belongs to bob")

    desk.actions.retry([2])

    assert await desk.done() == ["error: job 2 belongs to bob"]


async def test_pressing_plus_quickly_adds_up_although_the_picture_is_older(desk: Desk) -> None:
    for _ in range(3):
        desk.actions.priority([1], by=5)
    await desk.done()
    desk.actions.priority([1], by=5)
    await desk.done()

    assert [body["priority"] for _, body in desk.asked()] == [5, 10, 15, 20]


async def test_what_is_said_of_the_same_deed_to_the_same_jobs_is_about_the_same(desk: Desk) -> None:
    desk.actions.priority([1], by=5)
    desk.actions.priority([1], by=5)
    desk.actions.priority([2], by=5)
    desk.actions.top([1])
    desk.actions.cancel([1, 2])
    desk.actions.cancel([2, 1])
    await desk.done()

    first, again, other, deed, some, the_same = desk.about
    assert (first, some) == (again, the_same)
    assert len({first, other, deed, some}) == 4


async def test_a_newer_picture_is_what_the_next_plus_builds_on(desk: Desk) -> None:
    desk.actions.priority([1], by=5)
    await desk.done()
    desk.picture = a_picture(a_job(1, priority=50))
    desk.actions.priority([1], by=-5)
    await desk.done()

    assert [body["priority"] for _, body in desk.asked()] == [5, 45]


async def test_a_priority_stays_within_its_limits(desk: Desk) -> None:
    desk.picture = a_picture(a_job(1, priority=98), a_job(2, priority=10))

    desk.actions.priority([1, 2], by=5)

    assert await desk.done() == ["2 of 2 jobs given another priority"]
    assert sorted(body["priority"] for _, body in desk.asked()) == [15, 100]


async def test_the_first_of_many_is_put_to_the_top_last_so_that_it_goes_first(desk: Desk) -> None:
    desk.actions.top([1, 3])

    assert await desk.done() == ["2 of 2 jobs put to the top"]
    assert [path for path, _ in desk.asked()] == ["POST jobs/3/top", "POST jobs/1/top"]


async def test_wishes_are_carried_out_in_the_order_they_were_made(desk: Desk) -> None:
    desk.actions.move([1], "default/night")
    desk.actions.keep([1], for_s=60.0)
    desk.actions.retry([1])

    assert await desk.done() == [
        "job 1 is in default/night",
        "job 1 kept for 7d",
        "job 1 is Pending in default/default",
    ]


async def test_nothing_is_sent_while_the_controller_is_away(desk: Desk) -> None:
    desk.picture = a_picture(a_job(1), link="away")

    desk.actions.cancel([1])
    desk.actions.priority([1], by=5)
    desk.actions.drain("n1")

    why = "the controller does not answer (connection refused); try again when it does"
    assert await desk.done() == [f"warning: Not done: {why}"] * 3
    assert desk.asked() == []


async def test_a_console_that_only_looks_and_a_recording_refuse(desk: Desk) -> None:
    desk.actions_when(view_only=True).retry([1])
    desk.picture = a_picture(link="replay")
    desk.actions.retry([1])

    assert [text[:33] for text in await desk.done()] == [
        "warning: Not done: this console o",
        "warning: Not done: this is a reco",
    ]


async def test_no_job_is_said_and_not_sent(desk: Desk) -> None:
    desk.actions.cancel([])

    assert await desk.done() == ["warning: No job is selected"]


async def test_before_the_first_connection_nothing_can_be_asked(desk: Desk) -> None:
    desk.picture = EMPTY

    assert desk.actions.refusal() == "the controller does not answer; try again when it does"


async def test_the_real_controller_understands_every_wish_and_its_answers_are_told() -> None:
    async with an_installation() as installation:
        installation.start_controller()
        async with installation.client() as client:
            await client.create_pool("default")
            await client.create_queue("default", "night", SetQueue())
            ids = [(await client.submit({"command": "true"})).id for _ in range(2)]
            desk = Desk(StandIn(), client)
            desk.picture = a_picture(*[await client.job(id) for id in ids])
            actions = desk.actions
            actions.priority([ids[0]], by=5)
            actions.top([ids[1]])
            actions.move([ids[0]], "default/night")
            actions.pause_queue("default/night")
            actions.pause_queue("default/night", paused=False)
            actions.cancel(ids, grace_s=1.0)
            actions.retry([ids[1]])
            actions.drain("nowhere")
            actions.cancel_booking(7)

            assert await desk.done() == [
                "job 1 has priority 5",
                "job 2 is number 1 in line",
                "job 1 is in default/night",
                "queue default/night is paused",
                "queue default/night is open",
                "2 of 2 jobs cancelled",
                "job 2 is Pending in default/default",
                "error: there is no node nowhere",
                "error: there is no booking 7; mini-eaas book list shows them",
            ]
