"""The same screens as Textual's own writer, with far fewer bytes."""

import asyncio
from collections.abc import Iterable, Iterator
from typing import Any, ClassVar

import pyte
from rich.color import ColorSystem
from rich.segment import Segment
from rich.text import Text
from textual._compositor import ChopsUpdate, LayoutUpdate
from textual.app import App, ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, VerticalScroll
from textual.geometry import Region
from textual.screen import ModalScreen, Screen
from textual.strip import Strip
from textual.widgets import Button, DataTable, Footer, Header, Input, Label, Static

from eaas_tui.diff_writer import (
    KNOWN,
    PORTION,
    SMALL_PORTION,
    DiffWriter,
)
from eaas_tui.shown_screen import ShownScreen, pieces_of

TRUE = ColorSystem.TRUECOLOR
SIZE = (100, 30)

Cell = tuple[str, str, str, bool]


class Question(ModalScreen[None]):
    BINDINGS: ClassVar[list[BindingType]] = [("escape", "dismiss", "No")]

    def compose(self) -> ComposeResult:
        yield Label("cancel job 42 of 王芳?")
        yield Button("Yes", variant="error")


class Demo(App[None]):
    """Stock widgets of every kind, with wide, coloured and composed text."""

    BINDINGS: ClassVar[list[BindingType]] = [
        ("m", "question", "Ask"),
        ("t", "sort", "Sort"),
        ("d", "dark", "Dark"),
    ]

    def __init__(self) -> None:
        super().__init__()
        self.console._color_system = TRUE
        self.stock = Terminal()
        self.ours = Terminal()
        self.shown = ShownScreen(*SIZE)
        self.steps = 0

    def compose(self) -> ComposeResult:
        yield Header()
        yield Input(placeholder="filter")
        with Horizontal():
            yield DataTable()
            with VerticalScroll():
                for number in range(40):
                    yield Static(Text(f"{number} 训练-e\u0301 █▌", style="bold red on #202020"))
        yield Footer()

    def on_mount(self) -> None:
        table: DataTable[str] = self.query_one(DataTable)
        table.add_columns("id", "name", "user")
        for number in range(100):
            table.add_row(str(number), f"多模态-{number}" if number % 3 else "eval", "dawei")
        table.focus()

    def action_question(self) -> None:
        self.push_screen(Question())

    def action_sort(self) -> None:
        table: DataTable[str] = self.query_one(DataTable)
        table.sort(table.ordered_columns[1].key, reverse=True)

    def action_dark(self) -> None:
        self.theme = "textual-light" if self.theme == "textual-dark" else "textual-dark"

    def _display(self, screen: Screen[Any], renderable: Any) -> None:
        """Write each update in both ways, and compare what two terminals make of it."""
        if isinstance(renderable, LayoutUpdate | ChopsUpdate) and not self._batch_count:
            self.stock.feed(renderable.render_segments(self.console))
            self.ours.feed(self.shown.paint(pieces_of(renderable), TRUE))
            self.steps += 1
            assert differences(self.ours, self.stock) == []
        super()._display(screen, renderable)


class Terminal:
    """A terminal in memory, and how many bytes came to it."""

    def __init__(self) -> None:
        self.screen = pyte.Screen(*SIZE)
        self.screen.reset_mode(pyte.modes.DECAWM)  # as Textual does
        self.stream = pyte.Stream(self.screen)
        self.bytes = 0

    def feed(self, data: str) -> None:
        self.bytes += len(data.encode())
        self.stream.feed(data)

    def rows(self) -> list[list[Cell]]:
        """Every cell; of a blank only the background counts."""
        return [list(self._row(y)) for y in range(SIZE[1])]

    def _row(self, y: int) -> Iterator[Cell]:
        for x in range(SIZE[0]):
            char = self.screen.buffer[y][x]
            seen = char.data != " " or char.underscore or char.reverse
            yield (char.data, char.fg if seen else "", char.bg, bool(seen and char.bold))


def differences(ours: Terminal, stock: Terminal) -> list[tuple[int, int, Cell, Cell]]:
    """Where two terminals differ, and what each shows there."""
    return [
        (y, x, a, b)
        for y, (row, other) in enumerate(zip(ours.rows(), stock.rows(), strict=True))
        for x, (a, b) in enumerate(zip(row, other, strict=True))
        if a != b
    ]


