import pytest
from msgspec.structs import replace
from rich.cells import cell_len

from eaas_tui.model.picture import Link
from eaas_tui.model.summary import Part
from eaas_tui.widgets.status_bar import StatusBar, laid_out
from tests.rig.pictures import a_held_card, a_node, a_picture
from tests.rig.pilots import OneWidget, lines_of

LEFT = [Part(text) for text in ("Mini EaaS", "RUN 1", "WAIT 2", "GPU 2/3", "util 70%", "FAIL 1")]


def text_of(line: list[Part]) -> str:
    return "".join(part.text for part in line)


@pytest.mark.parametrize("width", range(1, 90))
def test_the_line_is_never_wider_than_its_place(width: int) -> None:
    right = [Part("看 only"), Part("! away since 12s: the controller at /somewhere is not there")]

    assert cell_len(text_of(laid_out(LEFT, right, width))) <= width


def test_a_narrow_line_leaves_out_what_matters_least() -> None:
    line = text_of(laid_out(LEFT, [Part("* live")], 50))

    assert line.startswith(" Mini EaaS  RUN 1  WAIT 2  GPU 2/3")
    assert line.endswith("* live")
    assert "FAIL" not in line


def test_a_long_reason_leaves_the_counts_in_place() -> None:
    line = text_of(laid_out(LEFT, [Part("! away since 12s: " + "because " * 30)], 100))

    assert "GPU 2/3" in line
    assert "! away since 12s: because" in line
    assert line.endswith("~")


async def test_the_line_follows_the_picture_and_tells_the_time_since_it_is_old() -> None:
    now = 1000.0
    bar = StatusBar(clock=lambda: now)
    app = OneWidget(bar)
    async with app.run_test(size=(100, 5)) as pilot:
        picture = a_picture(a_node("n1", a_held_card()))
        app.picture = picture
        await pilot.pause()
        assert "GPU 1/1" in lines_of(bar)[0]
        assert "* live" in lines_of(bar)[0]

        app.picture = replace(picture, link=Link(state="away", since=988.0, text="nobody answers"))
        await pilot.pause()
        assert "! away since 12s, trying again: nobody answers" in lines_of(bar)[0]
