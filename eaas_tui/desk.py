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
    try:
        with app.suspend():
            return edited(text, app.environ)
    except SuspendNotSupported:
        raise NoEditor("this terminal cannot be handed to an editor") from None


def edited(text: str, environ: Mapping[str, str]) -> str:
    """Run the person's editor on the text and return it as it was saved."""
    editor = environ.get("VISUAL") or environ.get("EDITOR") or EDITOR
    with tempfile.TemporaryDirectory(prefix="mini-eaas-") as folder:
        file = Path(folder, "job.yaml")
        file.touch(mode=0o600)
        file.write_text(text)
        try:
            code = subprocess.run([*shlex.split(editor), os.fspath(file)], check=False).returncode
        except (OSError, ValueError) as error:
            raise NoEditor(f"the editor {editor} cannot be started: {error}") from error
        if code:
            raise NoEditor(f"the editor {editor} ended with code {code}; nothing was taken over")
        return file.read_text()
