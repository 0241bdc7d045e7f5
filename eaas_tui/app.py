"""The console: everything is made here, and the one picture is drawn from here."""

import asyncio
import gc
import time
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Final

from textual.app import App
from textual.binding import BindingType
from textual.reactive import var
from textual.timer import Timer
from textual.widgets import Input

from eaas_tui import keys, rubbish, strips, themes
from eaas_tui.actions import Actions
from eaas_tui.arguments import Arguments
from eaas_tui.commanding import Commanding
from eaas_tui.diff_writer import DiffWriter
from eaas_tui.ending import write_down
from eaas_tui.glyphs import BLOCKS, Glyphs
from eaas_tui.going import Going
from eaas_tui.keys import Needs
from eaas_tui.later import FAR_AWAY, imported
from eaas_tui.model.picture import Picture, only_numbers_differ
from eaas_tui.model.store import Store
from eaas_tui.notices import Notices
from eaas_tui.one_key import OneKeyAtATime
from eaas_tui.option_lists import mend_option_lists
from eaas_tui.pace import GATHERED_S, GIVES_WAY, NEXT_KEY_S, Pace
from eaas_tui.screens.base import PictureApp
from eaas_tui.stylesheet import LeanStylesheet

if TYPE_CHECKING:
    from eaas.client import Client
    from eaas_tui.editor import Editor

TWICE_WITHIN_S: Final = 3.0
"""Two ``ctrl+c`` within this time leave the console, whatever is open."""
CLEARED: Final = "\x1b[2J"


