from eaas_tui.screens.events import EventsScreen
from eaas_tui.screens.opening import glyphs_of
from tests.rig.pictures import a_node, a_picture, an_event
from tests.rig.pilots import on_screen

EVENTS = (
    an_event(1, "node.joined", node="n"),
    an_event(2, "node.removed", node="gone"),
    an_event(3, "job.failed", job=42, node="n"),
)


async def test_an_event_opens_its_job_or_its_node_if_they_are_still_there() -> None:
    async with on_screen(EventsScreen(), a_picture(a_node("n"), events=EVENTS)) as (app, pilot):
        await pilot.press("enter", "k", "enter", "k", "enter")

        assert app.opened == [42, "n"]


def test_an_app_without_signs_of_its_own_draws_with_the_usual_ones() -> None:
    assert glyphs_of(object()).name == "blocks"