SCRIPT = (
    *("down", "down", "pagedown", "end", "up", "home", "right", "pagedown", "down", "up"),
    *("t", "down", "down", "m", "tab", "escape", "tab", "down", "down", "down", "pagedown"),
    *("shift+tab", "shift+tab", *"wide 王", "backspace", "left", "tab", "down", "d", "down"),
    *("d", "ctrl+p", "q", "u", "i", "escape", "pagedown", "pageup", "down", "up", "down"),
    *("down",) * 20,
)


async def test_a_script_of_keys_gives_the_screens_of_textuals_own_writer() -> None:
    app = Demo()

    async with app.run_test(size=SIZE) as pilot:
        for key in SCRIPT:
            await pilot.press(key)

    assert app.steps > len(SCRIPT)
    assert app.ours.bytes * 4 <= app.stock.bytes


def test_the_pinned_textual_is_one_whose_updates_are_known() -> None:
    assert KNOWN


class Portions(DiffWriter):
    """Keeps what it would write."""

    def __init__(self) -> None:
        super().__init__()
        self.awaited = False
        self.written: list[str] = []

    @property
    def is_awaited(self) -> bool:
        return self.awaited

    def _write(self, out: str) -> None:
        self.written.append(out)


def rows_of(sign: str, rows: range) -> ChopsUpdate:
    """An update of whole rows that show nothing but this sign."""
    chops = [{0: Strip([Segment(sign * SIZE[0])])} for _ in range(SIZE[1])]
    return ChopsUpdate(chops, [(y, 0, SIZE[0]) for y in rows], [[SIZE[0]]] * SIZE[1])


async def test_what_a_key_paints_does_not_wait_for_the_portions_of_a_live_draw() -> None:
    app = Portions()
    async with app.run_test(size=SIZE) as pilot, asyncio.timeout(20):
        app._show(rows_of("x", range(20, 30)))
        (first,) = app.written
        app.awaited = True
        app._show(rows_of("k", range(1)))
        app.awaited = False
        assert app.written == [first, "\x1b[1;1H" + "k" * SIZE[0]]

        while "".join(app.written).count("x") < 10 * SIZE[0]:
            await pilot.pause()
        assert max(map(len, app.written)) <= PORTION + SIZE[0]
        assert app._shown is not None
        assert not app._shown.is_behind


async def test_a_small_live_draw_is_written_at_once() -> None:
    app = Portions()
    async with app.run_test(size=SIZE):
        app._show(rows_of("x", range(3, 5)))

        assert "".join(app.written).count("x") == 2 * SIZE[0]


def whole_of(sign: str) -> LayoutUpdate:
    """An update of the whole screen that shows nothing but this sign."""
    strips: list[Iterable[Strip]] = [[Strip([Segment(sign * SIZE[0])])] for _ in range(SIZE[1])]
    return LayoutUpdate(strips, Region(0, 0, *SIZE))


async def test_a_slow_terminal_is_filled_as_it_answers_and_a_key_waits_for_one_portion() -> None:
    app = Portions()
    async with app.run_test(size=SIZE):
        app.is_slow = app._sync_available = True
        app._show(whole_of("x"))
        (first,) = app.written
        assert SMALL_PORTION <= len(first) <= SMALL_PORTION + 30
        app.awaited = True
        app._show(rows_of("k", range(29, 30)))
        assert app.written == [first, "\x1b[30;1H" + "k" * SIZE[0]]

        for _ in range(SIZE[0] * SIZE[1] // SMALL_PORTION):
            app.on_terminal_supports_synchronized_output()
        assert "".join(app.written).count("x") == SIZE[0] * (SIZE[1] - 1)
        assert max(map(len, app.written)) <= SMALL_PORTION + 30

        app.on_terminal_supports_synchronized_output()  # one answer more than there are portions
        assert app._shown is not None
        assert not app._shown.is_behind


async def test_a_slow_terminal_that_answers_nothing_is_filled_all_the_same() -> None:
    app = Portions()
    async with app.run_test(size=SIZE) as pilot, asyncio.timeout(20):
        app.is_slow = True
        app._show(whole_of("x"))

        while "".join(app.written).count("x") < SIZE[0] * SIZE[1]:
            await pilot.pause()
