"""Somebody in between: TLS under an authority of its own, and every byte it is sent is noted."""

import asyncio
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Final

from eaas.tokens import Token
from eaas_daemon.trust.authority import authority_in
from eaas_daemon.trust.tls import ServerTls

CA_PEM: Final = b"GET /ca.pem HTTP/1.1"


class Impostor:
    """Answers whatever it is asked, and remembers what that was, as it came out of TLS."""

    def __init__(self, pem: bytes, shown: Sequence[bytes] | None) -> None:
        self.pem: Final = pem
        """Its own authority's certificate."""
        self._shown: Final = (pem,) if shown is None else shown
        self.heard = b""
        self.status = 200
        """What the certificate is answered with."""
        self.url = ""

    @property
    def asked(self) -> list[bytes]:
        """The first line of every request."""
        return [line for line in self.heard.split(b"\r\n") if line.endswith(b" HTTP/1.1")]

    def knows(self, token: Token) -> bool:
        """Tell whether anything of the token came here."""
        return any(part.encode() in self.heard for part in (token.ca, token.id, token.secret))

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer one request, and go on listening until the other side ends it."""
        head, answered = b"", False
        with suppress(OSError):
            while piece := await reader.read(65536):
                self.heard += piece
                head += piece
                if b"\r\n\r\n" in head and not answered:
                    answered = True
                    await self._answer(writer, self._shown if CA_PEM in head else (b"{}",))
        writer.close()

    async def _answer(self, writer: asyncio.StreamWriter, pieces: Sequence[bytes]) -> None:
        length = sum(map(len, pieces))
        head = f"HTTP/1.1 {self.status} X\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n"
        for piece in (head.encode(), *pieces):
            writer.write(piece)
            await writer.drain()
            await asyncio.sleep(0)


@asynccontextmanager
async def an_impostor(
    folder: Path, *, shown: Sequence[bytes] | None = None
) -> AsyncIterator[Impostor]:
    """Serve one; ``shown`` is what it says its authority is, in pieces, instead of the truth."""
    authority = authority_in(folder, time.time())
    tls = ServerTls(authority, ("127.0.0.1",), time.time)
    impostor = Impostor(authority.pem, shown)
    server = await asyncio.start_server(impostor.serve, "127.0.0.1", 0, ssl=tls.context)
    impostor.url = f"https://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    async with server:
        yield impostor
