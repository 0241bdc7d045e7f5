from eaas_tui.widgets.lines import Lines
from tests.rig.pilots import OneWidget, lines_of, until


async def test_lines_take_as_much_room_as_there_are_of_them() -> None:
    shown = Lines()
    async with OneWidget(shown).run_test(size=(20, 5)) as pilot:
        shown.show(["节点 node01 is very very long", "second"])

        await until(
            lambda: [line[:8] for line in lines_of(shown)] == ["节点 node0", "second  "], pilot
        )

        shown.show(["alone"])
        await until(lambda: len(lines_of(shown)) == 1, pilot)


async def test_a_line_that_is_cut_says_so() -> None:
    shown = Lines()
    async with OneWidget(shown).run_test(size=(12, 3)) as pilot:
        shown.show(["a sentence that goes on"])

        await until(lambda: lines_of(shown)[0].strip() == "a sentenc~", pilot)
