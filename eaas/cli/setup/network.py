"""How others reach this machine, and who holds a port of it."""

import errno
import re
import socket
import subprocess

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
    """Return the program that ``ss -p`` names, with its process."""
    found = re.search(r'\(\("([^"]+)",pid=(\d+)', listed)
    return f"{found[1]} (process {found[2]})" if found else None


def _printed(*words: str) -> str:
    """Return what a tool of the system prints; nothing where there is none."""
    try:
        return subprocess.run(words, capture_output=True, text=True, timeout=ASK_S).stdout
    except (OSError, subprocess.TimeoutExpired):
        return ""
