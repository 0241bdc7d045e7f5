"""Whether it is the controller that answers, before anything secret is said to it.

A controller signs with its own authority, which signs for nobody else: who answers under that is
the controller, whatever name or address it was reached by. So the name is not checked.
"""

import asyncio
import socket
import ssl
from collections.abc import Sequence
from contextlib import suppress
from typing import Final

import aiohttp

from eaas.client.address import Address
from eaas.errors import EaasError
from eaas.tokens import BadToken, fingerprint, read_token

CA_PATH: Final = "/ca.pem"
MAX_CA_BYTES: Final = 64 * 1024
ASK_S: Final = 10.0
CLOSE_S: Final = 1.0
LOOK_S: Final = 0.002
NOT_YET_VALID: Final = 9
EXPIRED: Final = 10
"""What OpenSSL calls a certificate of another time."""


class NotTheController(EaasError):
    """Who answers is not the controller that is meant."""

    code = "not_the_controller"
    http_status = 502


async def trusted(address: Address) -> ssl.SSLContext | bool:
    """Return whom to believe at this address: the controller's own authority, if it is known.

    A token names it. Otherwise it is for this machine to say (True): a proxy may stand before the
    controller. Raises what ``authority_at`` does.
    """
    pem = address.ca
    if pem is None and address.token is not None:
        try:
            token = read_token(address.token)
        except BadToken:
            return True
        pem = await authority_at(address.url, token.ca)
    return True if pem is None else context_for(pem)


async def authority_at(url: str, ca: str) -> str:
    """Return the authority's certificate (PEM) of the controller at this address.

    ``ca`` is the fingerprint it must have. Nothing is sent that a stranger may not know. Raises
    ``NotTheController`` or ``aiohttp.ClientError``.
    """
    status, data = await _shown_at(url)
    certificate = _der(data.decode("ascii", "replace"))
    if status != 200 or certificate is None or fingerprint(certificate) != ca:
        raise NotTheController(
            f"what answers at {url} is not the controller that made this token: the address is "
            "wrong, the controller was set up anew, or somebody is in between. Nothing secret "
            "was sent"
        )
    return ssl.DER_cert_to_PEM_cert(certificate)  # and nothing else that came with it


async def _shown_at(url: str) -> tuple[int, bytes]:
    timeout = aiohttp.ClientTimeout(sock_connect=ASK_S, sock_read=ASK_S)
    opened: list[socket.socket] = []

    def open_one(place: aiohttp.AddrInfoType) -> socket.socket:
        opened.append(socket.socket(*place[:3]))
        return opened[-1]

    connector = aiohttp.TCPConnector(socket_factory=open_one)
    try:
        async with (
            aiohttp.ClientSession(connector=connector, timeout=timeout) as session,
            session.get(url + CA_PATH, ssl=False, allow_redirects=False) as response,
        ):
            data = b""
            while len(data) < MAX_CA_BYTES and (piece := await response.content.read(MAX_CA_BYTES)):
                data += piece
            return response.status, data
    finally:
        await _closed(opened)


async def _closed(opened: Sequence[socket.socket]) -> None:
    """Wait until both sides have ended their TLS: nobody tells, and the loop may end right after.

    A peer that does not answer is not waited for.
    """
    with suppress(TimeoutError):
        async with asyncio.timeout(CLOSE_S):
            while any(one.fileno() != -1 for one in opened):  # noqa: ASYNC110
                await asyncio.sleep(LOOK_S)


def is_of(pem: str, ca: str) -> bool:
    """Tell whether the certificate has this fingerprint."""
    certificate = _der(pem)
    return certificate is not None and fingerprint(certificate) == ca


def not_believed(url: str, error: aiohttp.ClientConnectorCertificateError) -> NotTheController:
    """Return what it means that a connection was given up for the certificate shown there."""
    why = getattr(error.certificate_error, "verify_message", "") or error.certificate_error
    if getattr(error.certificate_error, "verify_code", None) in (NOT_YET_VALID, EXPIRED):
        return NotTheController(
            f"the certificate that {url} shows is not valid by this machine's clock ({why}); "
            "nothing secret was said. Let both clocks be set from the network: timedatectl set-ntp "
            "true; if they are right, restart the controller: it makes a new one"
        )
    return NotTheController(
        f"what answers at {url} can't prove that it is the controller ({why}), and was told "
        "nothing secret. Where the controller was set up anew, log in or join anew"
    )


def _der(pem: str) -> bytes | None:
    """Return the certificate that the text begins with; what follows it is not looked at."""
    first, end, _ = pem.partition(ssl.PEM_FOOTER)
    try:
        return ssl.PEM_cert_to_DER_cert(first + end)
    except ValueError:
        return None


def context_for(pem: str) -> ssl.SSLContext:
    """Return the TLS context that believes this authority and no other."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.check_hostname = False
    context.load_verify_locations(cadata=pem)
    return context
