import pytest

from eaas_tui.screens.events import EventsScreen
from eaas_tui.screens.overview import OverviewScreen
from tests.rig.pictures import a_picture, an_event
from tests.rig.pilots import on_screen, screen_lines, until, widths


@pytest.mark.parametrize("size", [(20, 5), (80, 24), (120, 40), (200, 60)])
async def test_events_have_a_screen_of_their_own(size: tuple[int, int]) -> None:
    events = tuple(an_event(seq, "job.failed", f"作业 {seq} 失败") for seq in range(100))
    async with on_screen(EventsScreen(), a_picture(events=events), size=size) as (app, _):
        lines = screen_lines(app)

        assert widths(lines) == {size[0]}
        assert lines[-2].startswith(">")


async def test_events_fill_their_screen_after_the_overview_showed_a_few() -> None:
    events = tuple(an_event(seq, "job.failed", f"job {seq} failed") for seq in range(100))
    async with on_screen(OverviewScreen(), a_picture(events=events)) as (app, pilot):
        app.push_screen(EventsScreen())

        await until(lambda: sum(" failed" in line for line in screen_lines(app)) == 40 - 3, pilot)
