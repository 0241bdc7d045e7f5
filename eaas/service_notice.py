"""What a program tells the service manager that started it: ready, reloading, stopping, alive.

This is systemd's protocol: lines in a datagram to the socket that ``NOTIFY_SOCKET`` names. Where
nobody listens, nothing is said.
"""

import asyncio
import os
import socket
import time
from collections.abc import Callable, MutableMapping
from contextlib import suppress
from typing import Final

STATUS_EVERY_S: Final = 10.0


class ServiceNotice:
    """Speaks to the service manager; each message is one datagram that is never waited for."""

    def __init__(self, environ: MutableMapping[str, str]) -> None:
        """Take the protocol's variables out of the environment: no child must speak for us."""
        address = environ.pop("NOTIFY_SOCKET", "")
        watchdog_us = environ.pop("WATCHDOG_USEC", "")
        whose = environ.pop("WATCHDOG_PID", "") or str(os.getpid())
        self._address: Final = "\0" + address[1:] if address.startswith("@") else address
        meant = watchdog_us.isdecimal() and whose == str(os.getpid())
        self.watchdog_s: Final = int(watchdog_us) / 1e6 if meant and int(watchdog_us) else None
        """How long the manager waits for a sign of life; None when it does not."""

    def ready(self) -> None:
        """Say that the program serves, or serves again after ``reloading``."""
        self._tell("READY=1")

    def reloading(self) -> None:
        """Say that the settings are being read again; ``ready`` ends it."""
        now_us = time.clock_gettime_ns(time.CLOCK_MONOTONIC) // 1000
        self._tell("RELOADING=1", f"MONOTONIC_USEC={now_us}")

    def stopping(self) -> None:
        """Say that the program is on its way out."""
        self._tell("STOPPING=1", "STATUS=stopping; jobs run on")

    async def live(self, idle_s: Callable[[], float], status: Callable[[], str]) -> None:
        """Send signs of life and a status line until cancelled.

        ``idle_s`` is for how long work has waited without any progress: from half the watchdog's
        time on there is no sign of life any more. That this runs at all shows that the loop turns.
        """
        if not self._address:
            return
        limit_s = self.watchdog_s / 2 if self.watchdog_s is not None else None
        every_s = STATUS_EVERY_S if limit_s is None else min(STATUS_EVERY_S, limit_s / 2)
        told = ""
        while True:
            line = status()
            if line != told:
                self._tell(f"STATUS={line}")
                told = line
            if limit_s is not None and idle_s() < limit_s:
                self._tell("WATCHDOG=1")
            await asyncio.sleep(every_s)

    def _tell(self, *lines: str) -> None:
        if not self._address:
            return
        with suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as speaker:
            speaker.setblocking(False)
            speaker.sendto("\n".join(lines).encode(), self._address)
