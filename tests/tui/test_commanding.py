"""What is typed after ``:`` reaches the controller, or the view it names."""

import asyncio
from typing import Any

import pytest
from textual import events
from textual.widgets import Input

from eaas_tui.commands import Command
from eaas_tui.screens.confirm import Confirm
from tests.rig.consoles import a_console
from tests.rig.pictures import a_job, a_picture
from tests.rig.pilots import screen_lines, until


class Asked:
    """Keeps what was asked for, as ``Actions`` would send it."""

    def __init__(self) -> None:
        self.wishes: list[tuple[Any, ...]] = []
        self.why_not: str | None = None

    def refusal(self) -> str | None:
        return self.why_not

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
        await until(lambda: isinstance(app.screen, Confirm), pilot)
        await pilot.press("enter")
        assert asked.wishes == []

        app.reading_s = 0.0  # type: ignore[misc]
        app.carry_out(Command(verb="cancel", jobs=(1, 2)))
        await pilot.pause()
        await pilot.press("y")

    assert asked.wishes == [("cancel", (1, 2), {"grace_s": None})]


async def test_cancelling_an_ended_job_says_so_and_asks_nothing() -> None:
    app = a_console()
    app.actions = Asked()  # type: ignore[misc, assignment]
    async with app.run_test() as pilot:
        app.picture = a_picture(jobs={35: a_job(35, state="Succeeded"), 36: a_job(36)})
        app.carry_out(Command(verb="cancel", jobs=(35,)))

        await until(
            lambda: [note.message for note in app._notifications] == ["job 35 has ended"], pilot
        )
        assert len(app.screen_stack) == 1

        app.carry_out(Command(verb="cancel", jobs=(35, 36)))
        await until(lambda: "Cancel job 36?" in "\n".join(screen_lines(app)), pilot)


@pytest.mark.parametrize("verb", ["prio", "top", "move", "cancel", "retry", "queue", "node"])
async def test_a_command_that_acts_is_refused_with_the_reason_and_nothing_is_asked(
    verb: str,
) -> None:
    app = a_console()
    asked = Asked()
    asked.why_not = "this console only looks"
    app.actions = asked  # type: ignore[misc, assignment]
    async with app.run_test() as pilot:
        app.carry_out(Command(verb=verb, jobs=(1,), node="n", queue="a/b", choice="drain"))

        await until(
            lambda: (
                [note.message for note in app._notifications]
                == ["Not done: this console only looks"]
            ),
            pilot,
        )
        assert len(app.screen_stack) == 1
    assert asked.wishes == []


async def test_a_line_that_acts_and_came_as_a_paste_without_marks_waits_for_a_lone_enter() -> None:
    app = a_console()
    asked = Asked()
    app.actions = asked  # type: ignore[misc, assignment]
    async with app.run_test() as pilot:
        for key in ("colon", *"prio", "space", "4", "space", "9", "enter"):
            app.post_message(events.Key(key, " " if key == "space" else key[:1]))
        async with asyncio.timeout(20):
            while not app._notifications:
                await pilot.pause(0.01)
        assert asked.wishes == []
        assert app.screen.query_one(Input).value == "prio 4 9"

        await pilot.press("enter")
        await pilot.pause()

    assert asked.wishes == [("priority", (4,), {"to": 9})]
