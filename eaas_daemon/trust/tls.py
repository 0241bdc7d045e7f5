"""The server's side of TLS: one context that takes a renewed certificate while it serves."""

import asyncio
import logging
import ssl
from collections.abc import Callable, Sequence
from typing import Final

from eaas_daemon.trust.authority import Authority

LOOK_EVERY_S: Final = 6 * 3600.0

log = logging.getLogger(__name__)


class ServerTls:
    """Serves under the controller's own authority."""

    def __init__(
        self,
        authority: Authority,
        names: Sequence[str],
        now: Callable[[], float],
        *,
        look_every_s: float = LOOK_EVERY_S,
    ) -> None:
        self._authority = authority
        self._names = names
        self._now = now
        self._look_every_s = look_every_s
        self.context: Final = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.context.minimum_version = ssl.TLSVersion.TLSv1_2
        file, _ = authority.server_file(names, now())
        self.context.load_cert_chain(file)

    async def keep_fresh(self) -> None:
        """Renew the certificate in time, for as long as the controller runs."""
        while True:
            await asyncio.sleep(self._look_every_s)
            try:
                await asyncio.to_thread(self.renew)
            except OSError as error:
                log.warning("the server's certificate can't be renewed yet: %s", error)

    def renew(self) -> bool:
        """Take a new certificate if the one in use nears its end; tell whether that was so.

        Connections that stand go on with the old one.
        """
        file, is_new = self._authority.server_file(self._names, self._now())
        if is_new:
            self.context.load_cert_chain(file)
            log.info("the server's certificate was renewed")
        return is_new
