"""One line to type in under a screen, with what was typed before: for ``/`` and ``:``."""

from collections.abc import Callable, Sequence
from typing import ClassVar, Final

from textual.binding import Binding, BindingType
from textual.message import Message
from textual.widgets import Input

from eaas_tui.model.text_lines import MIN_WIDTH, within

KEPT: Final = 50


class History:
    """What was typed before, the newest last, and how far back a person has gone."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self._at = 0
        self._draft = ""

    def add(self, line: str) -> None:
        """Keep a line, once; the next look back begins with it."""
        if line.strip():
            self.lines = [*(old for old in self.lines if old != line), line][-KEPT:]
        self._at = len(self.lines)

    def earlier(self, now: str) -> str:
        """Return the line before; what is being typed is kept for the way back."""
        if self._at == len(self.lines):
            self._draft = now
        self._at = max(0, self._at - 1)
        return self.lines[self._at] if self.lines else now

    def later(self, now: str) -> str:
        """Return the line after, at last what was being typed."""
        if self._at >= len(self.lines):
            return now
        self._at += 1
        return self._draft if self._at == len(self.lines) else self.lines[self._at]


class Prompt(Input):
    """A line to type in: ``enter`` takes it, ``escape`` leaves it, ``tab`` completes it."""

    DEFAULT_CSS = """
    Prompt { dock: bottom; height: 1; border: none; padding: 0 1; background: $surface; }
    Prompt:focus { border: none; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave", "Leave", show=False, id="prompt.leave"),
        Binding("up", "earlier", "Earlier", show=False, id="prompt.earlier"),
        Binding("down", "later", "Later", show=False, id="prompt.later"),
        Binding("tab", "complete", "Complete", show=False, id="prompt.complete"),
    ]

    class Taken(Message):
        """A line was typed."""

        def __init__(self, prompt: "Prompt", line: str) -> None:
            super().__init__()
            self.prompt: Final = prompt
            self.line: Final = line

        @property
        def control(self) -> "Prompt":
            """The prompt, so that a handler can name it by selector."""
            return self.prompt

    class Left(Message):
        """A person does not want to type after all."""

        def __init__(self, prompt: "Prompt") -> None:
            super().__init__()
            self.prompt: Final = prompt

        @property
        def control(self) -> "Prompt":
            """The prompt, so that a handler can name it by selector."""
            return self.prompt

    def __init__(
        self,
        *,
        value: str = "",
        placeholder: str = "",
        history: History | None = None,
        completions: Callable[[str], Sequence[str]] | None = None,
        id: str | None = None,
    ) -> None:
        super().__init__(value, placeholder=placeholder, id=id, select_on_focus=False)
        self._history: Final = History() if history is None else history
        self._completions: Final = completions
        self._hint: Final = placeholder

    def on_resize(self) -> None:
        """Say what may be typed in what room there is; what is left out ends in a mark."""
        if self._hint:
            self.placeholder = within(self._hint, max(MIN_WIDTH, self.content_size.width - 1), 1)[0]

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Take the line."""
        event.stop()
        self._history.add(event.value)
        self.post_message(self.Taken(self, event.value))

    def action_leave(self) -> None:
        """Stop typing."""
        self.post_message(self.Left(self))

    def action_earlier(self) -> None:
        """Show what was typed before."""
        self._show(self._history.earlier(self.value))

    def action_later(self) -> None:
        """Go forward again."""
        self._show(self._history.later(self.value))

    def action_complete(self) -> None:
        """Complete the line as far as only one way leads."""
        choices = [] if self._completions is None else self._completions(self.value)
        if choices and len(common := begun_alike(choices)) > len(self.value):
            self._show(common)

    def _show(self, line: str) -> None:
        self.value = line
        self.cursor_position = len(line)


def begun_alike(lines: Sequence[str]) -> str:
    """Return what all of the lines begin with."""
    first, last = min(lines), max(lines)
    for place, sign in enumerate(first):
        if sign != last[place]:
            return first[:place]
    return first
