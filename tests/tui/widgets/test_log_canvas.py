import time
from collections.abc import Iterator
from datetime import UTC, datetime

import pytest

from eaas_tui.model.log_pages import Ask
from tests.rig.log_app import LINES, LogApp
from tests.rig.pilots import NOW, lines_of, widths


@pytest.fixture
def utc(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Let the machine's zone be UTC while the test runs."""
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


async def test_a_progress_bar_is_one_living_line() -> None:
    app = LogApp(b"begin\n 10%\r 20%")
    async with app.run_test(size=(20, 3)):
        assert app.lines == ["begin", " 20%", ""]

        app.add(b"\r 30%")

        assert app.lines == ["begin", " 30%", ""]


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
        assert app.view._bars == (9, 10)
        await pilot.press("g")
        assert app.view._bars == (0, 1)


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


async def test_times_stand_before_the_lines_and_are_no_part_of_what_is_copied(
    utc: None,
) -> None:
    app = LogApp("训练\nabcdefgh\n\x1b[31mred\x1b[0m 10%\r 20%\n".encode())
    async with app.run_test(size=(16, 4)):
        app.view.now = lambda: NOW
        app.view.set_wrap(True)
        app.view.set_times(shown=True)
        assert app.view.times is not None
        app.view.times.put(Ask(0, 100), [(0, None), (7, NOW), (16, NOW + 1)])
        app.view.lay_out()

        stamp = f"{datetime.fromtimestamp(NOW, UTC):%H:%M:%S}"
        assert app.lines == [
            "       - 训练",
            f"{stamp} abcdef",
            "         gh",
            f"{stamp[:-1]}1  20%",
        ]
        assert widths(lines_of(app.view)) == {16}
        assert app.view.copied_text() == "训练\nabcdefgh\n 20%\n"

        app.view.set_times(shown=False)
        assert app.lines[1] == "abcdefgh"


async def test_once_days_are_told_the_lines_are_narrower(utc: None) -> None:
    app = LogApp(b"abcdefgh\n")
    async with app.run_test(size=(20, 3)):
        app.view.now = lambda: NOW + 86400
        app.view.set_wrap(True)
        app.view.set_times(shown=True)
        assert app.view.times is not None
        app.view.times.put(Ask(0, 100), [(0, NOW)])
        app.view.lay_out()

        assert app.lines[0] == f"{datetime.fromtimestamp(NOW, UTC):%m-%d %H:%M:%S} abcd"
        assert app.lines[1].strip() == "efgh"


async def test_keys_and_the_screen_stand_it_that_pages_went_before_the_next_paint() -> None:
    app = LogApp(LINES)
    async with app.run_test(size=(20, 4)) as pilot:
        app.pages.put(5_000_000, b"other\n")

        assert app.view.rows
        assert app.view.copied_text() == "other\n"
        app.view.forget()
        app.view.refresh()
        await pilot.press("v", "k", "down", "escape", "pageup")
        app.view.paint()

        assert app.lines[0] == "other"
