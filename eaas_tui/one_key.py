"""Keys are taken one at a time, each with all that follows from it.

Textual hands every key at once to whatever has the focus, and looks for what it means when it
has come back. Of keys that arrive together, as over a slow line, the later ones would go to what
the first one is about to cover: ``/xy`` typed fast would cancel a job instead of filtering.

And keys that do more than look are done only when a person can have pressed them: what a terminal
without marks around its pastes sends comes as keys too.
"""

import time
from collections import deque
from functools import partial
from typing import Any, Final

from textual import events
from textual.app import App
from textual.message_pump import MessagePump

from eaas_tui.bursts import BURST_S, Bursts
from eaas_tui.keys import label_of

PATIENCE_S: Final = 0.5
"""A key whose widget has gone away with it is waited for no longer."""

HESITATION_S: Final = 0.02
"""How long a key that acts is held back, to see whether more come with it."""

TOO_FAST: Final = (
    "was left out: it came with other keys, all at once, as a paste does; press it alone"
)

ROUNDS: Final = 2
"""How often the screen is drawn and the app comes to rest before the key counts as done."""


class OneKeyAtATime(App[None]):
    """An app whose next key waits until the one before has opened, closed or moved everything."""

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self._ahead: Final[deque[events.Key]] = deque()
        """Typed, and not looked at yet."""
        self._bursts: Final = Bursts()
        self._told_at = float("-inf")
        self._pressed_at = float("-inf")
        self._turn = 0
        self._is_busy = False
        self._is_held_up = False

    @property
    def is_busy(self) -> bool:
        """Tell whether a key is being done: what follows from it is not all drawn yet."""
        return self._is_busy

    @property
    def rested_s(self) -> float:
        """Return for how long no key has come."""
        return time.monotonic() - self._pressed_at

    def acts(self, key: str) -> bool:
        """Tell whether the key would do more than look on the screen that is on top."""
        acts_on = getattr(self.screen, "acts_on", None)
        return acts_on is not None and bool(acts_on(key))

    async def on_event(self, event: events.Event) -> None:
        """Take a key in its turn; everything else at once."""
        if not isinstance(event, events.Key) or event.is_forwarded:
            await super().on_event(event)
            return
        self._bursts.came(event.time)
        self._pressed_at = event.time
        if self._is_busy or self._is_held_up:
            self._ahead.append(event)
        else:
            await self._take(event)

    async def _take(self, event: events.Key) -> None:
        self._is_busy = True
        self._turn += 1
        if not self.acts(event.key):
            await self._do(event)
        elif self._bursts.holds(event.time):
            self._leave_out(event)
        else:
            self.set_timer(HESITATION_S, partial(self._do_if_pressed, event))

    async def _do_if_pressed(self, event: events.Key) -> None:
        if self._bursts.holds(event.time):
            self._leave_out(event)
        else:
            await self._do(event)

    def _leave_out(self, event: events.Key) -> None:
        """Go on with the next key; say once for all of a burst that some were left out."""
        if event.time - self._told_at > BURST_S:
            key = label_of(event.key)
            self.notify(f"{key} {TOO_FAST}", severity="warning", markup=False)
        self._told_at = event.time
        self._over(self._turn)

    async def _do(self, event: events.Key) -> None:
        target = self.focused or self.screen
        self.set_timer(PATIENCE_S, partial(self._over, self._turn))
        await super().on_event(event)
        self._follow(target, self._turn)

    def _follow(self, node: MessagePump | None, turn: int) -> None:
        """Go the key's way, from the widget up to the app, always behind it."""
        on = None if node is None or node is self else partial(self._follow, node._parent, turn)
        if node is None or on is None or not node.call_later(on):
            self.call_later(self._settle, turn, ROUNDS)

    def _settle(self, turn: int, rounds: int) -> None:
        """Wait for what the key has opened: it is laid out, and then it gets the focus."""
        again = partial(self.call_later, self._settle, turn, rounds - 1)
        if rounds == 0 or not self.screen.call_after_refresh(again):
            self._over(turn)

    def _over(self, turn: int) -> None:
        """Take the next key, if this one's turn is not over yet."""
        if turn == self._turn and self._is_busy:
            self._is_busy = False
            if self._ahead:
                self._is_busy = True
                self.call_later(self._take, self._ahead.popleft())
            else:
                self.key_is_done()

    def hold_keys(self) -> None:
        """Let keys wait for a moment: what is being drawn would be taken for the answer to them."""
        self._is_held_up = True
        self.set_timer(PATIENCE_S, self.let_keys_go)

    def let_keys_go(self) -> None:
        """Take the keys that have come while they were held up."""
        self._is_held_up = False
        if self._ahead and not self._is_busy:
            self._is_busy = True
            self.call_later(self._take, self._ahead.popleft())

    def key_is_done(self) -> None:
        """Called when all that a key has changed is drawn, and no other key has come meanwhile."""
