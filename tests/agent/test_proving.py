import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from email.utils import formatdate
from pathlib import Path

import aiohttp
import pytest
from aiohttp import web

from eaas.client.trust import CA_PATH, authority_at, context_for, not_believed
from eaas.lives import Obeyed
from eaas.token_views import AgentPassView
from eaas_agent.proving import Asker, clock_step, shown_token, tls_step, token_step, version_step
from eaas_daemon.trust.authority import authority_in
from eaas_daemon.trust.tls import ServerTls

YEAR_S = 365 * 86400.0


@asynccontextmanager
async def a_controller_at(folder: Path, now: float) -> AsyncIterator[tuple[Asker, str]]:
    """Serve the authority's certificate as a controller does whose clock says so."""
    authority = authority_in(folder, now)

    async def pem(request: web.Request) -> web.Response:
        return web.Response(body=authority.pem, headers={"Date": formatdate(now, usegmt=True)})

    app = web.Application()
    app.router.add_get("/ca.pem", pem)
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    tls = ServerTls(authority, ("127.0.0.1",), lambda: now)
    site = web.TCPSite(runner, "127.0.0.1", 0, ssl_context=tls.context)
    await site.start()
    try:
        _, port = runner.addresses[0]
        yield Asker(f"https://127.0.0.1:{port}"), authority.fingerprint
    finally:
        await runner.cleanup()


async def test_who_proves_to_be_under_the_right_authority_is_the_controller(
    tmp_path: Path,
) -> None:
    async with a_controller_at(tmp_path, time.time()) as (asker, authority):
        step, context = await tls_step(asker, authority)

    assert step.is_ok
    assert authority[:12] in step.text
    assert context is not None


async def test_another_authority_is_named_beside_the_right_one(tmp_path: Path) -> None:
    async with a_controller_at(tmp_path, time.time()) as (asker, authority):
        step, context = await tls_step(asker, "x" * 52)

    assert context is None
    assert authority[:12] in step.text
    assert "xxxxxxxxxxxx is the right one" in step.text


async def test_without_a_token_nobody_can_tell_which_authority_is_right(tmp_path: Path) -> None:
    async with a_controller_at(tmp_path, time.time()) as (asker, _):
        step, context = await tls_step(asker, None)

    assert context is None
    assert "mini-eaas token create --role agent" in step.line()


@pytest.mark.parametrize(
    ("off_s", "words"),
    [
        (3 * YEAR_S, ("not yet valid", "behind the controller's")),
        (-12 * YEAR_S, ("no longer valid", "ahead of the controller's")),
    ],
)
async def test_a_certificate_that_is_not_valid_now_is_told_with_the_clocks(
    tmp_path: Path, off_s: float, words: tuple[str, str]
) -> None:
    async with a_controller_at(tmp_path, time.time() + off_s) as (asker, authority):
        step, context = await tls_step(asker, authority)

    assert context is None
    assert all(word in step.text for word in words)
    assert "timedatectl" in str(step.advice)


@pytest.mark.parametrize("off_s", [-20 * 3600.0, 20 * 3600.0])
async def test_hours_between_the_clocks_keep_nobody_out(tmp_path: Path, off_s: float) -> None:
    async with a_controller_at(tmp_path, time.time() + off_s) as (asker, authority):
        step, context = await tls_step(asker, authority)

    assert step.is_ok
    assert context is not None


@pytest.mark.parametrize("off_s", [3 * YEAR_S, -12 * YEAR_S])
async def test_who_is_turned_away_by_a_clock_is_told_of_clocks_and_not_of_impostors(
    tmp_path: Path, off_s: float
) -> None:
    async with a_controller_at(tmp_path, time.time() + off_s) as (asker, authority):
        pem = await authority_at(asker.url, authority)
        with pytest.raises(aiohttp.ClientConnectorCertificateError) as error:
            await asker.get(CA_PATH, context_for(pem))

    said = not_believed("https://ctl", error.value).sentence
    assert "not valid by this machine's clock" in said
    assert "timedatectl" in said


async def test_a_port_that_speaks_something_else_is_no_controller(tmp_path: Path) -> None:
    app = web.Application()
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    _, port = runner.addresses[0]

    encrypted, _ = await tls_step(Asker(f"https://127.0.0.1:{port}"), "x")
    plain, found, _ = await token_step(Asker(f"http://127.0.0.1:{port}"), True, "t", Obeyed())

    await runner.cleanup()
    assert "no encrypted connection came about" in encrypted.text
    assert (found, "no controller of this version" in plain.text) == (None, True)


def test_a_token_that_is_none_is_told_before_anybody_is_asked() -> None:
    wrong, token = shown_token("eaas1.nothing")

    assert token is None
    assert wrong is not None
    assert "copy all of it once more" in wrong.text


def pass_for(protocol_min: int, protocol_max: int) -> AgentPassView:
    return AgentPassView(
        role="agent",
        token="j",
        node=None,
        expires_at=None,
        uses_left=None,
        version="2.0",
        protocol_min=protocol_min,
        protocol_max=protocol_max,
    )


@pytest.mark.parametrize(
    ("speaks", "advice"),
    [
        ((1, 1), None),
        ((0, 2), None),
        ((2, 3), "Upgrade this agent; jobs run on meanwhile"),
        ((0, 0), "Upgrade the controller; jobs run on meanwhile"),
    ],
)
def test_who_speaks_another_protocol_is_told_to_upgrade(
    speaks: tuple[int, int], advice: str | None
) -> None:
    step = version_step(pass_for(*speaks), "1.0")

    assert step.text.startswith("the controller is 2.0, this agent 1.0; they ")
    assert step.advice == advice


def test_a_clock_may_be_off_by_half_a_minute() -> None:
    assert clock_step(-29.0).is_ok
    assert clock_step(45.0).text == "this machine's clock is off, 45 s ahead of the controller's"
