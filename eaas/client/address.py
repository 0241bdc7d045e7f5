"""Where the controller is, and who asks: a socket of this host, or an address with a token."""

from collections.abc import Mapping
from pathlib import Path
from typing import Final

import msgspec

from eaas.client.logins import Login, read_logins
from eaas.errors import Mistyped
from eaas.loopback import is_loopback
from eaas.paths import client_socket

DEFAULT_PORT: Final = 7470
INSECURE: Final = "MINI_EAAS_INSECURE"
"""Set to 1, it lets tokens go over plain HTTP."""


class BadAddress(Mistyped):
    """What was given as the server is no address."""

    code = "bad_address"


class NotSafe(Mistyped):
    """A token would be sent so that others on the way can read it."""

    code = "not_safe"


class Address(msgspec.Struct, frozen=True, kw_only=True):
    """How to reach one controller: by ``socket``, or when that is None by ``url``."""

    socket: Path | None = None
    url: str = "http://controller"
    """Scheme, host and port, without a slash at the end."""
    token: str | None = None
    """Sent as a bearer token; on a socket the kernel says who asks."""
    ca: str | None = None
    """The certificate (PEM) of the controller's authority, where it is known already."""

    def __str__(self) -> str:
        return self.url if self.socket is None else str(self.socket)


def address_from(
    environ: Mapping[str, str], *, server: str | None = None, token: str | None = None
) -> Address:
    """Return where to go: what was given, else ``MINI_EAAS_SERVER``, else this host's socket.

    Where there is no such socket, the controller that one logged in to last is meant. Raises
    ``BadAddress``, and ``NotSafe`` for a token that would be sent over plain HTTP to elsewhere.
    """
    place = server or environ.get("MINI_EAAS_SERVER")
    bearer = token or environ.get("MINI_EAAS_TOKEN") or None
    if not place:
        socket = client_socket(environ)
        logins = () if socket.exists() else read_logins(environ).logins
        if not logins:
            return Address(socket=socket)
        last = logins[-1]
        return address_at(last.url, bearer, environ) if bearer else _logged_in(last)
    address = address_at(place, bearer, environ)
    if address.socket is None and bearer is None:
        known = read_logins(environ)
        login = known.to(url_of(place, secret=True)) or known.to(address.url)
        return address if login is None else _logged_in(login)
    return address


def address_at(
    place: str, token: str | None, environ: Mapping[str, str], *, secret: bool = False
) -> Address:
    """Return the address that a person typed, with what they show there.

    ``secret`` says that something will be shown even without this token. Raises ``BadAddress``
    and ``NotSafe``.
    """
    if place.startswith(("unix:", "/")):
        return Address(socket=Path("/" + place.removeprefix("unix:").lstrip("/")))
    secret = secret or token is not None
    url = url_of(place, secret=secret)
    if secret:
        refuse_plain(url, environ)
    return Address(url=url, token=token)


def _logged_in(login: Login) -> Address:
    return Address(url=login.url, token=login.token, ca=login.ca or None)


def how_to_go_on(address: Address) -> str:
    """Return what to try when nobody answers there."""
    if address.socket is not None:
        return "mini-eaas up starts a pool on this machine; --server URL names another one"
    return "check the address and that the controller runs there"


def url_of(place: str, *, secret: bool = False) -> str:
    """Return the address of a server as people write it.

    Where they wrote no scheme it is ``https``, unless it is this machine and nothing ``secret`` is
    to be said there.
    """
    scheme, found, rest = place.rpartition("://")
    host = rest.strip("/")
    if (found and scheme not in ("http", "https")) or not host or set(host) & set("/ ?#@"):
        raise BadAddress(
            f"{place} is no server: write https://HOST:{DEFAULT_PORT}, or unix:/path/to.sock"
        )
    has_port = ":" in host.rpartition("]")[2]
    scheme = scheme or ("http" if is_loopback(host) and not secret else "https")
    return f"{scheme}://{host if has_port or found else f'{host}:{DEFAULT_PORT}'}"


def refuse_plain(url: str, environ: Mapping[str, str]) -> None:
    """Raise ``NotSafe`` unless what is sent there stays on this machine or is encrypted."""
    scheme, _, host = url.partition("://")
    if scheme == "https" or is_loopback(host) or environ.get(INSECURE) == "1":
        return
    raise NotSafe(
        f"{url} is not encrypted, and whoever listens in on the way would have the token: write "
        f"https://{host} (or set {INSECURE}=1 where nobody can listen in)"
    )
