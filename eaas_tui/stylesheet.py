"""The console's style sheet: parses only what is new, and styles only what has changed.

Textual's own parses everything anew for each screen that opens, and styles all widgets of a
screen whenever that comes back to the top.
"""

from collections.abc import Iterable
from typing import Any, Final
from weakref import WeakKeyDictionary

from textual.app import App
from textual.cache import LRUCache
from textual.css.model import RuleSet
from textual.css.stylesheet import Stylesheet
from textual.dom import DOMNode
from textual.widget import Widget

ROOM: Final = 512
"""More sources than all widgets and screens of the console have."""

State = tuple[object, ...]

RuleSet.__hash__ = object.__hash__  # type: ignore[method-assign]
"""By identity as before, but without a call for each rule at each widget."""


class LeanStylesheet(Stylesheet):
    """Does the same as Textual's, with less work."""

    def __init__(self, *, variables: dict[str, str]) -> None:
        super().__init__(variables=variables)
        self._parse_cache = LRUCache(ROOM)
        self._applied: WeakKeyDictionary[DOMNode, State] = WeakKeyDictionary()
        """What each widget was styled for."""

    def set_variables(self, variables: dict[str, str]) -> None:
        """Take a theme's variables; the same ones change nothing."""
        if variables != self._variables:
            super().set_variables(variables)

    def reparse(self) -> None:
        """Take over what a screen or a theme brings; every widget is styled anew then."""
        self.parse()
        self._applied.clear()

    def apply(
        self,
        node: DOMNode,
        *,
        animate: bool = False,
        cache: dict[tuple[Any, ...], Any] | None = None,
    ) -> None:
        """Style a widget, or a part of one; parts come and go with their widget."""
        super().apply(node, animate=animate, cache=cache)
        others = node._has_focus_within or node._has_order_style or node._has_odd_or_even
        if isinstance(node, Widget) and not others:
            self._applied[node] = _state(node)

    def update_nodes(self, nodes: Iterable[DOMNode], animate: bool = False) -> None:
        """Style those of the widgets that are not as they were when they were styled."""
        changed = [node for node in nodes if self._applied.get(node) != _state(node)]
        super().update_nodes(changed, animate=animate)


def _state(node: DOMNode) -> State:
    """Return all that decides which rules are a widget's: of itself, and of what it is in."""
    return tuple(
        (
            step.classes,
            step.get_pseudo_classes() if isinstance(step, App) else step._pseudo_classes_cache_key,
        )
        for step in node.css_path_nodes
    )
