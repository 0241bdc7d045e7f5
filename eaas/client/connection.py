"""The way to the controller: requests out, views or the controller's own errors back."""

import asyncio
import os
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any, Final, Self, TypeVar

import aiohttp
import msgspec

from eaas.client.address import Address, how_to_go_on
from eaas.errors import (
    EaasError,
    Forbidden,
    NotFound,
    Unauthenticated,
    Unavailable,
    Unreachable,
)
from eaas.problem import MEDIA_TYPE, Problem, error_from
from eaas.wire.codec import UNREADABLE

if TYPE_CHECKING:
    from ssl import SSLContext  # a console that asks by a socket is started without OpenSSL

T = TypeVar("T")

CONNECT_S: Final = 5.0
ANSWER_S: Final = 30.0
MAX_FRAME_BYTES: Final = 256 << 20
"""A snapshot of a large pool is one frame."""
HEARTBEAT_S: Final = 8.0
"""After so long without a word the controller is asked for one, and half as long waited for it:
old numbers pass for fresh ones no longer than that.
"""
CLOSE_S: Final = 1.0
"""How long a controller is waited for that is told goodbye."""
PIECE_BYTES: Final = 256 * 1024

_BARE: Final[Mapping[int, type[EaasError]]] = {
    401: Unauthenticated,
    403: Forbidden,
    404: NotFound,
    503: Unavailable,
}

Params = Mapping[str, str | int | float | None]


class NotUnderstood(EaasError):
    """The answer is not what this version expects."""

    code = "not_understood"
    http_status = 502


class Cut(Unreachable):
    """The connection broke after the request may have arrived."""


class Connection:
    """Speaks HTTP with one controller. Use it as an async context manager."""

    def __init__(self, address: Address) -> None:
        self.address: Final = address
        self._session: aiohttp.ClientSession | None = None
        self._tls: SSLContext | bool = True
        """Whom to believe; True is whom this machine believes."""

    async def __aenter__(self) -> Self:
        socket = self.address.socket
        self._session = aiohttp.ClientSession(
            connector=aiohttp.UnixConnector(str(socket)) if socket else aiohttp.TCPConnector(),
            timeout=aiohttp.ClientTimeout(total=None, sock_connect=CONNECT_S),
        )
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._session is not None:
            await self._session.close()
            await asyncio.sleep(0)  # what failed in a TLS handshake is closed in the next turn

    async def call(
        self,
        answer: type[T],
        method: str,
        path: str,
        *,
        params: Params | None = None,
        body: object = None,
        headers: Mapping[str, str] | None = None,
    ) -> T:
        """Ask and return the decoded answer; a refusal raises the controller's own error."""
        data = None if body is None else msgspec.json.encode(body)
        kind = {} if body is None else {"Content-Type": "application/json"}
        async with self.ask(
            method, path, params=params, data=data, headers={**kind, **(headers or {})}
        ) as response:
            content = await response.read()
        return self.understood(content, answer, f"{method} {path}")

    def understood(self, content: bytes, answer: type[T], asked: str) -> T:
        """Return what the body of an answer says, or raise ``NotUnderstood``."""
        try:
            return msgspec.json.decode(content, type=answer)
        except UNREADABLE as error:
            raise NotUnderstood(
                f"the controller at {self.address} answered {asked} in a way this version does "
                f"not understand: {error}"
            ) from error

    @asynccontextmanager
    async def ask(
        self,
        method: str,
        path: str,
        *,
        params: Params | None = None,
        data: Any = None,
        headers: Mapping[str, str] | None = None,
        answer_s: float | None = ANSWER_S,
    ) -> AsyncIterator[aiohttp.ClientResponse]:
        """Ask and yield the good answer, its body still unread.

        ``answer_s`` bounds each silence of the controller, not the whole answer.
        """
        with self._translated():
            async with self._open.request(
                method,
                self.address.url + path,
                params=_given(params),
                data=data,
                headers={**await self._proof(), **(headers or {})},
                ssl=self._tls,
                allow_redirects=False,  # who asks says where; nobody else does
                timeout=aiohttp.ClientTimeout(sock_connect=CONNECT_S, sock_read=answer_s),
            ) as response:
                if response.status >= 300:
                    raise await _refusal(response)
                yield response

    @asynccontextmanager
    async def listen(
        self, path: str, params: Params
    ) -> AsyncIterator[aiohttp.ClientWebSocketResponse]:
        """Open a websocket and yield it."""
        try:
            websocket = await self._upgraded(path, params)
        except aiohttp.WSServerHandshakeError as refused:
            raise await self._in_its_own_words(refused, path, params) from refused
        with self._translated():
            async with websocket:
                yield websocket

    async def _upgraded(self, path: str, params: Params) -> aiohttp.ClientWebSocketResponse:
        """Return a websocket; a refusal raises ``WSServerHandshakeError``, without its body."""
        with self._translated():
            return await self._open.ws_connect(
                self.address.url + path,
                params=_given(params),
                headers=await self._proof(),
                ssl=self._tls,
                max_msg_size=MAX_FRAME_BYTES,
                heartbeat=HEARTBEAT_S,
                timeout=aiohttp.ClientWSTimeout(ws_close=CLOSE_S),
            )

    async def _in_its_own_words(
        self, refused: aiohttp.WSServerHandshakeError, path: str, params: Params
    ) -> EaasError:
        """Return why a websocket was refused: a plain request is told, an upgrade loses it."""
        try:
            async with self.ask("GET", path, params=params):
                pass
        except EaasError as error:
            if error.http_status == refused.status:
                return error
        return _refused_upgrade(refused, self.address)

    async def _proof(self) -> Mapping[str, str]:
        """Return the header that says who asks, once it is sure who is asked."""
        address = self.address
        if address.socket is not None or address.token is None:
            return {}
        if self._tls is True and address.url.startswith("https://"):
            from eaas.client.trust import trusted  # only here: it brings OpenSSL

            self._tls = await trusted(address)
        return {"Authorization": f"Bearer {address.token}"}

    @property
    def _open(self) -> aiohttp.ClientSession:
        assert self._session is not None, "use the client as an async context manager"
        return self._session

    def _translated(self) -> "Translated":
        return Translated(self.address)


