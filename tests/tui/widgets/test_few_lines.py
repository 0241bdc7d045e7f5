from eaas_tui.widgets.few_lines import FewLines
from tests.rig.pilots import OneWidget, screen_lines


async def test_what_has_no_room_ends_in_a_mark_and_comes_back_with_the_room() -> None:
    words = "would wait behind 3 jobs, about 2h"
    shown = FewLines()
    shown.styles.max_height = 1
    app = OneWidget(shown)
    async with app.run_test(size=(20, 3)) as pilot:
        shown.say(words)
        await pilot.pause()
        assert screen_lines(app)[0].rstrip() == "would wait behind 3~"

        await pilot.resize_terminal(60, 3)
        await pilot.pause()
        assert screen_lines(app)[0].rstrip() == words
