"""What the submit form may use of the console around it."""

import os
import shlex
import subprocess
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from textual.app import SuspendNotSupported

from eaas.errors import EaasError
from eaas_tui.last_submit import LastSubmit, last_submit_file

if TYPE_CHECKING:
    from eaas_tui.app import ConsoleApp

EDITOR: Final = "vi"
"""What POSIX promises where neither VISUAL nor EDITOR is set."""


class NoEditor(EaasError):
    """The person's editor did not do its part."""

    code = "no_editor"


def desk_of(app: "ConsoleApp") -> Any:
    """Return the form's desk; the form is imported when it is first wanted."""
    from eaas_tui.screens.submit import Desk

    return Desk(
        client=lambda: app.client,
        refusal=app.actions.refusal,
        last=LastSubmit(last_submit_file(app.environ)),
        edit=lambda text: edited_outside(app, text),
    )


def edited_outside(app: "ConsoleApp", text: str) -> str:
    """Hand the terminal to the person's editor and return what they made of the text."""
    outcome: str | NoEditor
    try:
        with app.suspend():  # which brings the terminal back only when nothing is raised inside
            try:
                outcome = edited(text, app.environ)
            except NoEditor as error:
                outcome = error
    except SuspendNotSupported:
        raise NoEditor("this terminal cannot be handed to an editor") from None
    if isinstance(outcome, NoEditor):
        raise outcome
    return outcome


def edited(text: str, environ: Mapping[str, str]) -> str:
    """Run the person's editor on the text and return it as it was saved, or raise ``NoEditor``."""
    editor = environ.get("VISUAL") or environ.get("EDITOR") or EDITOR
    try:
        with tempfile.TemporaryDirectory(prefix="mini-eaas-", ignore_cleanup_errors=True) as folder:
            file = Path(folder, "job.yaml")
            file.touch(mode=0o600)
            file.write_text(text, encoding="utf-8")
            _run(editor, file)
            return file.read_text(encoding="utf-8")
    except UnicodeError as error:
        raise NoEditor(f"the editor {editor} left text that is not UTF-8") from error
    except OSError as error:
        raise NoEditor(f"nothing came back from the editor {editor}: {error.strerror}") from error


def _run(editor: str, file: Path) -> None:
    try:
        code = subprocess.run([*shlex.split(editor), os.fspath(file)], check=False).returncode
    except (OSError, ValueError) as error:
        raise NoEditor(f"the editor {editor} cannot be started: {error}") from error
    if code:
        raise NoEditor(f"the editor {editor} ended with code {code}; nothing was taken over")
