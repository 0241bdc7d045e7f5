"""What is asked before something is done: whether, which priority, which queue.

The answer that changes nothing is the default: ``escape`` and a blind ``enter`` give it, and only
a typed ``y`` or its own button gives the other, once the question has been there to be read. A
paste answers nothing, unless it is the very word that a question asks for.
"""

from collections.abc import Callable, Iterable, Sequence
from time import monotonic
from typing import ClassVar, Final, TypeVar

import msgspec
from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Button, Input, OptionList, Static
from textual.widgets.option_list import Option

from eaas.lifecycle import DEFAULT_GRACE_S
from eaas.units import UnitError, format_duration, parse_duration_s
from eaas.views import QueueView
from eaas_tui.model.picture import Picture

T = TypeVar("T")

ANSWERS: Final = frozenset({"y", "enter", "space"})
"""The keys that can answer a question."""
TOO_EARLY: Final = "That key came before this could be read: press it again"

LINES_SHOWN: Final = 8
"""How many things are named one by one; of more only the number is told."""


class Question(ModalScreen[T | None]):
    """A box above the screen, with a way out that does nothing."""

    CSS_PATH = "confirm.tcss"
    AUTO_FOCUS = "#no"
    VERTICAL_BREAKPOINTS = [(0, "-short"), (16, "-tall")]  # noqa: RUF012 - as Textual declares it
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "give_up", "Back", show=False)]

    def __init__(self, title: str, lines: Sequence[str] = ()) -> None:
        super().__init__()
        self._title: Final = title
        self._lines: Final = lines

    def compose(self) -> ComposeResult:
        """Compose the title, the lines, what the subclass asks, and the buttons."""
        with VerticalScroll(id="question", can_focus=False):
            yield Static(Content(self._title), id="question-title")
            if self._lines:
                yield Static(Content("\n".join(self._lines)), id="question-lines")
            yield from self.fields()
            yield Static(id="question-mistake", markup=False)
            with Horizontal(id="question-buttons"):
                yield from self.buttons()

    def fields(self) -> Iterable[Static | Input | OptionList]:
        """Return what is to be filled in; nothing unless a subclass asks something."""
        return ()

    def buttons(self) -> Iterable[Button]:
        """Return the buttons; the one that changes nothing is ``no``."""
        return (Button("esc  Back", id="no", compact=True),)

    def action_give_up(self) -> None:
        """Close and do nothing."""
        self.dismiss(None)

    def acts_on(self, key: str) -> bool:
        """Tell whether the key may answer."""
        return key in ANSWERS

    def say(self, mistake: str) -> None:
        """Show why the answer can't be taken; an empty text takes that away."""
        line = self.query_one("#question-mistake", Static)
        line.update(Content(mistake))
        line.set_class(bool(mistake), "-shown")

    def on_input_changed(self) -> None:
        """Take away what was said of another answer."""
        self.say("")


class Yes(msgspec.Struct, frozen=True, kw_only=True):
    """The answer to ``Confirm`` when it is to be done."""

    grace_s: float | None = None
    """None leaves it to the controller."""


