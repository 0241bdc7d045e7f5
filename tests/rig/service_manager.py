"""A stand-in for systemd: a datagram socket that hears what a program says of itself."""

import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

WITHIN_S: Final = 20.0


class ServiceManager:
    """Hears datagrams, in their order."""

    def __init__(self, listener: socket.socket, address: str) -> None:
        self._listener = listener
        self.address: Final = address

    def environ(self, *, watchdog_s: float | None = None) -> dict[str, str]:
        """Return what a service finds in its environment."""
        watchdog = {} if watchdog_s is None else {"WATCHDOG_USEC": str(int(watchdog_s * 1e6))}
        return {"NOTIFY_SOCKET": self.address, **watchdog}

    def hear(self, within_s: float = WITHIN_S) -> dict[str, str] | None:
        """Return the next message as names and values; None if none comes in time."""
        self._listener.settimeout(within_s)
        try:
            text = self._listener.recv(4096).decode()
        except TimeoutError:
            return None
        return dict(line.split("=", 1) for line in text.splitlines())

    def hear_until(self, name: str) -> list[dict[str, str]]:
        """Return all messages up to the one that has this name; fail when it does not come."""
        heard: list[dict[str, str]] = []
        while not heard or name not in heard[-1]:
            message = self.hear()
            assert message is not None, f"no {name} came, only {heard}"
            heard.append(message)
        return heard


@contextmanager
def a_service_manager(folder: Path, *, abstract: bool = False) -> Iterator[ServiceManager]:
    """Listen on a socket in the folder, or on one without a file."""
    name = f"eaas-test-{os.getpid()}-notify"
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as listener:
        listener.bind("\0" + name if abstract else str(folder / "notify"))
        yield ServiceManager(listener, "@" + name if abstract else str(folder / "notify"))
