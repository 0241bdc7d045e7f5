"""Leaves OpenSSL out where the controller is reached by a socket of this host.

asyncio and aiohttp do without ``ssl``, as in a Python that was built so. With it they prepare
contexts that nobody uses on a socket, which costs 50 ms of each start and 7 MiB.
"""

import sys
from collections.abc import Mapping
from importlib.util import find_spec
from typing import Final

from eaas.paths import client_socket

LEFT_OUT: Final = ("ssl", "_ssl", "_hashlib")
PLAIN_HASHES: Final = ("_md5", "_sha1", "_sha512", "_sha3", "_blake2")
"""Python's own, for ``hashlib``; some distributions have only OpenSSL's."""


def is_needed(environ: Mapping[str, str], *, server: str | None, replay: bool) -> bool:
    """Tell whether the controller may be reached by anything but a socket of this host."""
    place = server or environ.get("MINI_EAAS_SERVER")
    if replay:
        return False
    if place:
        return not place.startswith(("unix:", "/"))
    return not client_socket(environ).exists()


def leave_out() -> None:
    """Make it unimportable from here on, where nothing has imported it and hashes need none."""
    sha256 = "_sha256" if sys.version_info < (3, 12) else "_sha2"
    hashes = (sha256, *(name for name in PLAIN_HASHES if name != "_sha512" or sha256 == "_sha256"))
    if "ssl" not in sys.modules and all(find_spec(name) for name in hashes):
        sys.modules.update(dict.fromkeys(LEFT_OUT))  # type: ignore[arg-type]


def is_left_out() -> bool:
    """Tell whether no controller can be reached by ``https`` in this process."""
    return "ssl" in sys.modules and sys.modules["ssl"] is None
