"""``eaas-agent check``: the way to the controller, step by step, until one does not hold."""

import ssl
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from importlib.metadata import version
from typing import Final
from urllib.parse import urlsplit

import aiohttp
import msgspec
import yaml

from eaas.client.address import DEFAULT_PORT, Address
from eaas.exit_codes import DONE
from eaas.lives import Obeyed
from eaas.safe_text import safe_text
from eaas.settings.command_line import Output
from eaas.tokens import fingerprint
from eaas_agent.check_step import Step
from eaas_agent.config import AgentConfig
from eaas_agent.ledger import who_was_obeyed
from eaas_agent.passport import Passport, read_passport
from eaas_agent.proving import (
    NEW_TOKEN,
    Asker,
    clock_step,
    copy_step,
    shown_token,
    tls_step,
    token_step,
    version_step,
)
from eaas_agent.way_there import name_step, port_step, socket_step

PLAIN: Final = Step(name="TLS", text="none: what is said stays on this machine or is readable")


async def check_once(
    config: AgentConfig, say: Callable[[str], None], output: Output = "table"
) -> int:
    """Say each step in a line as it is done, or all in one answer; return the exit code.

    It is 0 only if all are well, else that of the first step that is not.
    """
    code, done = DONE, []
    async with aclosing(steps(config)) as walk:
        async for step in walk:
            done.append(step.view())
            if output == "table":
                say(safe_text(step.line()))
            if not step.is_ok and code == DONE:
                code = step.exit_code
    answer = {"items": done, "next": None}
    if output == "json":
        say(msgspec.json.format(msgspec.json.encode(answer), indent=2).decode())
    elif output == "yaml":
        say(yaml.safe_dump(answer, sort_keys=False, allow_unicode=True).rstrip())
    return code


async def steps(config: AgentConfig) -> AsyncGenerator[Step, None]:
    """Yield the steps; the one that makes the rest senseless is the last."""
    address, obeyed = config.address, who_was_obeyed(config.state_dir / "ledger.db")
    if address.socket is not None:
        step = await socket_step(address.socket)
        yield step
        if step.is_ok:
            connector = aiohttp.UnixConnector(str(address.socket))
            async with connector:
                async for step in _told(Asker(address.url, connector), True, None, obeyed):
                    yield step
        return
    place = urlsplit(address.url)
    host, port = place.hostname or "", place.port or DEFAULT_PORT
    step, addresses = await name_step(host, port)
    yield step
    if not step.is_ok:
        return
    step = await port_step(addresses, port)
    yield step
    if step.is_ok:
        async for step in _proved(address, read_passport(config.state_dir), obeyed):
            yield step


async def _proved(
    address: Address, passport: Passport | None, obeyed: Obeyed
) -> AsyncGenerator[Step, None]:
    """Yield the steps from where there is a connection."""
    text = address.token or (passport.credential if passport is not None else None)
    wrong, token = (None, None) if text is None else shown_token(text)
    known = None if token is None else token.ca
    if address.token is None and passport is not None and passport.ca:
        known = fingerprint(ssl.PEM_cert_to_DER_cert(passport.ca))
    asker = Asker(address.url)
    tls: ssl.SSLContext | bool = True
    if address.url.startswith("http://"):
        yield PLAIN
    else:
        if wrong is not None and known is None:
            yield wrong
            return
        step, context = await tls_step(asker, known)
        yield step
        if context is None:
            return
        tls = context
    if wrong is not None:
        yield wrong
    elif text is None:
        yield Step(
            name="token", text="there is none, and this agent has not joined", advice=NEW_TOKEN
        )
    else:
        async for step in _told(asker, tls, text, obeyed):
            yield step


async def _told(
    asker: Asker, tls: ssl.SSLContext | bool, token: str | None, obeyed: Obeyed
) -> AsyncGenerator[Step, None]:
    """Yield the steps that the controller itself answers."""
    step, found, ahead_s = await token_step(asker, tls, token, obeyed)
    yield step
    if found is not None:
        yield version_step(found, version("mini-eaas"))
        if found.role == "node":
            yield copy_step(found, obeyed)
    if ahead_s is not None:
        yield clock_step(ahead_s)