class Translated:
    """Turns what aiohttp raises into errors that say what to type."""

    def __init__(self, address: Address) -> None:
        self._address: Final = address

    def __enter__(self) -> None:
        return None

    def __exit__(self, _kind: object, error: BaseException | None, _trace: object) -> None:
        address = self._address
        if isinstance(error, aiohttp.WSServerHandshakeError):
            return  # what it says is asked for in its own words
        if isinstance(error, aiohttp.ClientConnectorCertificateError):
            from eaas.client.trust import not_believed

            raise not_believed(str(address), error) from error
        if isinstance(error, aiohttp.ClientConnectorError | aiohttp.InvalidURL):
            raise Unreachable(
                f"no controller answers at {address}{_why(error)}; {how_to_go_on(address)}"
            ) from error
        if isinstance(error, aiohttp.ClientError):
            raise Cut(
                f"the connection to the controller at {address} broke{_why(error)}"
            ) from error


def _given(params: Params | None) -> dict[str, str]:
    return {key: str(value) for key, value in (params or {}).items() if value is not None}


def _why(error: BaseException) -> str:
    cause = getattr(error, "os_error", None)
    text = (getattr(cause, "strerror", None) or "").lower()
    if cause is not None and text.startswith("connect call failed"):  # asyncio's words
        text = os.strerror(cause.errno).lower()
    if not text and isinstance(error, TimeoutError):
        text = "it did not answer in time"
    return f" ({text})" if text else ""


async def _refusal(response: aiohttp.ClientResponse) -> EaasError:
    content = await response.read()
    if response.content_type == MEDIA_TYPE and content:
        try:
            return error_from(msgspec.json.decode(content, type=Problem))
        except UNREADABLE:
            pass  # whatever it is, the lines below quote it
    words = content[:200].decode("utf-8", "replace").strip() or response.reason
    return _by_status(response.status, f"{response.url} answered {response.status}: {words}")


def _refused_upgrade(error: aiohttp.WSServerHandshakeError, address: Address) -> EaasError:
    """Return what a refused websocket means where a plain request is not refused so."""
    return _by_status(
        error.status, f"the controller at {address} refused the stream with {error.status}"
    )


def _by_status(status: int, sentence: str) -> EaasError:
    """Return the error of an answer that has no problem object (HEAD, an upgrade, a proxy)."""
    return _BARE.get(status, NotUnderstood)(sentence)
