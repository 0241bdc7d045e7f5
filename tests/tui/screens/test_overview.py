"""The pool at one glance, at every size, and what can be done from there."""

import asyncio
from pathlib import Path

import pytest
from msgspec.structs import replace

from eaas.client import Address, Client
from eaas_tui.model.grid import Spot
from eaas_tui.model.picture import EMPTY, Picture
from eaas_tui.screens.overview import OverviewScreen
from eaas_tui.widgets.card_grid import CardGrid
from eaas_tui.widgets.text_lines import TextLines
from tests.rig.pictures import (
    a_big_picture,
    a_card,
    a_held_card,
    a_job,
    a_node,
    a_picture,
    a_queue,
    an_event,
)
from tests.rig.pilots import on_screen, screen_lines, until, widths
from tests.rig.stand_in import StandIn, serving

SIZES = [(20, 5), (80, 24), (120, 40), (200, 60)]
JOBS = (
    a_job(42, name="训练-多模态-10", state="Running", started_at="2025-06-01T10:00:00Z", node="a"),
    a_job(43, name="x" * 300, position=1),
    a_job(44, state="Failed", finished_at="2025-06-01T10:10:00Z", exit_code=137),
)
PICTURE = a_picture(
    a_node("a", a_held_card(0, job=42), a_card(1), jobs=(42,)),
    a_node("训练机器一号", a_card(0), a_card(1, state="dirty")),
    jobs={job.id: job for job in JOBS},
    queues={queue.ref: queue for queue in (a_queue("prod", priority=9), a_queue("dev"))},
    events=(an_event(1, "node.joined", "a joined", node="a"),
            an_event(2, "job.failed", "job 44 is Failed: exit code 137", job=44)),
)  # fmt: skip


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("picture", [PICTURE, a_big_picture(100, 8), a_picture(), EMPTY])
async def test_it_fills_the_screen_at_every_size(size: tuple[int, int], picture: Picture) -> None:
    async with on_screen(OverviewScreen(), picture, size=size) as (app, pilot):
        assert widths(screen_lines(app)) == {size[0]}

        await pilot.resize_terminal(20, 5)
        await pilot.resize_terminal(*size)
        await until(lambda: widths(screen_lines(app)) == {size[0]}, pilot)


async def test_a_hundred_nodes_keep_the_height_that_they_were_first_given() -> None:
    picture = a_big_picture(100, 8)
    async with on_screen(OverviewScreen(), picture, size=(200, 60)) as (app, pilot):
        grid = app.screen.query_one(CardGrid)
        async with asyncio.timeout(20):
            while grid.size.height != grid.lines_needed(picture, 27):
                await pilot.pause()
        first = grid.size.height
        app.screen.draw(picture)  # type: ignore[attr-defined]
        await pilot.pause()

        assert grid.size.height == first == grid.lines_needed(picture, 27)


@pytest.mark.parametrize("size", SIZES[1:])
async def test_nodes_queues_jobs_and_events_are_seen_at_once(size: tuple[int, int]) -> None:
    async with on_screen(OverviewScreen(), PICTURE, size=size) as (app, _):
        text = "\n".join(screen_lines(app))

        seen = ("训练机器一号", "D dirty", "prod", "训练-", "Failed 137", "job 44 is Failed")
        assert [words for words in seen if words not in text] == []


async def test_what_waits_is_seen_below_what_runs_though_much_has_failed() -> None:
    ran = [a_job(id, state="Running", started_at="2025-06-01T10:00:00Z") for id in range(3)]
    failed = [a_job(id, state="Failed", finished_at="2025-06-01T10:10:00Z") for id in range(3, 9)]
    waiting = [a_job(id, position=id) for id in range(10, 16)]
    jobs = {job.id: job for job in (*ran, *failed, *waiting)}
    shown = on_screen(OverviewScreen(), replace(PICTURE, jobs=jobs), size=(80, 24))
    async with shown as (app, pilot), asyncio.timeout(20):
        while "Failed " not in (text := "\n".join(screen_lines(app))):
            await pilot.pause()

        assert text.count("Running") == 3
        assert text.count("Pending") >= 2
        assert text.index("Running") < text.index("Pending") < text.index("Failed ")


async def test_the_selected_job_stands_beside_the_list_on_a_wide_screen() -> None:
    async with on_screen(OverviewScreen(), PICTURE, size=(200, 60)) as (app, pilot):
        about = app.screen.query_one("#preview-facts", TextLines)
        await pilot.press("tab", "tab", "j")
        async with asyncio.timeout(20):
            while "43" not in about.text():
                await pilot.pause()

        assert about.region.width > 50


async def test_a_new_installation_says_what_to_type_next() -> None:
    async with on_screen(OverviewScreen(), a_picture(), size=(80, 24)) as (app, _):
        text = "\n".join(screen_lines(app))

        wanted = ("mini-eaas up", "mini-eaas pool add", "mini-eaas job submit")
        assert [words for words in wanted if words not in text] == []


async def test_enter_opens_the_node_the_job_or_what_the_event_is_about() -> None:
    async with on_screen(OverviewScreen(), PICTURE) as (app, pilot):
        await pilot.press("enter", "tab", "tab", "enter", "tab", "enter")

        assert app.opened == ["a", 42, 44]


async def test_keys_about_jobs_act_on_the_job_that_holds_the_card() -> None:
    async with on_screen(OverviewScreen(), PICTURE) as (app, pilot):
        app.screen.query_one(CardGrid).select(Spot("default", "a", "GPU-a-0"))
        on_card = app.screen.facts()["jobs"]  # type: ignore[attr-defined]
        await pilot.press("tab", "tab", "j")
        in_list = app.screen.facts()["jobs"]  # type: ignore[attr-defined]

        assert (on_card, in_list) == ([42], [43])


async def test_only_my_jobs_on_demand() -> None:
    bobs = {**PICTURE.jobs, 45: a_job(45, user="bob", name="bobs-job", position=2)}
    async with on_screen(OverviewScreen(), replace(PICTURE, jobs=bobs)) as (app, pilot):
        before = "bobs-job" in "\n".join(screen_lines(app))
        await pilot.press("a")

        assert (before, "bobs-job" in "\n".join(screen_lines(app))) == (True, False)


async def test_what_is_old_cannot_be_acted_on_and_says_why(tmp_path: Path) -> None:
    away = replace(PICTURE, link=replace(PICTURE.link, state="away", text="connection refused"))
    async with on_screen(OverviewScreen(), away) as (app, pilot):
        await pilot.press("D")

        assert "connection refused" in app.told[0]


async def test_a_queue_is_paused_after_a_yes_and_the_answer_is_shown(tmp_path: Path) -> None:
    stand_in = StandIn()
    stand_in.answers["PATCH /api/v1/pools/default/queues/prod"] = a_queue("prod", paused=True)
    socket = tmp_path / "c"
    async with (
        serving(stand_in, socket),
        Client(Address(socket=socket)) as client,
        on_screen(OverviewScreen(), PICTURE, client=client) as (app, pilot),
    ):
        await pilot.press("Z", "enter")
        assert stand_in.asked == []
        await pilot.press("Z", "y")
        async with asyncio.timeout(20.0):
            while not app.told:
                await pilot.pause(0.01)

        assert [(asked.method, asked.body) for asked in stand_in.asked] == [
            ("PATCH", {"paused": True})
        ]
        assert app.told == ["queue default/prod is paused"]
