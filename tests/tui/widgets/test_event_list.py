import pytest

from eaas.views import EventView
from eaas_tui.widgets.event_list import EventList
from tests.rig.pictures import a_picture, an_event
from tests.rig.pilots import OneWidget, lines_of, widths


def events(count: int) -> tuple[EventView, ...]:
    return tuple(an_event(seq, "job.running", f"作业 {seq} is running") for seq in range(1, count))


@pytest.mark.parametrize("size", [(20, 5), (80, 24), (120, 40), (200, 60)])
async def test_the_newest_event_is_in_sight_at_the_end(size: tuple[int, int]) -> None:
    shown = EventList()
    async with OneWidget(shown).run_test(size=size):
        for count in (3, 40, 100):
            shown.draw(a_picture(events=events(count)))

        assert widths(lines_of(shown)) == {size[0]}
        assert shown.selected == 99
        assert "作业" in lines_of(shown)[-1]


async def test_a_person_who_went_up_stays_there_until_the_end_is_reached_again() -> None:
    shown = EventList()
    async with OneWidget(shown).run_test(size=(80, 10)) as pilot:
        shown.draw(a_picture(events=events(40)))
        await pilot.press("k", "k")
        shown.draw(a_picture(events=events(60)))
        stayed = shown.selected
        await pilot.press("G")
        shown.draw(a_picture(events=events(80)))

        assert (stayed, shown.selected) == (37, 79)