class ConsoleApp(
    DiffWriter, OneKeyAtATime, Commanding, Going, Notices, PictureApp, inherit_bindings=False
):
    """Follows one controller, and draws what it says at most ten times a second."""

    TITLE = "Mini EaaS"
    CSS = themes.OWN_COLOURS + themes.FEW_COLOURS
    BINDINGS: ClassVar[list[BindingType]] = [*keys.app_bindings()]

    reading_s: ClassVar[float] = 0.3
    """How long a question has to be there before a key may say yes to it."""

    may: var[frozenset[Needs]] = var(frozenset[Needs]({"look", "act"}))
    """What this person may do here."""
    remarks: var[tuple[str, ...]] = var(())
    """What the status line says of the console itself."""

    def __init__(
        self,
        arguments: Arguments | None = None,
        *,
        environ: Mapping[str, str] | None = None,
        glyphs: Glyphs = BLOCKS,
        log_file: Path | None = None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        strips.make_lean()
        super().__init__()
        self.arguments: Final = Arguments() if arguments is None else arguments
        self.environ: Final = {} if environ is None else environ
        self.glyphs: Final = glyphs
        self.clock = clock
        """Unix seconds; in a replay those of the recording."""
        self.store: Final = Store()
        self.client: Client | None = None
        """None before the first paint, and in a replay."""
        self.crash: Exception | None = None
        self.failure: str | None = None
        """Why the console could not begin, as a sentence."""
        self.loop: asyncio.AbstractEventLoop | None = None
        self.editor: Editor | None = None
        """The person's editor while it has the terminal, and with it this thread."""
        self.actions: Final[Actions] = Actions(
            client=lambda: self.client,
            picture=lambda: self.picture,
            start=self.run_worker,
            notify=self.notify,
            view_only=self.arguments.view_only,
        )
        self.log_file: Final = log_file
        self._pace: Final = Pace(slow=self.arguments.slow)
        self.is_slow = self.arguments.slow
        self._due: Timer | None = None
        self._put_off: Timer | None = None
        """Asks again for a draw of numbers that waits for the one before to be written."""
        self._is_held = False
        self._gave_way = 0
        """How often the live draw that is due has waited for a key."""
        self._ended_early: int | None = None
        """With which code it is to end as soon as it has begun."""
        self._recording_is_over = False
        self._interrupted_at = float("-inf")
        themes.register(self)
        if self.no_color:
            themes.leave_colours_out(self)
        self.theme = themes.full_name(self.arguments.theme)
        self.stylesheet = LeanStylesheet(variables=self.get_css_variables())

    # --- beginning

    def on_mount(self) -> None:
        """Paint first; the client library is imported after that."""
        self.loop = asyncio.get_running_loop()
        if self._ended_early is not None:
            self.exit(return_code=self._ended_early)
        self.app_resume_signal.subscribe(self, self._came_back, immediate=True)
        self.watch(self, "picture", self._know_the_person, init=False)
        self._tell_remarks()
        self.call_after_refresh(self._begin)

    def _begin(self) -> None:
        mend_option_lists()
        if not gc.isenabled():
            rubbish.begin()
            self.set_interval(rubbish.LOOK_EVERY_S, lambda: rubbish.clear(self.rested_s))
        if self.arguments.replay is not None or self.environ:
            self.run_worker(self._feed(), name="feed", exclusive=True)

    async def _feed(self) -> None:
        """Follow the controller, or the recording, until the console ends."""
        source = await asyncio.to_thread(imported, "eaas_tui.source", later=FAR_AWAY)
        await source.feed(self)

    def end(self, code: int) -> None:
        """End from any thread, with this exit code; an editor that runs is ended too."""
        if self.editor is not None:
            self.editor.end()
        if self.loop is None:
            self._ended_early = code
        elif not self.loop.is_closed():
            self.loop.call_soon_threadsafe(partial(self.exit, return_code=code))

    # --- drawing

    def picture_changed(self) -> None:
        """Draw the store's picture soon: at once, or when the pace allows it."""
        if self._due is None and not self._is_held:
            wait_s = self._pace.wait_s(time.monotonic())
            self._due = self.set_timer(wait_s, self._draw_if_free) if wait_s else None
            if not wait_s:
                self._draw_if_free()

    def _draw_if_free(self) -> None:
        """Draw, unless a key is being done or the terminal has not taken what was drawn before."""
        self._due = None
        if self._is_held:
            return
        if self.output_waits:
            self._pace.skipped(time.monotonic())
            self.picture_changed()
        elif (self.is_busy or self.rested_s < NEXT_KEY_S) and self._gave_way < GIVES_WAY:
            self._gave_way += 1
            self._due = self.set_timer(GATHERED_S, self._draw_if_free)
        elif (wait_s := self._numbers_may_wait_s()) > 0:
            if self._put_off is not None:
                self._put_off.stop()
            self._put_off = self.set_timer(wait_s, self.picture_changed)
        else:
            self._gave_way = 0
            self._pace.drawn(time.monotonic())
            begun_s = time.thread_time()  # others import and read meanwhile
            before, self.picture = self.picture, self.store.picture
            self.draws_numbers = only_numbers_differ(before, self.picture)
            self.hold_keys()
            self.call_after_refresh(self._drawn, begun_s)

    def _numbers_may_wait_s(self) -> float:
        """Return how long the next draw may wait: newer numbers of a pool so large that those
        before are still being written would come no sooner, and be drawn for nothing.
        """
        if not self.is_behind or not only_numbers_differ(self.picture, self.store.picture):
            return 0.0
        return self._pace.put_off_s(time.monotonic())

    def key_is_done(self) -> None:
        """Draw right behind a key what waits for keys: that is when the next one is farthest."""
        if self._due is not None and self._gave_way:
            self._due.stop()
            self._gave_way = GIVES_WAY
            self._draw_if_free()

    def _drawn(self, begun_s: float) -> None:
        self.draws_numbers = False
        self.let_keys_go()
        self._pace.took(time.thread_time() - begun_s, time.monotonic())

    def _go_on(self) -> None:
        begun_s = time.thread_time()
        super()._go_on()
        self._pace.took(time.thread_time() - begun_s, time.monotonic())

    @property
    def is_awaited(self) -> bool:
        """Tell whether the next draw answers a key, or moves what stands below each other."""
        return self.is_busy or not (self.draws_numbers or self.is_slow)

    def _know_the_person(self, picture: Picture) -> None:
        may: set[Needs] = {"look"}
        if not self.arguments.view_only:
            may |= {"act", "admin"} if picture.is_admin else {"act"}
        self.may = frozenset(may)

    def recording_ended(self, why: str) -> None:
        """Say once that nothing is kept any more; the status line goes on saying it."""
        self._recording_is_over = True
        self._tell_remarks()
        self.say(why, severity="error")

    def _tell_remarks(self) -> None:
        asked = self.arguments
        said = {
            "held: P goes on": self._is_held,
            "view only": asked.view_only,
            "recording": asked.record is not None and not self._recording_is_over,
            "recording ended": self._recording_is_over,
            "slow": asked.slow,
        }
        self.remarks = tuple(text for text, holds in said.items() if holds)

    # --- the console itself

    def action_interrupt(self) -> None:
        """Leave at the second time; at the first, copy what is selected or say how to leave."""
        now = time.monotonic()
        if now - self._interrupted_at <= TWICE_WITHIN_S:
            self.exit()
            return
        self._interrupted_at = now
        if isinstance(typing := self.focused, Input) and typing.selected_text:
            typing.action_copy()
        else:
            within = f"within {TWICE_WITHIN_S:.0f} seconds"
            text = f"ctrl+c once more {within} leaves the console"
            self.notify(text, severity="information", timeout=TWICE_WITHIN_S)

    def action_pause(self) -> None:
        """Hold the picture still, or go on with the newest."""
        self._is_held = not self._is_held
        self._tell_remarks()
        self.picture_changed()

    def action_next_theme(self) -> None:
        """Look different."""
        self.theme = themes.next_name(self.theme)
        self.say(f"theme: {themes.short_name(self.theme)}", severity="information")

    def action_redraw(self) -> None:
        """Clear the terminal and draw everything anew."""
        self.forget_shown()
        if self._driver is not None and not self.output_waits:  # or it would wait with the rest
            self._driver.write(CLEARED)
        self.screen.refresh()

    def action_mouse(self) -> None:
        """Give the mouse to the terminal, so that text can be selected, or take it back."""
        driver: Any = self._driver
        if driver is None or not hasattr(driver, "_enable_mouse_support"):
            return
        if driver._mouse:
            driver._disable_mouse_support()
        driver._mouse = not driver._mouse
        if driver._mouse:
            driver._enable_mouse_support()
        whose = "the console's" if driver._mouse else "the terminal's: select text with it"
        self.say(f"the mouse is {whose}", severity="information")

    def _came_back(self, _: App[Any]) -> None:
        """Draw everything: others had the terminal meanwhile."""
        self.forget_shown()
        self.screen.refresh()

    def _handle_exception(self, error: Exception) -> None:
        """Leave the terminal as it was, and write down what happened instead of showing it."""
        if self.is_headless:
            super()._handle_exception(error)
            return
        if self.crash is None:
            self.crash = error
            self._return_code = 1
            if self.log_file is not None:
                write_down(error, self.log_file)
        self._close_messages_no_wait()
