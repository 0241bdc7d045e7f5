from msgspec.structs import replace
from textual.screen import ModalScreen

from eaas_tui.model.picture import EMPTY, Picture
from eaas_tui.screens.base import PictureApp, PictureScreen


class Drawn(PictureScreen):
    def __init__(self) -> None:
        super().__init__()
        self.seqs: list[int] = []

    def draw(self, picture: Picture) -> None:
        self.seqs.append(picture.seq)


class Console(PictureApp):
    def __init__(self) -> None:
        super().__init__()
        self.below, self.above = Drawn(), Drawn()

    async def show(self, seq: int) -> None:
        self.picture = replace(EMPTY, seq=seq)


async def test_a_screen_draws_while_it_is_on_top_and_catches_up_when_it_comes_back() -> None:
    app = Console()
    async with app.run_test() as pilot:
        await app.push_screen(app.below)
        await app.show(1)
        await pilot.pause()
        await app.push_screen(app.above)
        await app.show(2)
        await app.show(3)
        await pilot.pause()

        assert app.below.seqs[-1] == 1
        assert app.above.seqs[-1] == 3

        app.pop_screen()
        await pilot.pause()

        assert app.below.seqs[-1] == 3


class Window(ModalScreen[None]):
    CSS = "Window { background: transparent; }"


async def test_a_screen_below_a_transparent_one_goes_on_drawing() -> None:
    app = Console()
    async with app.run_test() as pilot:
        await app.push_screen(app.below)
        await app.push_screen(Window())
        await app.show(7)
        await pilot.pause()

        assert app.below.seqs[-1] == 7


async def test_a_screen_that_says_nothing_of_it_may_be_left_and_acts_on_nothing() -> None:
    screen = Drawn()

    assert screen.check_leave()
    assert screen.facts() == {}
