"""Where the controller is, and who asks: a socket of this host, or an address with a token."""

from collections.abc import Mapping
from pathlib import Path
from typing import Final

import msgspec

from eaas.errors import EaasError
from eaas.paths import client_socket

DEFAULT_PORT: Final = 7470


class BadAddress(EaasError):
    """What was given as the server is no address."""

    code = "bad_address"


class Address(msgspec.Struct, frozen=True, kw_only=True):
    """How to reach one controller: by ``socket``, or when that is None by ``url``."""

    socket: Path | None = None
    url: str = "http://controller"
    """Scheme, host and port, without a slash at the end."""
    token: str | None = None
    """Sent as a bearer token; on a socket the kernel says who asks."""

    def __str__(self) -> str:
        return self.url if self.socket is None else str(self.socket)


def address_from(
    environ: Mapping[str, str], *, server: str | None = None, token: str | None = None
) -> Address:
    """Return where to go: what was given, else ``MINI_EAAS_SERVER``, else this host's socket."""
    place = server or environ.get("MINI_EAAS_SERVER")
    bearer = token or environ.get("MINI_EAAS_TOKEN") or None
    if not place:
        return Address(socket=client_socket(environ))
    if place.startswith(("unix:", "/")):
        return Address(socket=Path("/" + place.removeprefix("unix:").lstrip("/")))
    return Address(url=_url(place), token=bearer)


def how_to_go_on(address: Address) -> str:
    """Return what to try when nobody answers there."""
    if address.socket is not None:
        return "mini-eaas up starts a pool on this machine; --server URL names another one"
    return "check the address and that the controller runs there"


def _url(place: str) -> str:
    scheme, found, rest = place.rpartition("://")
    host = rest.strip("/")
    if (found and scheme not in ("http", "https")) or not host or set(host) & set("/ ?#@"):
        raise BadAddress(
            f"{place} is no server: write http://HOST:{DEFAULT_PORT}, or unix:/path/to.sock"
        )
    has_port = ":" in host.rpartition("]")[2]
    return f"{scheme or 'http'}://{host if has_port or found else f'{host}:{DEFAULT_PORT}'}"
