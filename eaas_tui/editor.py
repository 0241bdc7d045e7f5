"""A person's own editor, which has the terminal while it runs."""

import os
import shlex
import signal
import subprocess
import tempfile
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from eaas.errors import EaasError

EDITOR: Final = "vi"
"""What POSIX promises where neither VISUAL nor EDITOR is set."""
LET_GO_S: Final = 0.5
"""How long an editor that is asked to end may take, shorter than the console's own patience."""
ITS_SIGNALS: Final = (signal.SIGINT, signal.SIGQUIT)
"""What keys of the terminal send to all that runs in it."""


class NoEditor(EaasError):
    """The person's editor did not do its part."""

    code = "no_editor"


class Editor:
    """One call of the person's editor. Its end can be asked for from any thread."""

    def __init__(self, environ: Mapping[str, str]) -> None:
        self._name: Final = environ.get("VISUAL") or environ.get("EDITOR") or EDITOR
        self._process: subprocess.Popen[bytes] | None = None
        self._killer: threading.Timer | None = None
        self._is_over = False

    def edited(self, text: str) -> str:
        """Run the editor on the text and return it as it was saved, or raise ``NoEditor``."""
        name = self._name
        try:
            with tempfile.TemporaryDirectory(
                prefix="mini-eaas-", ignore_cleanup_errors=True
            ) as folder:
                file = Path(folder, "job.yaml")
                file.touch(mode=0o600)
                file.write_text(text, encoding="utf-8")
                self._run(file)
                return file.read_text(encoding="utf-8")
        except UnicodeError as error:
            raise NoEditor(f"the editor {name} left text that is not UTF-8") from error
        except OSError as error:
            raise NoEditor(f"nothing came back from the editor {name}: {error.strerror}") from error

    def end(self) -> None:
        """End the editor soon, or let it not begin; return at once."""
        self._is_over = True
        if self._process is not None and self._killer is None:
            self._process.terminate()
            self._killer = threading.Timer(LET_GO_S, self._process.kill)
            self._killer.daemon = True
            self._killer.start()

    def _run(self, file: Path) -> None:
        name = self._name
        try:
            with _signals_left_to_it():
                code = self._code_of([*shlex.split(name), os.fspath(file)])
        except (OSError, ValueError) as error:
            raise NoEditor(f"the editor {name} cannot be started: {error}") from error
        if code:
            how = f"with code {code}" if code > 0 else f"by {signal.Signals(-code).name}"
            raise NoEditor(f"the editor {name} ended {how}; nothing was taken over")

    def _code_of(self, line: list[str]) -> int:
        with subprocess.Popen(line) as self._process:
            if self._is_over:
                self.end()
            code = self._process.wait()
        if self._killer is not None:
            self._killer.cancel()
        return code


@contextmanager
def _signals_left_to_it() -> Iterator[None]:
    """Take no notice of what the terminal's keys send: it is meant for the editor.

    A function stands for each signal, since what a program ignores its children ignore too.
    """
    before = {number: signal.signal(number, lambda *_: None) for number in ITS_SIGNALS}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, signal.SIG_DFL if handler is None else handler)
