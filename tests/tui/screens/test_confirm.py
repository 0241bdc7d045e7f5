"""Nothing is done by a blind key: the answer that changes nothing is the default."""

import asyncio
from typing import Any

import pytest
from textual import events
from textual.app import App
from textual.pilot import Pilot
from textual.screen import ModalScreen
from textual.widgets import Button

from eaas.views import QueueView
from eaas_tui.screens.confirm import (
    TOO_EARLY,
    AskNumber,
    Confirm,
    PickQueue,
    TypeToConfirm,
    Yes,
    named,
)
from tests.rig.pilots import until

UNASKED = object()


class AskingApp(App[None]):
    """Asks one question and keeps the answer."""

    answer: Any = UNASKED
    reading_s = 0.0

    def ask(self, question: ModalScreen[Any]) -> None:
        self.push_screen(question, self.keep)

    def keep(self, answer: Any) -> None:
        self.answer = answer


def a_confirm() -> Confirm:
    lines = ["42 [red]train[/red]  ada  n1: card 0"]
    return Confirm("Cancel job 42?", lines, yes="Cancel the job", no="Keep it", asks_grace=True)


def a_queue(name: str) -> QueueView:
    return QueueView(
        name=name,
        pool="default",
        ref=f"default/{name}",
        priority=0,
        paused=name == "night",
        max_running=None,
        max_gpus=None,
        max_pending=None,
        max_per_user=None,
        max_gpus_per_user=None,
        max_priority=None,
        timeout_s=None,
        max_timeout_s=None,
        allow=(),
        preemptible=False,
        hold_after_s=None,
        idle_after_s=None,
        requeue_after_s=None,
        waiting=3,
        running=1,
        gpus_held=1,
    )


async def answer_to(question: ModalScreen[Any], *keys: str) -> Any:
    app = AskingApp()
    async with app.run_test(size=(80, 24)) as pilot:
        app.ask(question)
        await pilot.pause()
        await pilot.press(*keys)
        await pilot.pause()
        return app.answer


@pytest.mark.parametrize("keys", [["enter"], ["escape"], ["n"], ["down", "up", "enter"], ["space"]])
async def test_a_blind_key_changes_nothing(keys: list[str]) -> None:
    assert await answer_to(a_confirm(), *keys) in (None, UNASKED)


async def test_a_typed_y_is_a_yes_and_so_is_its_button() -> None:
    assert await answer_to(a_confirm(), "y") == Yes()
    assert await answer_to(a_confirm(), "tab", "enter") == Yes()


async def test_the_grace_is_typed_and_goes_with_the_yes() -> None:
    answer = await answer_to(a_confirm(), "shift+tab", *"1m30s", "enter", "y")

    assert answer == Yes(grace_s=90.0)


async def test_a_grace_that_cannot_be_read_is_said_and_nothing_is_done() -> None:
    app = AskingApp()
    async with app.run_test(size=(80, 24)) as pilot:
        app.ask(a_confirm())
        await pilot.pause()
        await pilot.press("shift+tab", *"90", "enter", "y")

        assert app.answer is UNASKED
        assert shown(pilot, "#question-mistake").startswith("grace: 90 has no unit")


async def test_a_paste_answers_nothing() -> None:
    app = AskingApp()
    async with app.run_test(size=(80, 24)) as pilot:
        app.ask(a_confirm())
        await pilot.pause()
        app.screen.post_message(events.Paste("y\nyes\n"))
        await pilot.pause()

        assert app.answer is UNASKED


async def test_a_yes_that_came_before_the_question_could_be_read_is_none() -> None:
    app = AskingApp()
    app.reading_s = 0.4
    async with app.run_test(size=(80, 24)) as pilot:
        app.ask(a_confirm())
        await pilot.pause()
        yes = app.screen.query_one("#yes", Button)
        assert str(yes.label).strip() == "Cancel the job"
        for keys in (["y"], ["tab", "enter"]):
            await pilot.press(*keys)
            assert app.answer is UNASKED
            assert shown(pilot, "#question-mistake") == TOO_EARLY

        async with asyncio.timeout(20):
            while not str(yes.label).startswith("y"):
                await pilot.pause(0.01)
        await pilot.press("y")

        await until(lambda: app.answer == Yes(), pilot)


async def test_what_kills_is_typed_and_any_other_word_is_none() -> None:
    def question() -> TypeToConfirm:
        return TypeToConfirm("Kill job 42 at once?", word="42", does="kill it")

    assert await answer_to(question(), *"42", "enter") is True
    assert await answer_to(question(), *"y", "enter") is UNASKED
    assert await answer_to(question(), "enter") is UNASKED
    assert await answer_to(question(), "escape") is None
    assert await answer_to(question(), *"42", "tab", "enter") is None


async def test_what_is_asked_about_is_named_as_it_is_written() -> None:
    app = AskingApp()
    async with app.run_test(size=(80, 24)) as pilot:
        app.ask(a_confirm())

        await until(lambda: app.screen.query("#question-lines"), pilot)

        assert shown(pilot, "#question-lines") == "42 [red]train[/red]  ada  n1: card 0"


def test_of_many_the_first_are_named_and_the_others_counted() -> None:
    assert named([str(number) for number in range(30)])[-2:] == ["7", "and 22 more"]
    assert len(named([str(number) for number in range(9)])) == 9


async def test_a_number_is_asked_with_its_limits() -> None:
    def question() -> AskNumber:
        return AskNumber("Priority of job 42", value=5, least=-100, most=100)

    assert await answer_to(question(), "backspace", "-", "7", "enter") == -7
    assert await answer_to(question(), "1", "0", "1", "enter") is UNASKED
    assert await answer_to(question(), "x", "enter") is UNASKED
    assert await answer_to(question(), "escape") is None


async def test_a_queue_is_picked_from_those_there_are() -> None:
    def question() -> PickQueue:
        return PickQueue("Move job 42", queues=[a_queue("default"), a_queue("night")])

    assert await answer_to(question(), "down", "enter") == "default/night"
    assert await answer_to(question(), "escape") is None


@pytest.mark.parametrize("size", [(20, 5), (80, 24), (200, 60)])
async def test_every_question_fits_somehow(size: tuple[int, int]) -> None:
    questions = (
        a_confirm(),
        AskNumber("Priority", value=None, least=0, most=1),
        PickQueue("Move", queues=[a_queue("default")] * 1),
        TypeToConfirm("Kill", word="42", does="kill it"),
    )
    for question in questions:
        app = AskingApp()
        async with app.run_test(size=size) as pilot:
            app.ask(question)
            await pilot.pause()
            await pilot.press("escape")

            assert app.answer is None


def shown(pilot: Pilot[None], selector: str) -> str:
    return str(pilot.app.screen.query_one(selector).render())
