from textual.pilot import Pilot

from tests.rig.log_app import LogApp


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
