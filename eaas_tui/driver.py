"""The terminal as Textual drives it, also when the console was stopped from elsewhere.

Textual 8.2.8 takes every SIGCONT for the end of a ctrl+z. After a SIGSTOP it would begin with the
terminal a second time: two threads would read the keys then, and one of them would never end.
It also draws on stderr alone, which a person may have led into a file.
"""

import sys
from typing import Any

from textual.drivers.linux_driver import LinuxDriver

from eaas_tui.terminal import drawn_on


class TerminalDriver(LinuxDriver):
    """Lets go of the terminal before it begins with it anew."""

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        if drawn_on() == 1 and (stdout := sys.__stdout__) is not None:
            stdout.reconfigure(errors="backslashreplace")  # stderr takes every sign, too
            self._file = stdout

    def _sigcont_application(self, *given: object) -> None:
        if self._must_signal_resume or not self._auto_restart:  # it has been let go of
            super()._sigcont_application(*given)
        elif not self._loop.is_closed():
            # Later, not here: this may have interrupted what holds a lock of the output.
            self._loop.call_soon_threadsafe(self._begin_anew)

    def _begin_anew(self) -> None:
        self.suspend_application_mode()
        self._must_signal_resume = True  # whoever had the terminal meanwhile has written to it
        self.resume_application_mode()
