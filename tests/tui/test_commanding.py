"""What is typed after ``:`` reaches the controller, or the view it names."""

from typing import Any

import pytest

from eaas_tui.commands import Command
from eaas_tui.screens.confirm import Confirm
from tests.rig.consoles import a_console


class Asked:
    """Keeps what was asked for, as ``Actions`` would send it."""

    def __init__(self) -> None:
        self.wishes: list[tuple[Any, ...]] = []

    def __getattr__(self, name: str) -> Any:
        return lambda *args, **named: self.wishes.append((name, *args, named))


@pytest.mark.parametrize(
    ("command", "wish"),
    [
        (Command(verb="prio", jobs=(4,), number=9), ("priority", (4,), {"to": 9})),
        (Command(verb="top", jobs=(4, 5)), ("top", (4, 5), {})),
        (Command(verb="move", jobs=(4,), queue="a/b"), ("move", (4,), "a/b", {})),
        (Command(verb="retry", jobs=(4,)), ("retry", (4,), {})),
        (Command(verb="node", node="n", choice="drain"), ("drain", "n", {})),
        (Command(verb="node", node="n", choice="resume"), ("resume", "n", {})),
        (
            Command(verb="queue", queue="a/b", choice="pause"),
            ("pause_queue", "a/b", {"paused": True}),
        ),
        (
            Command(verb="queue", queue="a/b", choice="resume"),
            ("pause_queue", "a/b", {"paused": False}),
        ),
    ],
)
async def test_a_command_becomes_a_wish(command: Command, wish: tuple[Any, ...]) -> None:
    app = a_console()
    asked = Asked()
    app.actions = asked  # type: ignore[misc, assignment]
    async with app.run_test():
        app.carry_out(command)

    assert asked.wishes == [wish]


async def test_cancelling_asks_first_and_enter_is_no_yes() -> None:
    app = a_console()
    asked = Asked()
    app.actions = asked  # type: ignore[misc, assignment]
    async with app.run_test() as pilot:
        app.carry_out(Command(verb="cancel", jobs=(1, 2)))
        await pilot.pause()
        assert isinstance(app.screen, Confirm)
        await pilot.press("enter")
        assert asked.wishes == []

        app.carry_out(Command(verb="cancel", jobs=(1, 2)))
        await pilot.press("y")

    assert asked.wishes == [("cancel", (1, 2), {"grace_s": None})]
