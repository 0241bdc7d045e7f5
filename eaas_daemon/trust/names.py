"""Under which names and addresses this controller can be reached: what its certificate says."""

import ipaddress
import socket
from collections.abc import Sequence

LOCAL = ("localhost", "127.0.0.1", "::1")


def server_names(listen: str, more: Sequence[str] = ()) -> tuple[str, ...]:
    """Return what the certificate names: this host, where it listens, and what was set, once each.

    Listening on every address, it names the one that leads out of the house; the others work
    too, because who joined trusts the authority and not a name.
    """
    host = socket.gethostname()
    address = ipaddress.ip_address(listen)
    outward = _outward(address.version) if address.is_unspecified else listen
    names = (*LOCAL, host, socket.getfqdn(), *([outward] if outward else []), *more)
    return tuple(dict.fromkeys(name for name in names if _fits(name)))


def advertised(address: str, listen: str, names: Sequence[str]) -> str:
    """Return the address to tell others, given the one that is listened on.

    The first name that was set; else, when every address is listened on, the one that leads out.
    """
    scheme, _, place = address.partition("://")
    port = place.rpartition(":")[2]
    host = names[0] if names else _named(listen)
    return f"{scheme}://{f'[{host}]' if ':' in host else host}:{port}"


def _named(listen: str) -> str:
    found = ipaddress.ip_address(listen)
    if not found.is_unspecified:
        return listen
    return _outward(found.version) or _outward(4) or socket.gethostname()


def _outward(version: int) -> str | None:
    """Return the address this machine would come from elsewhere; nothing is sent to find out."""
    family, far = (
        (socket.AF_INET6, "2001:db8::1") if version == 6 else (socket.AF_INET, "192.0.2.1")
    )
    with socket.socket(family, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect((far, 9))
        except OSError:
            return None
        name: str = probe.getsockname()[0]
        return name


def _fits(name: str) -> bool:
    """Tell whether a certificate can say it: an address, or a host's name in ASCII."""
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return bool(name) and len(name) <= 253 and name.isascii() and " " not in name
    return True