class Confirm(Question[Yes]):
    """Asks whether to do something that cannot be taken back."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("n", "give_up", "No", show=False),
        Binding("left,up", "app.focus_previous", show=False),
        Binding("right,down", "app.focus_next", show=False),
    ]

    def __init__(
        self,
        title: str,
        lines: Sequence[str] = (),
        *,
        yes: str,
        no: str = "Back",
        asks_grace: bool = False,
        remark: Callable[[Picture], str | None] | None = None,
    ) -> None:
        """``remark`` says what has become of what is asked about since; None while it is so."""
        super().__init__(title, named(lines))
        self._remark: Final = remark
        self._yes: Final = yes
        self._no: Final = no
        self._asks_grace: Final = asks_grace
        self._readable_at = float("inf")

    def on_mount(self) -> None:
        """Wait until it was painted and could be read; the button has its key from then on."""
        if self._remark is not None:
            self.watch(self.app, "picture", self._heard, init=False)
        self.call_after_refresh(self._painted)

    def _heard(self, picture: Picture) -> None:
        if self._remark is not None and (text := self._remark(picture)) is not None:
            self.say(text)

    def _painted(self) -> None:
        if reading_s := float(getattr(self.app, "reading_s", 0.0)):
            self.set_timer(reading_s, self._was_readable)
        else:
            self._was_readable()

    def _was_readable(self) -> None:
        self._readable_at = monotonic()
        self.query_one("#yes", Button).label = Content(f"y  {self._yes}")

    def on_key(self, event: events.Key) -> None:
        """Take a ``y``; none that was pressed before there was anything to agree to."""
        is_yes = self.focused is not None and self.focused.id == "yes"
        if event.key != "y" and not (is_yes and event.key in ANSWERS):
            return
        if event.time < self._readable_at:
            event.stop()
            self.say(TOO_EARLY)
        elif event.key == "y":
            event.stop()
            self.action_agree()

    def fields(self) -> Iterable[Input]:
        """Return the time that a job gets to end by itself, where that is asked."""
        if self._asks_grace:
            usual = format_duration(DEFAULT_GRACE_S)
            words = f"grace: {usual}, or type another, as 2m"
            yield Input(placeholder=words, id="grace", compact=True)

    def buttons(self) -> Iterable[Button]:
        """Return the two answers."""
        yield Button(Content(f"esc  {self._no}"), id="no", compact=True)
        yield Button(Content(f"   {self._yes}"), id="yes", variant="error", compact=True)

    def on_button_pressed(self, event: Button.Pressed) -> None:
        """Take the answer."""
        event.stop()
        if event.button.id == "yes":
            self.action_agree()
        else:
            self.action_give_up()

    def on_input_submitted(self) -> None:
        """Go from the grace to the answer that changes nothing: ``enter`` is no yes."""
        self.query_one("#no").focus()

    def action_agree(self) -> None:
        """Do it, if the grace can be read."""
        text = self.query_one("#grace", Input).value.strip() if self._asks_grace else ""
        try:
            grace_s = parse_duration_s(text) if text else None
        except UnitError as error:
            self.say(f"grace: {error.sentence}")
            self.query_one("#grace").focus()
            return
        self.dismiss(Yes(grace_s=grace_s))


class TypeToConfirm(Question[bool]):
    """Asks for a word that nobody types by accident; True once it was typed."""

    AUTO_FOCUS = "#word"

    def acts_on(self, key: str) -> bool:
        """Tell whether the key may answer: enter right behind the word is no accident either."""
        is_typing = self.focused is not None and self.focused.id == "word"
        return super().acts_on(key) and not is_typing

    def __init__(self, title: str, lines: Sequence[str] = (), *, word: str, does: str) -> None:
        super().__init__(title, named(lines))
        self._word: Final = word
        self._does: Final = does

    def fields(self) -> Iterable[Input]:
        """Return the word's field, which says what to type."""
        words = f"type {self._word} and enter to {self._does}"
        yield Input(placeholder=words, id="word", compact=True)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Do it if it is the word."""
        event.stop()
        if event.value.strip() == self._word:
            self.dismiss(True)
        else:
            self.say(f"That is not {self._word}: type it to {self._does}, or press esc")

    def on_button_pressed(self) -> None:
        """Close and do nothing."""
        self.action_give_up()


class AskNumber(Question[int]):
    """Asks for a whole number between two others."""

    AUTO_FOCUS = "#number"

    def __init__(
        self, title: str, lines: Sequence[str] = (), *, value: int | None, least: int, most: int
    ) -> None:
        super().__init__(title, named(lines))
        self._value: Final = value
        self._least: Final = least
        self._most: Final = most

    def fields(self) -> Iterable[Input]:
        """Return the number's field, filled with what holds now."""
        yield Input(
            "" if self._value is None else str(self._value),
            placeholder=f"{self._least} to {self._most}",
            id="number",
            compact=True,
        )

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Take the number, or say what is wrong with it."""
        event.stop()
        try:
            number = int(event.value)
        except ValueError:
            self.say("must be a whole number, such as 10 or -5")
            return
        if not self._least <= number <= self._most:
            self.say(f"must be between {self._least} and {self._most}")
            return
        self.dismiss(number)

    def on_button_pressed(self) -> None:
        """Close and do nothing."""
        self.action_give_up()


class PickQueue(Question[str]):
    """Asks for one of the queues."""

    AUTO_FOCUS = "OptionList"

    def __init__(
        self, title: str, lines: Sequence[str] = (), *, queues: Sequence[QueueView]
    ) -> None:
        super().__init__(title, named(lines))
        self._queues: Final = queues

    def fields(self) -> Iterable[OptionList]:
        """Return the queues, each with how full it is."""
        yield OptionList(
            *(Option(Content(_queue_line(queue)), id=queue.ref) for queue in self._queues),
            compact=True,
        )

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Take the queue."""
        event.stop()
        self.dismiss(event.option_id)

    def on_button_pressed(self) -> None:
        """Close and do nothing."""
        self.action_give_up()


def named(lines: Sequence[str]) -> list[str]:
    """Return the first lines, and how many more there are."""
    more = len(lines) - LINES_SHOWN
    if more <= 1:
        return list(lines)
    return [*lines[:LINES_SHOWN], f"and {more} more"]


def _queue_line(queue: QueueView) -> str:
    paused = "  paused" if queue.paused else ""
    return f"{queue.ref:<24} {queue.running} running  {queue.waiting} waiting{paused}"
