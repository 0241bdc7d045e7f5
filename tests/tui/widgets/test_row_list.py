"""The list as a person uses it: keys, marks, mouse, and updates that never move the selection."""

import random
from collections.abc import Sequence

from textual import events
from textual.app import App, ComposeResult
from textual.message import Message

from eaas_tui.model.columns import Cell, Column, Row
from eaas_tui.model.viewport import Rows
from eaas_tui.widgets.row_list import RowList
from tests.rig.costs import cost_s

COLUMNS = (
    Column(key="id", title="ID", width=6, sort="id"),
    Column(key="name", title="NAME", width=12, flex=1, sort="name"),
    Column(key="state", title="STATE", width=8, rank=1),
)


def rows(keys: Sequence[int], *, word: str = "Running") -> Rows[int]:
    return Rows(keys, lambda key: Row((str(key), f"训练-{key}", Cell(word, "good"))))


class ListApp(App[None]):
    """One list, and everything it says."""

    def __init__(self, keys: Sequence[int]) -> None:
        super().__init__()
        self.keys = keys
        self.said: list[Message] = []

    def compose(self) -> ComposeResult:
        yield RowList[int](COLUMNS, empty="nothing here\ntry a", id="list")

    def on_mount(self) -> None:
        self.list.show(rows(self.keys))
        self.list.focus()

    @property
    def list(self) -> RowList[int]:
        return self.query_one(RowList)

    def on_row_list_selected(self, message: RowList.Selected) -> None:
        self.said.append(message)

    def on_row_list_opened(self, message: RowList.Opened) -> None:
        self.said.append(message)

    def on_row_list_sort_asked(self, message: RowList.SortAsked) -> None:
        self.said.append(message)
        self.list.show_sort(message.key, is_reverse=message.is_reverse)


def lines(row_list: RowList[int]) -> list[str]:
    return [row_list.render_line(y).text.rstrip() for y in range(row_list.size.height)]


async def test_rows_are_drawn_under_their_titles_with_wide_characters_aligned() -> None:
    app = ListApp(range(3))
    async with app.run_test(size=(40, 5)):
        assert lines(app.list) == [
            "   ID     NAME                 STATE",
            ">  0      训练-0               Running",
            "   1      训练-1               Running",
            "   2      训练-2               Running",
            "",
        ]


async def test_the_keys_of_two_worlds_move_the_selection() -> None:
    app = ListApp(range(100))
    async with app.run_test(size=(40, 11)) as pilot:
        seen = []
        for key in ("j", "down", "k", "up", "G", "g", "pagedown", "ctrl+d", "ctrl+u", "pageup"):
            await pilot.press(key)
            seen.append(app.list.selected)

        assert seen == [1, 2, 1, 0, 99, 0, 10, 15, 10, 0]


async def test_the_same_job_stays_selected_through_a_thousand_updates() -> None:
    app, chance = ListApp(range(200)), random.Random(3)
    async with app.run_test(size=(40, 21)) as pilot:
        app.list.select(77)
        await pilot.pause()
        app.said.clear()
        for _ in range(1000):
            keys = list(dict.fromkeys([*chance.sample(range(500), 150), 77]))
            chance.shuffle(keys)
            app.list.show(rows(keys))
        await pilot.pause()

        assert app.list.selected == 77
        assert app.said == []
        assert sum(line.startswith(">  77 ") for line in lines(app.list)) == 1


async def test_an_update_above_leaves_the_selected_row_on_its_line() -> None:
    app = ListApp(range(100))
    async with app.run_test(size=(40, 11)):
        app.list.select(50)
        line = lines(app.list).index(next(text for text in lines(app.list) if text[0:1] == ">"))
        app.list.show(rows([-3, -2, -1, *range(100)]))

        assert lines(app.list)[line].startswith(">  50")


async def test_space_marks_v_begins_a_range_star_marks_all_and_u_unmarks() -> None:
    app = ListApp(range(20))
    async with app.run_test(size=(40, 11)) as pilot:
        await pilot.press("space", "j", "v", "j", "j", "v", "j")
        assert app.list.marked == [0, 2, 3, 4]
        assert app.list.selected == 5
        assert lines(app.list)[1].startswith(" * 0")

        await pilot.press("u")
        assert app.list.chosen == [5]

        await pilot.press("*")
        assert app.list.chosen == list(range(20))


async def test_enter_and_a_double_click_open_and_a_click_selects() -> None:
    app = ListApp(range(20))
    async with app.run_test(size=(40, 11)) as pilot:
        await pilot.press("enter")
        await pilot.click(RowList, offset=(5, 4))
        assert app.list.selected == 3

        await pilot.click(RowList, offset=(5, 6), times=2)
        opened = [message.key for message in app.said if isinstance(message, RowList.Opened)]

        assert opened == [0, 5]


async def test_a_header_and_the_angle_brackets_ask_for_another_order() -> None:
    app = ListApp(range(20))
    async with app.run_test(size=(40, 11)) as pilot:
        await pilot.click(RowList, offset=(11, 0))
        assert app.list.sort == ("name", False)
        await pilot.click(RowList, offset=(11, 0))
        assert app.list.sort == ("name", True)
        assert "NAMEv" in lines(app.list)[0]

        await pilot.press("<")
        assert app.list.sort == ("id", False)
        await pilot.press(">", "R")
        assert app.list.sort == ("name", True)


async def test_a_narrow_list_drops_columns_and_an_empty_one_says_what_to_do() -> None:
    app = ListApp(range(3))
    async with app.run_test(size=(30, 4)):
        assert lines(app.list)[1] == ">  0      训练-0"

        app.list.show(rows(()))
        assert lines(app.list)[1:3] == ["   nothing here", "   try a"]
        assert app.list.selected is None


async def test_a_paste_neither_moves_nor_marks_nor_opens() -> None:
    app = ListApp(range(20))
    async with app.run_test(size=(40, 11)) as pilot:
        app.said.clear()
        app.list.post_message(events.Paste("jj *v\nx\ny\n"))
        await pilot.pause()

        assert (app.list.selected, app.list.marked, app.said) == (0, [], [])


async def test_a_size_of_nothing_is_survived() -> None:
    app = ListApp(range(20))
    async with app.run_test(size=(20, 5)) as pilot:
        for size in ((1, 1), (3, 2), (20, 5)):
            await pilot.resize_terminal(*size)
            await pilot.press("j", "G", "pageup", "space")

        assert app.list.selected is not None


async def test_a_key_in_ten_thousand_rows_is_answered_in_a_few_milliseconds() -> None:
    app = ListApp(range(10_000))
    async with app.run_test(size=(200, 60)):

        def page_down() -> None:
            app.list.action_page(1)
            lines(app.list)

        assert cost_s(page_down, times=7) < 0.010 * 3  # others use the caches too


async def test_an_update_of_ten_thousand_rows_draws_only_what_is_seen() -> None:
    app, drawn = ListApp(range(10_000)), []

    def draw(key: int) -> Row:
        drawn.append(key)
        return Row((str(key), "", ""))

    async with app.run_test(size=(200, 60)):
        app.list.show(Rows(range(10_000), draw))

        assert drawn == list(range(59))
