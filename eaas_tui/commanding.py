"""The ``:`` command line, and how what was typed there is carried out."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Final, cast

from msgspec.structs import replace
from textual.app import App, ComposeResult
from textual.screen import ModalScreen
from textual.widgets import Input, Static

from eaas.lifecycle import ENDED
from eaas.safe_text import safe_text
from eaas_tui import themes
from eaas_tui.commands import Command, Mistake, completions, hints, needs_of, understood
from eaas_tui.model.picture import Picture
from eaas_tui.widgets.prompt import History, Prompt

if TYPE_CHECKING:
    from eaas_tui.app import ConsoleApp
    from eaas_tui.screens.confirm import Yes


class CommandLine(ModalScreen[str | None]):
    """One line under the screen that is left with what was typed, or with nothing.

    Above it stands how the line may go on, or why it could not be understood.
    """

    DEFAULT_CSS = """
    CommandLine { background: transparent; }
    CommandLine > #command-hints {
        dock: bottom; height: auto; max-height: 50%; margin: 0 0 1 0; padding: 0 1;
        background: $surface; color: $text-muted;
    }
    """

    def __init__(self, picture: Picture, history: History, begin: str = "") -> None:
        super().__init__()
        self._picture: Final = picture
        self._history: Final = history
        self._begin: Final = begin

    def compose(self) -> ComposeResult:
        """Compose the line and what stands above it."""
        yield Static(id="command-hints", markup=False)
        yield Prompt(
            value=self._begin,
            placeholder="a command, as node a or prio 42 10; tab completes",
            history=self._history,
            completions=lambda line: completions(line, self._picture),
        )

    def acts_on(self, key: str) -> bool:
        """Tell whether the key would carry out a line that does more than look."""
        meant = understood(self.query_one(Prompt).value, self._picture) if key == "enter" else None
        return isinstance(meant, Command) and needs_of(meant) != "look"

    def on_mount(self) -> None:
        """Say what can be said."""
        self._hint(self._begin)

    def on_input_changed(self, event: Input.Changed) -> None:
        """Follow what is typed."""
        self._hint(event.value)

    def on_prompt_taken(self, event: Prompt.Taken) -> None:
        """Leave with the line; one that can't be understood stays to be mended."""
        meant = understood(event.line, self._picture)
        if isinstance(meant, Mistake):
            self._say(meant.sentence)
        else:
            self.dismiss(event.line)

    def _hint(self, line: str) -> None:
        self._say("\n".join(hints(line, self._picture)))

    def _say(self, text: str) -> None:
        shown = self.query_one("#command-hints", Static)
        shown.update(safe_text(text, keep_newlines=True))
        shown.display = bool(text)

    def on_prompt_left(self) -> None:
        """Leave with nothing."""
        self.dismiss(None)


def _offers() -> type:
    """Return what finds the palette's lines; it is imported when that is first opened."""
    from eaas_tui.palette import ConsoleCommands

    return ConsoleCommands


class Commanding(App[None]):
    """Gives the console its command line, and the same words in Textual's palette."""

    COMMANDS: ClassVar[set[Any]] = {_offers}

    def __init__(self) -> None:
        super().__init__()
        self._typed: Final = History()

    def action_command_line(self, begin: str = "") -> None:
        """Open the command line."""
        self.push_screen(CommandLine(self._console.picture, self._typed, begin), self._typed_in)

    def carry_out(self, command: Command) -> None:
        """Do what a line says, or say why nothing can be done now."""
        app = self._console
        acts = needs_of(command) != "look" and command.verb != "new"
        if acts and (refusal := app.actions.refusal()) is not None:
            app.say(f"Not done: {refusal}")
        else:
            _DEEDS[command.verb](app, command)

    def _typed_in(self, line: str | None) -> None:
        meant = understood(line or "", self._console.picture)
        if isinstance(meant, Command):
            self.carry_out(meant)

    @property
    def _console(self) -> "ConsoleApp":
        return cast("ConsoleApp", self)


def _jobs(app: "ConsoleApp", command: Command) -> None:
    app.action_view("jobs")
    if command.filter:
        app.call_later(_filter, app, command.filter)


def _filter(app: "ConsoleApp", text: str) -> None:
    from eaas_tui.screens.jobs import JobsScreen

    if isinstance(screen := app.screen, JobsScreen):
        screen.ask(replace(screen.query_now, text=text))


def _node(app: "ConsoleApp", command: Command) -> None:
    assert command.node is not None, "the verb takes one"
    if command.choice == "drain":
        app.actions.drain(command.node)
    elif command.choice == "resume":
        app.actions.resume(command.node)
    else:
        app.open_node(command.node)


def _queue(app: "ConsoleApp", command: Command) -> None:
    assert command.queue is not None, "the verb takes one"
    if command.choice is None:
        app.open_queue(command.queue)
    else:
        app.actions.pause_queue(command.queue, paused=command.choice == "pause")


def _theme(app: "ConsoleApp", command: Command) -> None:
    app.theme = themes.full_name(command.choice or "")


def _cancel(app: "ConsoleApp", command: Command) -> None:
    """Ask before anything ends, as the key does."""
    from eaas_tui.screens.acting import cancel_question

    known = app.picture.jobs
    ended = [id for id in command.jobs if id in known and known[id].state in ENDED]
    if ended:
        named = ", ".join(known[id].ref for id in ended)
        app.say(f"job {named} has ended" if len(ended) == 1 else f"jobs {named} have ended")
    jobs = tuple(id for id in command.jobs if id not in ended)
    if not jobs:
        return

    def answered(yes: "Yes | None") -> None:
        if yes is not None:
            app.actions.cancel(jobs, grace_s=yes.grace_s)

    asked = [known.get(id) or id for id in jobs]
    app.push_screen(cancel_question(asked, app.picture.user), answered)


_DEEDS: Final[Mapping[str, Callable[["ConsoleApp", Command], object]]] = {
    "overview": lambda app, _: app.action_view("overview"),
    "jobs": _jobs,
    "job": lambda app, command: app.open_job(command.jobs[0]),
    "node": _node,
    "events": lambda app, _: app.action_view("events"),
    "bookings": lambda app, _: app.action_view("bookings"),
    "new": lambda app, _: app.action_submit(),
    "queue": _queue,
    "prio": lambda app, command: app.actions.priority(command.jobs, to=command.number),
    "top": lambda app, command: app.actions.top(command.jobs),
    "move": lambda app, command: app.actions.move(command.jobs, command.queue or ""),
    "cancel": _cancel,
    "retry": lambda app, command: app.actions.retry(command.jobs),
    "theme": _theme,
    "help": lambda app, _: app.action_help(),
    "quit": lambda app, _: app.exit(),
}
