"""One field of the form: its label, the control it is typed into, and what is wrong with it."""

from collections.abc import Callable
from typing import ClassVar, Final

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.events import Key
from textual.geometry import Size
from textual.message import Message
from textual.reactive import Reactive
from textual.suggester import Suggester
from textual.widget import Widget
from textual.widgets import Input, Select, Static, TextArea

from eaas.field_checks import Choice, Truth
from eaas.job_field import JobField
from eaas_tui.keys import NEW_LINE
from eaas_tui.model.form_text import SEVERAL_LINES

Complete = Callable[[str, str], str | None]
"""Return a field's text, by its key, completed to something there is."""


class FormField(Vertical):
    """Draws one field of a job, and says when a person changes it."""

    DEFAULT_CSS = """
    FormField { height: auto; }
    FormField > .control { width: 1fr; margin: 0 0 0 17; }
    FormField > TextArea { height: auto; min-height: 1; max-height: 6; padding: 0; }
    FormField > .mistake { display: none; height: auto; padding: 0 1 0 17; }
    FormField.-wrong > .mistake { display: block; }
    """
    COMPONENT_CLASSES: ClassVar[set[str]] = {"form-field--label"}

    class Edited(Message):
        """A person changed the field's text."""

        def __init__(self, key: str, text: str) -> None:
            self.key: Final = key
            self.text: Final = text
            super().__init__()

    class Entered(Message):
        """A person pressed enter: the field is done."""

        def __init__(self, key: str) -> None:
            self.key: Final = key
            super().__init__()

    def __init__(self, field: JobField, complete: Complete) -> None:
        super().__init__(id=id_of(field.key))
        self.field: Final = field
        self._control: Final = _control(field, complete)
        self._control.add_class("control")
        self._mistake: Static | None = None
        """There is one once something has been wrong."""
        self._shown = ""
        self._wrong: str | None = None

    def compose(self) -> ComposeResult:
        """Lay out the control; the label is drawn in its margin."""
        yield self._control

    def render(self) -> Content:
        """Draw the label."""
        room = self._control.styles.margin.left - 2
        label = Content.styled(self.field.label, self.get_visual_style("form-field--label"))
        return label.truncate(room, ellipsis=True).pad_left(1)

    def show(self, text: str) -> None:
        """Put the text into the control; this is nobody's edit."""
        control = self._control
        if isinstance(control, Input):
            control.value = text
        elif isinstance(control, TextArea):
            control.load_text(text)
        else:
            control.value = text if text in _choices(self.field) else Select.NULL
        self._shown = self._typed()

    def show_mistake(self, text: str | None) -> None:
        """Say what is wrong, or that nothing is."""
        if text == self._wrong:
            return
        self._wrong = text
        self.set_class(text is not None, "-wrong")
        said = Content("" if text is None else f"✗ {text}")
        if self._mistake is None:
            self._mistake = Static(said, classes="mistake")
            self.mount(self._mistake)
        else:
            self._mistake.update(said)

    def take_focus(self) -> None:
        """Let the person type here."""
        self._control.focus()

    def on_descendant_focus(self) -> None:
        """Show where the person types."""
        self.add_class("-typing")

    def on_descendant_blur(self) -> None:
        """Show that it is elsewhere."""
        self.remove_class("-typing")

    def on_input_changed(self, event: Input.Changed) -> None:
        """See what was typed."""
        event.stop()
        self._see()

    def on_text_area_changed(self, event: TextArea.Changed) -> None:
        """See what was typed."""
        event.stop()
        self._see()

    def on_select_changed(self, event: Select.Changed) -> None:
        """See what was chosen."""
        event.stop()
        self._see()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Say that this field is done."""
        event.stop()
        self.post_message(self.Entered(self.field.key))

    def on_lines_done(self, event: "Lines.Done") -> None:
        """Say that this field is done."""
        event.stop()
        self.post_message(self.Entered(self.field.key))

    def _see(self) -> None:
        text = self._typed()
        if text != self._shown:
            self._shown = text
            self.post_message(self.Edited(self.field.key, text))

    def _typed(self) -> str:
        control = self._control
        if isinstance(control, Input):
            return control.value
        if isinstance(control, TextArea):
            return control.text
        return control.value if isinstance(control.value, str) else ""


class _Completing(Suggester):
    """Completes what is typed from what there is at this moment."""

    def __init__(self, key: str, complete: Complete) -> None:
        super().__init__(use_cache=False, case_sensitive=True)
        self._key: Final = key
        self._complete: Final = complete

    async def get_suggestion(self, value: str) -> str | None:
        return self._complete(self._key, value)


class _Line(Input):
    """A line to type in; the form is not laid out anew at every letter, as Textual has it."""

    virtual_size: Reactive[Size] = Reactive(Size(0, 0))


class Lines(TextArea):
    """Several lines, of which the last is completed; at both ends the keys lead out of them."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(",".join(NEW_LINE), "new_line", "New line", show=False),
    ]

    virtual_size: Reactive[Size] = Reactive(Size(0, 0))

    class Done(Message):
        """A person pressed enter."""

    def __init__(self, key: str, complete: Complete) -> None:
        self._key: Final = key
        self._complete: Final = complete
        super().__init__(compact=True, highlight_cursor_line=False)

    def watch_virtual_size(self, before: Size, size: Size) -> None:
        """Lay the form out anew when this gets higher; Textual does at every letter."""
        if size.height != before.height:
            self.refresh(layout=True)

    async def _on_key(self, event: Key) -> None:
        """Leave with ``enter``; what else is typed is text."""
        if event.key == "enter":
            event.stop()
            event.prevent_default()
            self.post_message(self.Done())
        else:
            await super()._on_key(event)

    def action_new_line(self) -> None:
        """Begin another line where the cursor stands."""
        self.replace("\n", *self.selection, maintain_selection_offset=False)

    def action_cursor_down(self, select: bool = False) -> None:
        """Go a line down; from the last one to the next field."""
        if not select and self.navigator.is_last_wrapped_line(self.cursor_location):
            self.screen.focus_next()
        else:
            super().action_cursor_down(select)

    def action_cursor_up(self, select: bool = False) -> None:
        """Go a line up; from the first one to the field before."""
        if not select and self.navigator.is_first_wrapped_line(self.cursor_location):
            self.screen.focus_previous()
        else:
            super().action_cursor_up(select)

    def update_suggestion(self) -> None:
        """Suggest what is left of the line, where the cursor stands at the end."""
        at_end = self.cursor_location == self.document.end
        whole = self._complete(self._key, self.text) if at_end and self.text else None
        self.suggestion = "" if whole is None else whole[len(self.text) :]


class _Choices(Select[str]):
    """A few words to choose from; up and down lead to other fields while they are folded."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("down", "app.focus_next", "Next field", show=False),
        Binding("up", "app.focus_previous", "Field before", show=False),
    ]


def id_of(key: str) -> str:
    """Return the widget id of a field's key."""
    return f"field-{key.replace('.', '-')}"


def field_around(widget: Widget | None) -> FormField | None:
    """Return the field that the widget is part of, if it is part of one."""
    while widget is not None and not isinstance(widget, FormField):
        widget = widget.parent if isinstance(widget.parent, Widget) else None
    return widget


def _control(field: JobField, complete: Complete) -> Input | TextArea | Select[str]:
    if choices := _choices(field):
        return _Choices([(choice, choice) for choice in choices], prompt="", compact=True)
    if field.key in SEVERAL_LINES:
        return Lines(field.key, complete)
    return _Line(compact=True, select_on_focus=False, suggester=_Completing(field.key, complete))


def _choices(field: JobField) -> tuple[str, ...]:
    if isinstance(field.check, Truth):
        return ("true", "false")
    return field.check.choices if isinstance(field.check, Choice) else ()
