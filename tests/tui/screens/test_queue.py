import pytest

from eaas_tui.screens.overview import OverviewScreen
from eaas_tui.screens.queue import QueueScreen
from eaas_tui.widgets.queue_list import QueueList
from tests.rig.pictures import a_picture, a_queue
from tests.rig.pilots import on_screen, screen_lines, until, widths

TWO = {
    "default/train": a_queue("train", priority=5, max_gpus=8),
    "default/default": a_queue(),
}


@pytest.mark.parametrize("size", [(20, 5), (80, 24), (120, 40), (200, 60)])
async def test_a_queue_has_a_page_of_its_own_at_every_size(size: tuple[int, int]) -> None:
    screen = QueueScreen("default/train")
    async with on_screen(screen, a_picture(queues=TWO), size=size) as (app, _):
        lines = screen_lines(app)

        assert widths(lines) == {size[0]}
        assert lines[1].startswith(" queue default/tr")
        assert lines[2].startswith(" priority")


async def test_the_angle_brackets_go_from_queue_to_queue() -> None:
    screen = QueueScreen("default/train")
    async with on_screen(screen, a_picture(queues=TWO)) as (app, pilot):
        await pilot.press("greater_than_sign")
        await until(lambda: "queue default/default" in screen_lines(app)[1], pilot)
        await pilot.press("greater_than_sign")
        await until(lambda: "queue default/train" in screen_lines(app)[1], pilot)
        assert screen.facts() == {"queue": "default/train"}


async def test_a_queue_that_was_deleted_says_so() -> None:
    async with on_screen(QueueScreen("default/gone"), a_picture(queues=TWO)) as (app, _):
        assert screen_lines(app)[1].startswith(" there is no queue default/gone any more")


async def test_enter_on_a_queue_of_the_overview_opens_it() -> None:
    async with on_screen(OverviewScreen(), a_picture(queues=TWO)) as (app, pilot):
        app.screen.query_one(QueueList).focus()
        await pilot.press("enter")
        await until(lambda: app.opened == ["default/train"], pilot)
