import pytest
from msgspec.structs import replace
from rich.cells import cell_len

from eaas.views import ConditionView
from eaas_tui.model.picture import Link
from eaas_tui.model.summary import Part
from eaas_tui.widgets.status_bar import StatusBar, laid_out
from tests.rig.pictures import a_held_card, a_node, a_picture
from tests.rig.pilots import OneWidget, lines_of, until

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


def test_where_a_count_has_no_room_a_mark_is_left() -> None:
    assert text_of(laid_out(LEFT, [Part("* live")], 20)) == " RUN 1 ~      * live"


def test_a_long_reason_leaves_the_counts_in_place() -> None:
    line = text_of(laid_out(LEFT, [Part("! away since 12s: " + "because " * 30)], 100))

    assert "GPU 2/3" in line
    assert "! away since 12s: because" in line
    assert line.endswith("~")


ANSWERS = "no controller answers at /srv/a/long/path/controller.sock (connection refused); x"


@pytest.mark.parametrize(
    ("width", "end"),
    [
        (60, "! away since 1m, trying again"),
        (80, "! away since 1m, trying again: no controller answers"),
        (100, "! away since 1m, trying again: no controller answers"),
        (140, "no controller answers at /srv/a/long/path/controller.sock"),
    ],
)
def test_why_the_controller_is_away_is_said_before_where(width: int, end: str) -> None:
    left = [*LEFT[:3], Part("GPU 49/64 held"), *LEFT[4:]]
    line = text_of(laid_out(left, [Part(f"! away since 1m, trying again: {ANSWERS}")], width))

    assert line.endswith(end)
    assert "RUN 1  WAIT 2" in line


@pytest.mark.parametrize("width", [40, 60, 80])
def test_the_counts_are_seen_at_every_width_and_the_name_where_it_fits(width: int) -> None:
    left = [Part(text) for text in ("Mini EaaS", "RUN 12", "WAIT 30", "GPU 49/64 held", "FAIL 1")]
    line = text_of(laid_out(left, [Part("* live")], width))

    assert "RUN 12  WAIT 30  GPU 49/64 held" in line
    assert ("Mini EaaS" in line) == (width >= 60)


async def test_the_line_follows_the_picture_and_tells_the_time_since_it_is_old() -> None:
    now = 1000.0
    bar = StatusBar(clock=lambda: now)
    app = OneWidget(bar)
    async with app.run_test(size=(100, 5)) as pilot:
        picture = a_picture(a_node("n1", a_held_card()))
        app.picture = picture
        await until(lambda: "GPU 1/1 held" in lines_of(bar)[0], pilot)
        await until(lambda: "* live" in lines_of(bar)[0], pilot)

        app.picture = replace(picture, link=Link(state="away", since=988.0, text="nobody answers"))
        await until(
            lambda: "! away since 12s, trying again: nobody answers" in lines_of(bar)[0], pilot
        )


async def test_what_is_wrong_with_the_whole_stands_below_the_line_until_it_is_over() -> None:
    bar = StatusBar(clock=lambda: 1000.0)
    async with (app := OneWidget(bar)).run_test(size=(40, 12)) as pilot:
        plain = a_picture(a_node("n1"))
        lost = ConditionView(
            code="mass_loss",
            text="6 of 8 nodes fell silent within a minute: that is likely the network here",
            since="2025-06-01T10:00:00Z",
        )
        app.picture = replace(plain, conditions=(lost,))

        await until(
            lambda: (
                [line.rstrip() for line in lines_of(bar)[1:]]
                == [
                    " ! 6 of 8 nodes fell silent within a",
                    "   minute: that is likely the network ~",
                ]
            ),
            pilot,
        )

        app.picture = plain
        await until(lambda: len(lines_of(bar)) == 1, pilot)
