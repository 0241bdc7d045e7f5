"""How a person goes from view to view, and back."""

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, cast

from textual.app import App
from textual.screen import Screen

from eaas.errors import EaasError
from eaas.views import JobView
from eaas_tui.screens.acting import CloneAsked
from eaas_tui.screens.base import PictureScreen
from eaas_tui.views import BASES, made

if TYPE_CHECKING:
    from eaas_tui.app import ConsoleApp
    from eaas_tui.screens.help import Entry


class Going(App[None]):
    """Opens and closes the console's views."""

    MODES: ClassVar[dict[str, str | Callable[[], Screen[Any]]]] = {
        name: partial(made, name) for name in BASES
    }
    DEFAULT_MODE = BASES[0]

    _node_shown: Screen[Any] | None = None
    """The node's screen that was opened last; it knows which node it came to."""
    _selected_then: str | None = None
    """Which node was selected where that was opened from."""

    @property
    def _console(self) -> "ConsoleApp":
        return cast("ConsoleApp", self)

    def action_view(self, name: str) -> None:
        """Go to a view that is always there, or to a node."""
        if name == "node":
            self.open_node()
            return
        self.switch_mode(name)
        while len(self.screen_stack) > 1:
            self.pop_screen()

    def open_job(self, id: int, tab: str = "Overview") -> None:
        """Open a job above what is shown, at one of its tabs."""
        self.push_screen(made("job", id, tab=tab))

    def open_node(self, name: str | None = None) -> None:
        """Open a node above what is shown: this one, the one meant here, or the first."""
        selected = self._facts().get("node")
        chosen = (
            name or self._node_meant(selected) or min(self._console.picture.nodes, default=None)
        )
        if chosen is None:
            self._console.say("there is no node yet: mini-eaas up starts one on this machine")
            return
        if selected is not None and getattr(self.screen, "view_name", "") != "node":
            self._selected_then = selected
        self._node_shown = made("node", chosen)
        self.push_screen(self._node_shown)

    def open_queue(self, ref: str) -> None:
        """Open a queue above what is shown, by its ``pool/queue``."""
        self.push_screen(made("queue", ref))

    def _node_meant(self, selected: str | None) -> str | None:
        """Return the node looked at last, until a person has selected another one since."""
        last = getattr(self._node_shown, "node", None)
        if last in self._console.picture.nodes and selected in (None, self._selected_then):
            return str(last)
        return selected

    def action_submit(self) -> None:
        """Open the form for a new job."""
        self.open_submit()

    def open_submit(self, like: JobView | None = None) -> None:
        """Open the form: as the last submit left it, or as a copy of a job."""
        if (
            refusal := self._console.actions.refusal()
        ) is not None and self._console.arguments.view_only:
            self._console.say(refusal)
            return
        from eaas_tui.desk import desk_of  # reads job files, which the first paint does not

        self.push_screen(made("submit", desk_of(self._console), like=like))

    async def on_clone_asked(self, event: CloneAsked) -> None:
        """Open the form as a copy of a job, also of one that ended long ago."""
        like = self._console.picture.jobs.get(event.job)
        if like is None and self._console.client is not None:
            try:
                like = await self._console.client.job(event.job)
            except EaasError as refusal:
                self._console.say(str(refusal))
                return
        self.open_submit(like=like)

    def on_submit_screen_submitted(self, event: Any) -> None:
        """Close the form, wherever the person is by now, and open the job that came of it."""
        self._console.say(f"job {event.job.ref} was submitted", severity="information")
        if getattr(self.screen, "view_name", "") == "submit":
            self.pop_screen()
            self.open_job(event.job.id)

    def action_help(self) -> None:
        """Show the keys of the screen on top."""
        from eaas_tui.screens.help import HelpScreen

        view = getattr(self.screen, "view_name", "")
        self.push_screen(HelpScreen(view, may=self._console.may), self._chosen_in_help)

    def _chosen_in_help(self, entry: "Entry | None") -> None:
        if entry is not None and entry.verb:
            self._console.action_command_line(f"{entry.verb} ")
        elif entry is not None and entry.key:
            self.simulate_key(entry.key)

    async def action_back(self) -> None:
        """Close what is on top; the overview stays."""
        await self._close(leave=False)

    async def action_quit_view(self) -> None:
        """Close what is on top; the overview is the console itself."""
        await self._close(leave=True)

    async def _close(self, *, leave: bool) -> None:
        screen = self.screen
        if isinstance(screen, PictureScreen) and not screen.check_leave():
            await screen.run_action("leave")
        elif len(self.screen_stack) > 1:
            self.pop_screen()
        elif self.current_mode != self.DEFAULT_MODE:
            self.switch_mode(self.DEFAULT_MODE)
        elif leave:
            self.exit()

    def _facts(self) -> dict[str, Any]:
        return self.screen.facts() if isinstance(self.screen, PictureScreen) else {}
