"""All fields of a job on one page: holds what is typed, shows what is wrong with it."""

from collections.abc import Mapping
from typing import ClassVar, Final

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.events import DescendantFocus
from textual.geometry import Size
from textual.message import Message
from textual.widgets import Static

from eaas_tui.model.form import GROUPS, SHOWN, Form
from eaas_tui.widgets.form_field import Complete, FormField, field_around, id_of

_LAST: Final = list(SHOWN)[-1]


class JobForm(VerticalScroll):
    """The form itself. Knows no controller: what that says comes in by ``blame``."""

    DEFAULT_CSS = "JobForm .group { height: 1; }"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("down", "app.focus_next", "Next field", show=False),
        Binding("up", "app.focus_previous", "Field before", show=False),
    ]
    """These would scroll it else: the form is nearer to its fields than the screen is."""

    class Changed(Message):
        """Something else is asked for now."""

    class Finished(Message):
        """A person pressed enter in the last field."""

    class Reached(Message):
        """A person is in this field now."""

        def __init__(self, key: str) -> None:
            self.key: Final = key
            super().__init__()

    def __init__(self, complete: Complete, *, id: str) -> None:
        super().__init__(id=id, can_focus=False)
        self._complete: Final = complete
        self._touched: set[str] = set()
        """Fields whose mistakes are shown: nobody is blamed for what they did not come to yet."""
        self._blamed: Mapping[str, str] = {}
        self.form = Form()
        self.mistakes: dict[str, str] = {}

    def compose(self) -> ComposeResult:
        """Lay out the groups of fields."""
        for group, keys in GROUPS.items():
            yield Static(group, classes="group")
            for key in keys:
                yield FormField(SHOWN[key], self._complete)

    def load(self, form: Form) -> None:
        """Show another form; its mistakes are shown with it."""
        before = self.form
        self.form = form
        for key in SHOWN:
            if form.text(key) != before.text(key):
                self._field(key).show(form.text(key))
        self._touched |= form.texts.keys()
        self._blamed = {}
        self._judge()

    def blame(self, mistakes: Mapping[str, str]) -> None:
        """Show what the controller finds wrong with each field until that field changes."""
        self._blamed = mistakes
        self._judge()

    def show_all_mistakes(self) -> None:
        """Show every mistake and go to the first."""
        self._touched |= SHOWN.keys()
        self._judge()
        first = next((key for key in SHOWN if key in self.mistakes), None)
        if first is not None:
            self._field(first).take_focus()

    def begin(self) -> None:
        """Let the person type in the first field."""
        self._field(next(iter(SHOWN))).take_focus()

    def on_form_field_edited(self, event: FormField.Edited) -> None:
        """Take over what was typed."""
        event.stop()
        self.form = self.form.typed(event.key, event.text)
        self._touched.add(event.key)
        self._blamed = {key: text for key, text in self._blamed.items() if key != event.key}
        self._judge()
        self.post_message(self.Changed())

    def on_form_field_entered(self, event: FormField.Entered) -> None:
        """Go to the next field, or say that it was the last."""
        event.stop()
        if event.key == _LAST:
            self.post_message(self.Finished())
        else:
            self.screen.focus_next()

    def on_descendant_focus(self, event: DescendantFocus) -> None:
        """Say which field it is."""
        if (field := field_around(event.widget)) is not None:
            self.post_message(self.Reached(field.field.key))
            self._bring_into_sight(field)

    def _bring_into_sight(self, field: FormField) -> None:
        """Scroll until the field is seen with its label and what is wrong with it."""
        self.call_after_refresh(field.scroll_visible, animate=False)

    def _judge(self) -> None:
        """Find the mistakes, and show those of the fields that were touched."""
        self.mistakes = {**self._blamed, **self.form.mistakes()}
        for key in SHOWN:
            shown = key in self._touched or key in self._blamed
            self._field(key).show_mistake(self.mistakes.get(key) if shown else None)

    def watch_virtual_size(self, _: Size) -> None:
        """Stay where the person types when a mistake has made the form longer or shorter."""
        if (here := field_around(self.screen.focused)) is not None:
            self._bring_into_sight(here)

    def _field(self, key: str) -> FormField:
        return self.query_one(f"#{id_of(key)}", FormField)
