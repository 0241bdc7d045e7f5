"""What Textual's command palette offers: the verbs of the command line, and the screen's keys."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING, NamedTuple, cast

from textual.command import DiscoveryHit, Hit, Hits, Provider

from eaas_tui.commands import VERBS, Command, usage
from eaas_tui.keys import FORMS, keys_of

if TYPE_CHECKING:
    from eaas_tui.app import ConsoleApp


class Offer(NamedTuple):
    """One line of the palette."""

    text: str
    help: str
    run: Callable[[], object]


class ConsoleCommands(Provider):
    """Finds what can be done here by any part of its words."""

    async def discover(self) -> Hits:
        """Yield everything."""
        for offer in self._offers():
            yield DiscoveryHit(offer.text, offer.run, help=offer.help)

    async def search(self, query: str) -> Hits:
        """Yield what matches."""
        matcher = self.matcher(query)
        for offer in self._offers():
            if (score := matcher.match(f"{offer.text} {offer.help}")) > 0:
                yield Hit(score, offer.text, offer.run, help=offer.help)

    def _offers(self) -> Iterator[Offer]:
        view = str(getattr(self.screen, "view_name", ""))
        if view not in FORMS:  # there a command would take what is typed away
            yield from self._verbs()
        app = cast("ConsoleApp", self.app)
        for key in keys_of(view):
            if key.needs in app.may and (key.action or view not in FORMS):
                run = partial(app.simulate_key, key.keys[0])
                yield Offer(f"{key.words}", f"key {key.labels}", run)

    def _verbs(self) -> Iterator[Offer]:
        app = cast("ConsoleApp", self.app)
        for verb in VERBS:
            if verb.needs not in app.may:
                continue
            if verb.takes and verb.takes != ("filter",):
                run: Callable[[], object] = partial(app.action_command_line, f"{verb.name} ")
            else:
                run = partial(app.carry_out, Command(verb=verb.name))
            yield Offer(usage(verb), verb.words, run)
