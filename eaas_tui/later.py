"""What Textual imports at once and the console needs after its first paint, if ever.

``with standing_in():`` around its first import puts stand-ins in the place of these modules. What
is taken from a stand-in imports the real module when it is first called or asked for anything.
"""

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from types import ModuleType
from typing import Any, Final

MODULES: Final = (
    "difflib",  # guesses at mistakes in style sheets
    "mimetypes",  # and platformdirs: files for a browser
    "pickle",  # what hangs on a style, such as a link
    "platformdirs",
    "rich.table",  # shows a theme's colours
    "textual.canvas",  # lines between the cells of a layout
    "textual.command",  # the palette, with the trees and forms that its types name
)
FAR_AWAY: Final = ("idna", "urllib.request")
"""The same of the client library: for hosts in other scripts, and for proxies."""


class Later:
    """Stands for a name of a module. A class derived from it is derived from nothing."""

    def __init__(self, module: str, name: str) -> None:
        self._place: Final = (module, name)

    def __call__(self, *given: Any, **named: Any) -> Any:
        return _real(*self._place)(*given, **named)

    def __getattr__(self, name: str) -> Any:
        return getattr(_real(*self._place), name)

    def __mro_entries__(self, _: tuple[object, ...]) -> tuple[type, ...]:
        return ()


class StandIn(ModuleType):
    """Has every name that is asked for."""

    def __getattr__(self, name: str) -> Later:
        if name.startswith("__"):
            raise AttributeError(name)
        return Later(self.__name__, name)


def imported(name: str, *, later: Sequence[str]) -> Any:
    """Import a module with stand-ins of those others, and return it."""
    with standing_in(later):
        return import_module(name)


@contextmanager
def standing_in(modules: Sequence[str] = MODULES) -> Iterator[None]:
    """Let what is imported in the block get stand-ins of these modules."""
    stand_ins = {name: StandIn(name) for name in modules if name not in sys.modules}
    sys.modules.update(stand_ins)
    try:
        yield
    finally:
        for name, stand_in in stand_ins.items():
            if sys.modules.get(name) is stand_in:
                del sys.modules[name]


def _real(module: str, name: str) -> Any:
    return getattr(import_module(module), name)
