"""What the calls of every noun are built on."""

from typing import Any, Final
from urllib.parse import quote

from eaas.client.connection import Connection

API: Final = "/api/v1"

JobName = int | str
"""How a job is named: its number, or as a task of an array ``42[7]``."""


class Calls:
    """Holds the connection that the calls of one noun use."""

    def __init__(self, connection: Connection) -> None:
        self._connection: Final = connection

    async def _tell(self, method: str, path: str) -> Any:
        """Ask for something whose answer, if any, says no more than that it was done."""
        async with self._connection.ask(method, path) as response:
            content = await response.read()
        asked = f"{method} {path}"
        return self._connection.understood(content, object, asked) if content else None


def place(*parts: str | int) -> str:
    """Return the path of a route; names are escaped, so none can reach into another route."""
    return "/".join([API, *(quote(str(part), safe=":") for part in parts)])
