import pytest
from textual.widgets._toast import Toast

from tests.rig.consoles import a_console
from tests.rig.pilots import screen_lines, until

TEXT = "there is no node yet: mini-eaas up starts one on this machine"


@pytest.mark.parametrize(
    ("size", "seen"),
    [
        ((20, 5), ["there is no ~"]),
        ((40, 12), ["there is no node yet: mini-eaas up", "starts one on this machine"]),
        ((80, 24), ["there is no node yet: mini-eaas up starts one on this", "machine"]),
    ],
)
async def test_a_notice_fits_into_its_terminal_and_says_that_it_was_cut(
    size: tuple[int, int], seen: list[str]
) -> None:
    app = a_console()
    async with app.run_test(size=size, notifications=True) as pilot:
        app.say(TEXT)
        await until(lambda: app.screen.query(Toast) and app.screen.query_one(Toast).size, pilot)

        toast = app.screen.query_one(Toast)
        assert [toast.render_line(y).text.strip() for y in range(toast.size.height)] == seen
        await until(
            lambda: all(any(part in line for line in screen_lines(app)) for part in seen), pilot
        )


async def test_a_notice_takes_the_place_of_the_last_one_about_the_same() -> None:
    app = a_console()
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        for priority in (5, 10, 15):
            app.notify(f"job 7 has priority {priority}", about="priority 7")
            app.say("the same sentence")
            app.notify("another", about=f"another {priority}")
            await pilot.pause()
        await until(lambda: "job 7 has priority 15" in "\n".join(screen_lines(app)), pilot)

        assert [notice.message for notice in app._notifications] == [
            "another",
            "another",
            "job 7 has priority 15",
            "the same sentence",
            "another",
        ]
        assert len(app.screen.query(Toast)) == 5


async def test_nothing_rings() -> None:
    app = a_console()
    async with app.run_test() as pilot:
        app.say("[b]as it is[/b]")
        app.bell()
        await pilot.pause()

        (notice,) = app._notifications
        assert (notice.message, notice.markup) == ("[b]as it is[/b]", False)
