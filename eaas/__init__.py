"""What every part of Mini EaaS shares: the words, the wire, the client, the command line."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from eaas.client import Client

__all__ = ["Client"]


def __getattr__(name: str) -> Any:
    """Load the client library when it is asked for: most of this package needs no network."""
    if name == "Client":
        from eaas.client import Client

        return Client
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
