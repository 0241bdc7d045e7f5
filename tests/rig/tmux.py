"""A person at a real tmux: keys in, the screen as tmux has it out."""

import shutil
import subprocess
import time
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Final

from tests.rig.program import ROOT

WITHIN_S: Final = 20.0
LOOK_EVERY_S: Final = 0.02
"""tmux tells nobody that a screen has changed, so that one has to look."""
PROMPT: Final = "at-the-prompt$ "


def why_no_tmux() -> str | None:
    """Say what is missing; None if tmux is here."""
    return None if shutil.which("tmux") else "there is no tmux"


class Tmux(AbstractContextManager["Tmux"]):
    """One window of a tmux server of its own, with a plain shell in it.

    ``folder`` has to be short: the server's socket lies there.
    """

    def __init__(
        self, folder: Path, environ: Mapping[str, str], *, width: int = 120, height: int = 40
    ) -> None:
        self._socket: Final = folder / "tmux.sock"
        self._environ: Final = {**_plain(environ), "TERM": "xterm-256color"}
        size = ("-x", str(width), "-y", str(height))
        self._ask("-f", "/dev/null", "new-session", "-d", *size, "sh")
        self._ask("set-option", "-g", "window-size", "manual")
        self.shell: Final = int(self.say("pane_pid"))
        """The shell's process."""
        self.type(f"clear; PS1='{PROMPT}'")
        self.press("Enter")
        self.await_screen(lambda shown: shown.strip() == PROMPT.strip(), "a prompt")

    def __exit__(self, *_: object) -> None:
        self._ask("kill-server")

    # --- what a person does

    def press(self, *keys: str) -> None:
        """Press keys by tmux's names for them: ``Enter``, ``Escape``, ``C-s``, ``x``."""
        self._ask("send-keys", *keys)

    def type(self, text: str) -> None:
        """Type text as it stands."""
        self._ask("send-keys", "-l", text)

    def resize(self, width: int, height: int) -> None:
        """Give the window another size."""
        self._ask("resize-window", "-x", str(width), "-y", str(height))

    # --- what a person sees

    @property
    def lines(self) -> list[str]:
        """The screen as text, without blanks at the ends of lines."""
        return [line.rstrip() for line in self._ask("capture-pane", "-p").split("\n")[:-1]]

    @property
    def text(self) -> str:
        """The screen as one text."""
        return "\n".join(self.lines)

    @property
    def coloured(self) -> str:
        """The screen with the sequences that give it its colours."""
        return self._ask("capture-pane", "-p", "-e")

    @property
    def buffer(self) -> str:
        """What was copied last."""
        return self._ask("show-buffer")

    def say(self, name: str) -> str:
        """Return what tmux knows of the pane by that name, as ``alternate_on``."""
        return self._ask("display-message", "-p", f"#{{{name}}}").strip()

    def await_text(self, *texts: str, within_s: float = WITHIN_S) -> None:
        """Return once all the texts are on the screen; fail with the screen when they won't be."""
        self.await_screen(
            lambda shown: all(text in shown for text in texts), " and ".join(texts), within_s
        )

    def await_no_text(self, text: str, within_s: float = WITHIN_S) -> None:
        """Return once the text is not on the screen."""
        self.await_screen(lambda shown: text not in shown, f"no {text}", within_s)

    def await_screen(
        self, holds: Callable[[str], bool], what: str, within_s: float = WITHIN_S
    ) -> None:
        """Return once the screen is as wanted."""
        deadline = time.monotonic() + within_s
        while not holds(shown := self.text):
            assert time.monotonic() < deadline, f"{what} did not come; the screen:\n{shown}"
            time.sleep(LOOK_EVERY_S)

    # --- what runs there

    def children(self) -> list[int]:
        """Return what the shell has started and still runs."""
        started = Path(f"/proc/{self.shell}/task/{self.shell}/children").read_text()
        return list(map(int, started.split()))

    def _ask(self, *words: str) -> str:
        done = subprocess.run(
            ["tmux", "-S", str(self._socket), *words],
            env=self._environ,
            cwd=ROOT,
            check=True,
            capture_output=True,
            text=True,
            timeout=WITHIN_S,
        )
        return done.stdout


def _plain(environ: Mapping[str, str]) -> dict[str, str]:
    """Return the environment without what changes how a console looks."""
    dropped = {"NO_COLOR", "COLORTERM", "COLUMNS", "LINES", "FORCE_COLOR", "TMUX", "ENV"}
    return {key: value for key, value in environ.items() if key not in dropped}
