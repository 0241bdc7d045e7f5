import asyncio
import logging
import shutil
import ssl
import time
from collections.abc import AsyncIterator
from contextlib import suppress
from pathlib import Path

import pytest

from eaas_daemon.trust.authority import Authority, authority_in
from eaas_daemon.trust.tls import ServerTls
from tests.daemon.api.served import FixedClock

SOON_S = 10.0


@pytest.fixture
def clock() -> FixedClock:
    clock = FixedClock()
    clock.at = 1_800_000_000.0
    return clock


@pytest.fixture
def authority(tmp_path: Path, clock: FixedClock) -> Authority:
    return authority_in(tmp_path / "trust", clock.now())


def shown_certificate(server: ssl.SSLContext, authority: Authority) -> bytes:
    """Shake hands in memory as somebody who trusts this authority; return what was shown."""
    client = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    client.load_verify_locations(cadata=authority.pem.decode())
    client.verify_flags |= ssl.VERIFY_X509_PARTIAL_CHAIN
    there, back = ssl.MemoryBIO(), ssl.MemoryBIO()
    left = client.wrap_bio(back, there, server_hostname="pool.example")
    right = server.wrap_bio(there, back, server_side=True)
    for _ in range(3):
        for side in (left, right):
            with suppress(ssl.SSLWantReadError):
                side.do_handshake()
    certificate = left.getpeercert(binary_form=True)
    assert certificate is not None
    return certificate


@pytest.fixture
def now_is_real(clock: FixedClock) -> None:
    """TLS libraries look at the machine's own clock."""
    clock.at = time.time()


@pytest.mark.usefixtures("now_is_real")
def test_who_trusts_the_authority_believes_the_server_before_and_after_a_renewal(
    authority: Authority, clock: FixedClock
) -> None:
    tls = ServerTls(authority, ("pool.example",), clock.now)
    first = shown_certificate(tls.context, authority)
    unchanged = tls.renew()
    authority.server_file(("another.example",), clock.now())  # not what this server asks for

    is_new = tls.renew()

    assert (unchanged, is_new) == (False, True)
    assert shown_certificate(tls.context, authority) != first


@pytest.mark.usefixtures("now_is_real")
def test_another_authority_is_not_believed(
    authority: Authority, clock: FixedClock, tmp_path: Path
) -> None:
    tls = ServerTls(authority, ("pool.example",), clock.now)
    other = authority_in(tmp_path / "other", clock.now())

    with pytest.raises(ssl.SSLCertVerificationError):
        shown_certificate(tls.context, other)


def test_nothing_older_than_tls_1_2_is_spoken(authority: Authority, clock: FixedClock) -> None:
    tls = ServerTls(authority, ("pool.example",), clock.now)

    assert tls.context.minimum_version == ssl.TLSVersion.TLSv1_2


class Heard(logging.Handler):
    """What was logged, to be waited for; it may come from another thread."""

    def __init__(self) -> None:
        super().__init__()
        self._loop = asyncio.get_running_loop()
        self._said: asyncio.Queue[str] = asyncio.Queue()

    def emit(self, record: logging.LogRecord) -> None:
        self._loop.call_soon_threadsafe(self._said.put_nowait, record.getMessage())

    async def words(self, words: str) -> None:
        """Wait until these words are logged."""
        async with asyncio.timeout(SOON_S):
            while words not in await self._said.get():
                pass


@pytest.fixture
async def heard() -> AsyncIterator[Heard]:
    heard, log = Heard(), logging.getLogger("eaas_daemon.trust.tls")
    level = log.level
    log.setLevel(logging.INFO)
    log.addHandler(heard)
    yield heard
    log.removeHandler(heard)
    log.setLevel(level)


async def test_a_certificate_that_can_not_be_renewed_now_is_tried_again(
    authority: Authority, clock: FixedClock, tmp_path: Path, heard: Heard
) -> None:
    tls = ServerTls(authority, ("pool.example",), clock.now, look_every_s=0.001)
    shutil.move(tmp_path / "trust", tmp_path / "away")
    working = asyncio.create_task(tls.keep_fresh())
    try:
        await heard.words("can't be renewed yet")
        (tmp_path / "trust").mkdir(mode=0o700)
        await heard.words("certificate was renewed")
    finally:
        working.cancel()
        with suppress(asyncio.CancelledError):
            await working
