"""The wheel and the scrollbar show other rows and leave the selection alone."""

from textual.app import App, ComposeResult
from textual.events import MouseScrollDown, MouseScrollUp

from eaas_tui.model.columns import Column, Row
from eaas_tui.model.viewport import Rows
from eaas_tui.widgets.row_list import RowList


class LongApp(App[None]):
    def compose(self) -> ComposeResult:
        yield RowList[int]((Column(key="id", title="ID", width=6),))

    def on_mount(self) -> None:
        self.query_one(RowList).show(Rows(range(100), lambda key: Row((str(key),))))


def thumb(row_list: RowList[int]) -> list[int]:
    return [y for y in range(row_list.size.height) if row_list.look_at(y).bar == "thumb"]


async def test_the_wheel_scrolls_and_the_selection_stays() -> None:
    app = LongApp()
    async with app.run_test(size=(20, 11)) as pilot:
        row_list = app.query_one(RowList)

        await pilot._post_mouse_events([MouseScrollDown], RowList, offset=(4, 4))
        await pilot._post_mouse_events([MouseScrollDown], RowList, offset=(4, 4))
        await pilot._post_mouse_events([MouseScrollUp], RowList, offset=(4, 4))

        assert row_list.render_line(1).text.split() == ["3"]
        assert row_list.selected == 0


async def test_a_key_after_scrolling_brings_the_selection_back_into_sight() -> None:
    app = LongApp()
    async with app.run_test(size=(20, 11)) as pilot:
        row_list = app.query_one(RowList)
        row_list.scroll_rows(50)

        await pilot.press("j")

        assert row_list.selected == 1
        assert row_list.look_at(1).is_selected


async def test_the_scrollbar_shows_where_one_is_and_takes_one_there() -> None:
    app = LongApp()
    async with app.run_test(size=(20, 11)) as pilot:
        row_list = app.query_one(RowList)
        assert thumb(row_list) == [1]

        await pilot.mouse_down(RowList, offset=(19, 10))
        assert thumb(row_list) == [10]
        await pilot.hover(RowList, offset=(19, 1))
        assert thumb(row_list) == [1]
        await pilot.mouse_up(RowList, offset=(19, 1))
        await pilot.hover(RowList, offset=(19, 10))

        assert thumb(row_list) == [1]
        assert row_list.selected == 0


async def test_a_list_that_fits_has_no_scrollbar() -> None:
    app = LongApp()
    async with app.run_test(size=(20, 101)):
        assert thumb(app.query_one(RowList)) == []


async def test_the_mark_at_a_title_tells_whether_values_rise_or_fall() -> None:
    app = LongApp()
    async with app.run_test(size=(20, 11)):
        row_list = app.query_one(RowList)
        for descends, is_reverse, mark in (
            (False, False, "^"),
            (False, True, "v"),
            (True, False, "v"),
            (True, True, "^"),
        ):
            row_list.show_columns(
                (Column(key="id", title="ID", width=6, sort="id", descends=descends),)
            )
            row_list.show_sort("id", is_reverse=is_reverse)

            assert row_list.render_line(0).text.split() == [f"ID{mark}"]
