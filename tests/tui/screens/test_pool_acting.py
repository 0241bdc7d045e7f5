"""What is asked of queues, nodes and cards: what takes room from jobs only after a yes."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from textual.pilot import Pilot

from eaas.client import Address, Client
from eaas.node_views import NodeView
from eaas_tui.screens.node import NodeScreen
from tests.rig.pictures import a_card, a_held_card, a_node, a_picture
from tests.rig.pilots import OneScreen, on_screen
from tests.rig.stand_in import StandIn, serving

NODE = a_node("a", a_held_card(0), a_card(1, state="excluded"), a_card(2, state="dirty"))
AT = "/api/v1/nodes/a"


WITHIN_S = 20.0


@asynccontextmanager
async def acting_on(
    node: NodeView, folder: Path
) -> AsyncIterator[tuple[OneScreen, Pilot[None], StandIn]]:
    stand_in, socket = StandIn(), folder / "c"
    stand_in.answers[f"PATCH {AT}"] = node
    stand_in.answers[f"POST {AT}/clean-card"] = node
    async with (
        serving(stand_in, socket),
        Client(Address(socket=socket)) as client,
        on_screen(NodeScreen("a"), a_picture(node), client=client) as (app, pilot),
    ):
        yield app, pilot, stand_in


async def asked_after(
    node: NodeView, folder: Path, *keys: str, answers: int = 1
) -> tuple[list[tuple[str, Any]], list[str]]:
    async with acting_on(node, folder) as (app, pilot, stand_in):
        await pilot.press(*keys)
        async with asyncio.timeout(WITHIN_S):
            while len(app.told) < answers:
                await pilot.pause(0.01)
        asked = [
            (f"{it.method} {it.path.removeprefix(AT)}", _said(it.body)) for it in stand_in.asked
        ]
        return asked, app.told


async def test_draining_asks_first_and_a_blind_enter_is_a_no(tmp_path: Path) -> None:
    asked, _ = await asked_after(NODE, tmp_path, "D", "enter", "D", "escape", answers=0)

    assert asked == []


async def test_a_node_is_drained_after_a_yes(tmp_path: Path) -> None:
    asked, told = await asked_after(NODE, tmp_path, "D", "y")

    assert asked == [("PATCH ", {"draining": True})]
    assert told == ["node a is Ready"]


async def test_resuming_a_node_needs_no_yes(tmp_path: Path) -> None:
    asked, _ = await asked_after(replace(NODE, state="Draining"), tmp_path, "D")

    assert asked == [("PATCH ", {"draining": False})]


async def test_a_card_is_excluded_after_a_yes_and_included_at_once(tmp_path: Path) -> None:
    asked, told = await asked_after(NODE, tmp_path, "E", "y", "j", "E", answers=2)

    assert asked == [
        ("PATCH ", {"exclude_card": "GPU-a-0"}),
        ("PATCH ", {"include_card": "GPU-a-1"}),
    ]
    assert told == ["card 0 of a is held", "card 1 of a is excluded"]


async def test_only_a_card_that_is_not_clean_can_be_called_clean(tmp_path: Path) -> None:
    asked, told = await asked_after(NODE, tmp_path, "V", "G", "V", "y", answers=2)

    assert asked == [("POST /clean-card", {"card": "GPU-a-2"})]
    assert told == ["Card 0 of a is held: there is nothing to clean", "card 2 of a is dirty"]


@pytest.mark.parametrize("key", ["D", "E"])
async def test_the_question_names_what_it_is_about(tmp_path: Path, key: str) -> None:
    async with acting_on(NODE, tmp_path) as (app, pilot, _):
        await pilot.press(key)
        text = str(app.screen.query_one("#question-title").render())

        assert "a" in text.split()[-1]


def _said(body: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in body.items() if value is not None}
