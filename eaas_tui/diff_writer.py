"""Writes to the terminal only the cells that differ from what it shows already.

Textual redraws whole rows of a changed widget, each piece with its full style: five to twenty
times the bytes. This says when a difference is written, and how much of it at once. It reaches into
Textual's private parts, so the version is pinned, and where they differ the stock writer is used.
"""

import time
from inspect import signature
from typing import Any, Final

from rich.color import ColorSystem
from textual._compositor import ChopsUpdate, LayoutUpdate
from textual.app import App
from textual.driver import Driver
from textual.events import Resize
from textual.screen import Screen
from textual.timer import Timer

from eaas_tui.driver import TerminalDriver
from eaas_tui.shown_screen import ShownScreen, pieces_of

FULL_FRAMES: Final = 8
"""So many frames may wait for a slow terminal; what comes then waits as one. The queue holds 30,
and blocks the program after that."""
DRAINED_WITHIN_S: Final = 0.1
PORTION: Final = 1000
"""Signs of a draw that nobody waits for that are written at once: what a key paints may have to
wait for so many on a slow link."""
PORTION_EVERY_S: Final = 0.25
SLOW_PORTION_EVERY_S: Final = 1.0
SMALL_PORTION: Final = 600
"""Signs of what fills a slow terminal, portion by portion: a key waits for one of them at most."""
ASK: Final = "\x1b[?2026$p"
"""What a terminal answers when it has come so far: Textual's own question about held draws."""
ANSWERED_WITHIN_S: Final = 2.0
UNANSWERED_EVERY_S: Final = 0.4
"""How often a terminal that does not answer gets a portion of what fills it."""


def is_known() -> bool:
    """Tell whether Textual's updates are made of what is expected here."""
    layout, chops = signature(LayoutUpdate).parameters, signature(ChopsUpdate).parameters
    return list(layout) == ["strips", "region"] and list(chops) == ["chops", "spans", "chop_ends"]


class DiffWriter(App[None]):
    """An app that writes differences. Mix in before the app's own base class."""

    _shown: ShownScreen | None = None
    _owes_a_draw = False
    _next_portion: Timer | None = None
    _fills = False
    """Whether what is left goes on as soon as the terminal has taken the portion before."""
    is_slow = False
    """Whether a person has said that the terminal is: then a whole screen comes in portions too."""
    draws_numbers = False
    """Whether the picture that is being drawn differs in nothing but readings."""

    @property
    def is_awaited(self) -> bool:
        """Tell whether a person waits for the next draw; what isn't awaited comes in portions."""
        return True

    @property
    def output_waits(self) -> int:
        """How many pieces of output the terminal has not taken yet."""
        thread = getattr(self._driver, "_writer_thread", None)
        return 0 if thread is None else int(thread._queue.qsize())

    @property
    def is_behind(self) -> bool:
        """Tell whether something of the draws before is still to be written."""
        return self._shown is not None and self._shown.is_behind

    def forget_shown(self) -> None:
        """Believe nothing of what the terminal shows: it was cleared, or others wrote to it."""
        self._shown = None

    def get_driver_class(self) -> type[Driver]:
        """Return what stands between this and the terminal."""
        return TerminalDriver

    def on_resize(self, event: Resize) -> None:
        """Draw all anew when a size is back before it was looked at: the terminal has cut it."""
        is_newer = self._shown is not None and event.time > self._shown.since
        if is_newer and event.size == self.screen.size:
            self.forget_shown()
            self.screen.refresh()

    def _set_pointer_shape(self, shape: str) -> None:
        """Leave the mouse pointer alone: it would be written on every change of the screen."""

    def _display(self, screen: Screen[Any], renderable: Any) -> None:
        if (
            not isinstance(renderable, LayoutUpdate | ChopsUpdate)
            or not KNOWN
            or self.is_headless
            or self._batch_count
            or self._driver is None
            or self._driver.is_inline
            or not self._running
            or self._closed
        ):
            super()._display(screen, renderable)
            return
        try:
            self._show(renderable)
        except Exception as error:
            self._handle_exception(error)
        finally:
            self.post_display_hook()

    def _show(self, update: LayoutUpdate | ChopsUpdate) -> None:
        assert self._driver is not None
        if self.output_waits >= FULL_FRAMES:
            self._owe_a_draw()
            return
        size = (self.size.width, self.size.height)
        if self._shown is None or self._shown.size != size:
            self._shown = ShownScreen(*size, since=time.monotonic())
        system = self.console._color_system or ColorSystem.TRUECOLOR
        is_whole = isinstance(update, LayoutUpdate)
        if self.is_slow if is_whole else not self.is_awaited:
            self._shown.leave(pieces_of(update), system)
            self._fills |= self.is_slow and not self.draws_numbers
            if self._next_portion is None:
                self._go_on()
        else:
            self._write(self._shown.paint(pieces_of(update), system))

    def _write(self, out: str) -> None:
        """Write it, if there is anything, as one draw."""
        if out and self._driver is not None:
            cursor = self.screen.outer_size.clamp_offset(self.cursor_position)
            self._begin_update()
            self._driver.write(f"{out}\x1b[{cursor.y + 1};{cursor.x + 1}H")
            self._end_update()
            self._driver.flush()

    def _go_on(self) -> None:
        """Write the next portion, unless the last one still waits."""
        if self._next_portion is not None:
            self._next_portion.stop()
            self._next_portion = None
        if self._shown is None or not self._shown.is_behind:
            self._fills = False
            return
        wait_s = SLOW_PORTION_EVERY_S if self.is_slow else PORTION_EVERY_S
        if not self.output_waits:
            self._write(self._shown.go_on(SMALL_PORTION if self._fills else PORTION))
        if self._fills and self._driver is not None:
            self._driver.write(ASK)
            wait_s = ANSWERED_WITHIN_S if self._sync_available else UNANSWERED_EVERY_S
        self._next_portion = self.set_timer(wait_s, self._go_on)

    def on_terminal_supports_synchronized_output(self) -> None:
        """Go on filling the screen: the terminal has come to the end of the portion before."""
        if self._fills and self._next_portion is not None:
            self._go_on()

    def _owe_a_draw(self) -> None:
        """Draw later, all at once: what is left out now is a difference then."""
        if not self._owes_a_draw:
            self._owes_a_draw = True
            self.set_timer(DRAINED_WITHIN_S, self._pay_the_draw)

    def _pay_the_draw(self) -> None:
        self._owes_a_draw = False
        if self.output_waits >= FULL_FRAMES:
            self._owe_a_draw()
        else:
            self.screen.refresh()


KNOWN: Final = is_known()
