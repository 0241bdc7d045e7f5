from textual import on

from eaas_tui.widgets.prompt import History, Prompt, begun_alike
from tests.rig.pilots import OneWidget


class Asking(OneWidget):
    """Shows a prompt and keeps what it says."""

    def __init__(self, prompt: Prompt) -> None:
        super().__init__(prompt)
        self.said: list[str | None] = []

    @on(Prompt.Taken)
    def _taken(self, event: Prompt.Taken) -> None:
        self.said.append(event.line)

    @on(Prompt.Left)
    def _left(self) -> None:
        self.said.append(None)


def test_the_history_goes_back_and_forth_and_keeps_what_was_being_typed() -> None:
    history = History()
    for line in ("one", "two", "one", " "):
        history.add(line)

    assert history.lines == ["two", "one"]
    assert history.earlier("dra") == "one"
    assert history.earlier("one") == "two"
    assert history.earlier("two") == "two"
    assert history.later("two") == "one"
    assert history.later("one") == "dra"
    assert history.later("dra") == "dra"


def test_an_empty_history_changes_nothing() -> None:
    assert History().earlier("a") == "a"
    assert History().later("a") == "a"


def test_lines_are_completed_as_far_as_they_are_alike() -> None:
    assert begun_alike(["node a", "node ab"]) == "node a"
    assert begun_alike(["x"]) == "x"
    assert begun_alike(["a", "b"]) == ""


async def test_enter_takes_the_line_and_escape_leaves_it() -> None:
    app = Asking(Prompt())
    async with app.run_test() as pilot:
        await pilot.press("q", "1", "enter", "escape")

    assert app.said == ["q1", None]


async def test_tab_completes_and_up_brings_back_what_was_typed() -> None:
    prompt = Prompt(
        completions=lambda line: [w for w in ("node a", "node b") if w.startswith(line)]
    )
    app = Asking(prompt)
    async with app.run_test() as pilot:
        await pilot.press("n", "tab")
        assert prompt.value == "node "
        await pilot.press("b", "enter", *("backspace",) * 6, "up")
        assert prompt.value == "node b"
