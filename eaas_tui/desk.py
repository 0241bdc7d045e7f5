"""What the submit form may use of the console around it."""

from typing import TYPE_CHECKING, Any

from textual.app import SuspendNotSupported

from eaas_tui.editor import Editor, NoEditor
from eaas_tui.last_submit import LastSubmit, last_submit_file

if TYPE_CHECKING:
    from eaas_tui.app import ConsoleApp


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
    app.editor = Editor(app.environ)
    try:
        with app.suspend():  # which brings the terminal back only when nothing is raised inside
            try:
                outcome = app.editor.edited(text)
            except NoEditor as error:
                outcome = error
    except SuspendNotSupported:
        raise NoEditor("this terminal cannot be handed to an editor") from None
    finally:
        app.editor = None
    if isinstance(outcome, NoEditor):
        raise outcome
    return outcome
