import pytest
from textual.pilot import Pilot

from eaas_tui.model.log_pages import LogPages
from eaas_tui.widgets.log_scroll import LogScroll
from eaas_tui.widgets.log_view import LogView
from tests.rig.pilots import OneWidget, lines_of, widths

LINES = b"".join(b"line %03d\n" % number for number in range(100))


class LogApp(OneWidget):
    """Shows one log, and keeps what it asked for."""

    def __init__(self, log: bytes, begin: int = 0) -> None:
        self.view = LogView()
        super().__init__(self.view)
        self.pages = LogPages()
        self.pages.put(begin, log)
        self.wishes: list[str] = []

    def on_mount(self) -> None:
        super().on_mount()
        self.view.show(self.pages)

    def on_log_scroll_wants(self, event: LogScroll.Wants) -> None:
        self.wishes.append(event.wish)

    def add(self, data: bytes) -> None:
        self.pages.put(self.pages.end, data)
        self.view.paint()

    @property
    def lines(self) -> list[str]:
        return [line.rstrip() for line in lines_of(self.view)]


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
        await pilot.pause()
        assert "top" in app.wishes
        app.view.scroll_rows(-1000)
        await pilot.pause()
        assert "before" in app.wishes
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


async def test_a_progress_bar_is_one_living_line() -> None:
    app = LogApp(b"begin\n 10%\r 20%")
    async with app.run_test(size=(20, 3)):
        assert app.lines == ["begin", " 20%", ""]

        app.add(b"\r 30%")

        assert app.lines == ["begin", " 30%", ""]


async def test_lines_are_selected_by_keys_and_copied_without_colours() -> None:
    app = LogApp(b"one\n\x1b[31mtwo\x1b[0m\nthree\nfour\n")
    async with app.run_test(size=(20, 4)) as pilot:
        assert app.view.copied_text() == "one\ntwo\nthree\nfour\n"
        await pilot.press("v", "k", "k")
        assert app.view.copied_text() == "two\nthree\nfour\n"
        await pilot.press("escape")
        assert app.view.selection is None


async def test_cells_are_selected_with_the_mouse() -> None:
    app = LogApp("alpha\n训练 beta\ngamma\n".encode())
    async with app.run_test(size=(20, 4)) as pilot:
        await drag(pilot, (2, 0), (3, 1))
        assert app.view.copied_text() == "pha\n训练"
        await pilot.mouse_down(offset=(1, 1))
        await pilot.mouse_up(offset=(1, 1))
        assert app.view.selection is None


async def drag(pilot: Pilot[None], begin: tuple[int, int], end: tuple[int, int]) -> None:
    await pilot.mouse_down(offset=begin)
    await pilot.hover(offset=end)
    await pilot.mouse_up(offset=end)


async def test_hits_are_marked_and_shown_whole_lines_later() -> None:
    app = LogApp(LINES)
    async with app.run_test(size=(40, 4)):
        app.view.words = "050"
        app.view.look_at(50 * 9 + 5, rows_before=1)

        assert app.lines[1] == "line 050"
        styles = [segment.style for segment in app.view.render_line(1) if segment.text == "050"]
        assert styles
        assert styles[0] is not None
        assert styles[0].bold


async def test_the_scrollbar_stands_where_the_window_is_in_the_whole_log() -> None:
    app = LogApp(LINES)
    async with app.run_test(size=(10, 10)) as pilot:
        bar = [app.view.render_line(y).crop(9, 10)._segments[0].style for y in range(10)]
        assert [bar.index(style) for style in bar] == [0] * 9 + [9]
        assert app.view._bar() == (9, 10)
        await pilot.press("g")
        assert app.view._bar() == (0, 1)


@pytest.mark.parametrize("size", [(1, 1), (2, 1), (20, 5)])
async def test_no_size_is_too_small(size: tuple[int, int]) -> None:
    app = LogApp("训练 \x1b[31mred\n".encode() * 50)
    async with app.run_test(size=size) as pilot:
        app.view.set_wrap(True)
        await pilot.press("k", "k", "g", "G", "v", "k", "left", "right", "pageup", "pagedown")
        assert widths(lines_of(app.view)) == {size[0]}


async def test_an_empty_log_says_so() -> None:
    app = LogApp(b"")
    async with app.run_test(size=(20, 3)) as pilot:
        app.view.empty = "nothing yet"
        app.view.paint()
        await pilot.press("k", "g", "G", "v", "pageup")
        assert app.lines[0] == "nothing yet"
