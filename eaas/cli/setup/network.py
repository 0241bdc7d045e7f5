"""How others reach this machine, and who holds a port of it."""

import errno
import pwd
import re
import socket
import subprocess
from pathlib import Path

import msgspec

ASK_S = 10.0
FAR = "192.0.2.1"
"""An address that belongs to nobody: only asked which way would lead there."""


class Outward(msgspec.Struct, frozen=True):
    """The address that others reach this machine by."""

    address: str
    by_dhcp: bool
    """Whether it was given for a while only."""


def outward() -> Outward | None:
    """Return it; None where no way leads out."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect((FAR, 9))
        except OSError:
            return None
        address: str = probe.getsockname()[0]
    return Outward(address, is_lent(_printed("ip", "-o", "-4", "addr"), address))


def is_lent(listed: str, address: str) -> bool:
    """Tell from what ``ip -o addr`` prints whether the address is a lease."""
    lines = [line for line in listed.splitlines() if f" {address}/" in line]
    return any(" dynamic " in f"{line} " for line in lines)


def port_holder(port: int) -> str | None:
    """Return which program keeps us from listening on the port, None if it is free."""
    if port == 0:
        return None
    with socket.socket(socket.AF_INET6 if socket.has_ipv6 else socket.AF_INET) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("", port))
        except OSError as error:
            if error.errno != errno.EADDRINUSE:
                return None
            return named(_printed("ss", "-Hltnp", f"sport = :{port}")) or "another program"
    return None


def named(listed: str) -> str | None:
    """Return the program that ``ss -p`` names, with its process; another pool's by its user."""
    found = re.search(r'\(\("([^"]+)",pid=(\d+)', listed)
    if found is None:
        return None
    user = _pool_user(Path("/proc", found[2]))
    if user is not None:
        return f"another pool of this machine ({user}'s, which their `mini-eaas down` stops)"
    return f"{found[1]} (process {found[2]})"


def _pool_user(process: Path) -> str | None:
    """Return as whom the process runs if it is a controller."""
    try:
        line = (process / "cmdline").read_bytes().split(b"\0")
        user = process.stat().st_uid
    except OSError:
        return None
    if b"eaas_daemon" not in line:
        return None
    try:
        return pwd.getpwuid(user).pw_name
    except KeyError:
        return f"user {user}"


def _printed(*words: str) -> str:
    """Return what a tool of the system prints; nothing where there is none."""
    try:
        return subprocess.run(words, capture_output=True, text=True, timeout=ASK_S).stdout
    except (OSError, subprocess.TimeoutExpired):
        return ""
