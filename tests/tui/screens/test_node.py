"""One node with all that is on it, at every size."""

from typing import Any

import pytest
from msgspec.structs import replace

from eaas.node_views import ImageView
from eaas.views import ConditionView
from eaas_tui.model.picture import EMPTY, Picture, Samples
from eaas_tui.screens.node import NodeScreen
from eaas_tui.widgets.row_list import RowList
from tests.rig.pictures import a_card, a_held_card, a_job, a_node, a_picture, a_process
from tests.rig.pilots import on_screen, screen_lines, until, widths

SIZES = [(20, 5), (80, 24), (120, 40), (200, 60)]
OURS = a_process("root", pid=5, job=42, container="eaas-42-0190-1", command="python 训练.py")
NODE = a_node(
    "a",
    a_held_card(0, job=42, processes=(OURS,)),
    a_card(1, state="foreign", processes=(a_process("bob"),)),
    a_card(2, state="dirty", memory_used_mib=9000),
    jobs=(42,),
    images=(ImageView(name="pytorch:2.8", digest="sha256:0123456789abcdef", size_mib=8192),),
    conditions=(ConditionView(code="disk_full", text="2 GiB left", since="2025-06-01T10:00:00Z"),),
)
PICTURE = a_picture(
    NODE,
    a_node("训练机器一号", a_card(0)),
    jobs={42: a_job(42, name="训练", state="Running", node="a")},
    samples={"GPU-a-0": Samples(every_s=5.0, utilization_pct=(10, 90) * 40, memory_pct=(50,) * 80)},
)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("picture", [PICTURE, a_picture(), EMPTY])
async def test_it_fills_the_screen_at_every_size(size: tuple[int, int], picture: Picture) -> None:
    async with on_screen(NodeScreen("a"), picture, size=size) as (app, pilot):
        assert widths(screen_lines(app)) == {size[0]}

        await pilot.resize_terminal(20, 5)
        await pilot.resize_terminal(*size)
        await until(lambda: widths(screen_lines(app)) == {size[0]}, pilot)


@pytest.mark.parametrize("size", SIZES[2:])
async def test_cards_curves_processes_jobs_and_images_are_seen_at_once(
    size: tuple[int, int],
) -> None:
    async with on_screen(NodeScreen("a"), PICTURE, size=size) as (app, _):
        text = "\n".join(screen_lines(app))

        seen = ("disk_full: 2 GiB left", "D dirty", "GPU 0 utilisation", "GPU 0 memory",
                "python 训练.py", "none", "pytorch", "训练")  # fmt: skip
        assert [words for words in seen if words not in text] == []


async def test_a_short_screen_shows_one_pane_after_the_other() -> None:
    seen = []
    async with on_screen(NodeScreen("a"), PICTURE, size=(80, 24)) as (app, pilot):
        for _ in range(4):
            text = "\n".join(screen_lines(app))
            seen.append([word for word in ("GPU 0 util", "PROCESSES", "WHY", "IMAGES")
                         if word in text])  # fmt: skip
            await pilot.press("right_square_bracket")
            await pilot.pause()

    assert seen == [["GPU 0 util"], ["PROCESSES"], ["WHY"], ["IMAGES"]]


async def test_the_curves_are_those_of_the_selected_card() -> None:
    async with on_screen(NodeScreen("a"), PICTURE) as (app, pilot):
        await pilot.press("j")

        await until(
            lambda: "nothing measured on this card yet" in "\n".join(screen_lines(app)), pilot
        )


async def test_it_begins_at_the_card_that_was_opened() -> None:
    async with on_screen(NodeScreen("a", "GPU-a-2"), PICTURE) as (app, _):
        assert app.screen.query_one("#cards", RowList).selected == "GPU-a-2"


async def test_other_nodes_are_one_key_away() -> None:
    async with on_screen(NodeScreen(), PICTURE) as (app, pilot):
        first = screen_lines(app)[1]
        await pilot.press("greater_than_sign")

        await until(lambda: first.split()[0] == "a", pilot)
        await until(lambda: screen_lines(app)[1].split()[0] == "训练机器一号", pilot)


async def test_enter_opens_the_job_of_the_card_and_of_the_process() -> None:
    async with on_screen(NodeScreen("a"), PICTURE) as (app, pilot):
        await pilot.press("enter", "j", "enter")
        app.screen.query_one("#processes").focus()
        await pilot.press("enter")
        app.screen.query_one("#node-jobs").focus()
        await pilot.press("enter")

        assert app.opened == [42, 42, 42]


async def test_a_node_that_is_gone_says_so_and_does_nothing() -> None:
    async with on_screen(NodeScreen("gone"), PICTURE) as (app, pilot):
        await pilot.press("D", "E", "V", "enter")

        assert "There is no node gone" in screen_lines(app)[1]
        assert app.told == ["No node is selected", "No card is selected", "No card is selected"]


async def test_the_selected_card_stays_selected_while_readings_come_in() -> None:
    async with on_screen(NodeScreen("a"), PICTURE) as (app, pilot):
        await pilot.press("j")
        newer: dict[str, Any] = {**PICTURE.nodes, "a": replace(NODE, cards=NODE.cards[1:])}
        app.picture = replace(PICTURE, nodes=newer)

        await until(lambda: app.screen.query_one("#cards", RowList).selected == "GPU-a-1", pilot)
