"""The form's commands in Textual's palette."""

from collections.abc import Iterator

from textual.command import DiscoveryHit, Hit, Hits, Provider
from textual.types import IgnoreReturnCallbackType

COMMANDS = {
    "send": ("Submit the job", "ctrl+s"),
    "open": ("Open a job file", "fill the form from YAML"),
    "save": ("Save as a job file", "write the form as YAML"),
    "edit": ("Edit as YAML", "in $EDITOR, ctrl+e"),
    "leave": ("Leave the form", "escape"),
}


class FormCommands(Provider):
    """Finds what the form can do."""

    async def discover(self) -> Hits:
        """Offer everything before anything is typed."""
        for name, help, run in self._commands():
            yield DiscoveryHit(name, run, help=help)

    async def search(self, query: str) -> Hits:
        """Offer what the query means."""
        matcher = self.matcher(query)
        for name, help, run in self._commands():
            if (score := matcher.match(name)) > 0:
                yield Hit(score, matcher.highlight(name), run, help=help)

    def _commands(self) -> Iterator[tuple[str, str, IgnoreReturnCallbackType]]:
        for action, (name, help) in COMMANDS.items():
            yield name, help, getattr(self.screen, f"action_{action}")
