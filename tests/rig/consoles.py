"""The whole console in memory, with a recording behind it instead of a controller."""

from typing import Any

from eaas_tui.app import ConsoleApp
from eaas_tui.arguments import Arguments
from tests.rig.recordings import a_store_of


def a_console(recording: str = "small", **asked: Any) -> ConsoleApp:
    """Return a console that has heard a recording and follows nobody; it draws when told to."""
    app = ConsoleApp(Arguments(**asked))
    app.store = a_store_of(recording)[0]  # type: ignore[misc]
    return app
