from tests.rig.log_app import LINES, LogApp
from tests.rig.pilots import lines_of, until, widths


async def test_the_end_of_a_log_is_shown_and_followed() -> None:
    app = LogApp(LINES)
    async with app.run_test(size=(40, 4)):
        assert app.lines == ["line 096", "line 097", "line 098", "line 099"]

        app.add(b"line 100\n")

        assert app.lines[-1] == "line 100"


async def test_scrolling_up_lets_the_end_go_and_coming_back_follows_it_again() -> None:
    app = LogApp(LINES)
    async with app.run_test(size=(40, 4)) as pilot:
        await pilot.press("k")
        app.add(b"line 100\n")
        assert app.lines == ["line 095", "line 096", "line 097", "line 098"]
        assert not app.view.follow

        await pilot.press("pagedown", "pagedown")
        assert app.view.follow
        app.add(b"line 101\n")
        assert app.lines[-1] == "line 101"


async def test_top_and_end_are_one_key_away() -> None:
    app = LogApp(LINES)
    async with app.run_test(size=(40, 4)) as pilot:
        await pilot.press("g")
        assert app.lines[0] == "line 000"
        await pilot.press("G")
        assert app.lines[-1] == "line 099"


async def test_pages_that_are_not_held_are_asked_for_and_nothing_jumps_when_they_come() -> None:
    app = LogApp(b"half a line\n" + LINES, begin=5000)
    async with app.run_test(size=(40, 4)) as pilot:
        await pilot.press("g")
        await until(lambda: "top" in app.wishes, pilot)
        app.view.scroll_rows(-1000)
        await until(lambda: "before" in app.wishes, pilot)
        assert app.lines[0] == "line 000"

        app.pages.put(0, b"x" * 4990 + b"\nthe other")
        app.view.paint()

        assert app.lines[0] == "line 000"
        await pilot.press("k")
        assert app.lines[0] == "the otherhalf a line"


async def test_long_lines_are_wrapped_or_looked_along() -> None:
    app = LogApp("0123456789abcdefghij训练训练训练\nnext\n".encode())
    async with app.run_test(size=(12, 5)) as pilot:
        assert app.lines[:2] == ["0123456789a", "next"]
        await pilot.press("right")
        assert app.lines[0] == "89abcdefghi"

        app.view.set_wrap(True)

        assert app.lines == ["0123456789a", "bcdefghij训", "练训练训练", "next", ""]
        assert widths(lines_of(app.view)) == {12}


async def test_a_place_far_along_a_line_is_looked_at_where_it_is() -> None:
    app = LogApp(b"x" * 300 + b"hit" + b"y" * 9000 + b"\nshort hit\n")
    async with app.run_test(size=(40, 4)):
        app.view.words = "hit"
        assert app.view.look_at(300)
        assert "xhity" in app.lines[0]
        assert app.view.look_at(9314)
        assert app.lines[1] == "short hit"
        assert not app.view.look_at(6000)


async def test_the_first_lines_wait_for_nothing_and_the_next_for_their_turn() -> None:
    app = LogApp(b"")
    async with app.run_test(size=(20, 4)):
        app.view.paint()
        app.pages.put(0, b"one\n")
        app.view.grew()
        assert app.lines[0] == "one"

        app.pages.put(4, b"two\n")
        app.view.grew()
        assert app.lines[1] == ""
