"""A machine and a person come in from elsewhere by tokens, over TLS, and are let out again."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, Final

import msgspec
import pytest

from eaas.client import Client, address_from
from eaas.errors import EaasError, Unauthenticated
from eaas.lifecycle import JobState, NodeState
from eaas.settings.command_line import Typed
from eaas.tokens import Token, read_token
from eaas_agent.config import config_from, read_settings
from eaas_agent.joining import NotLetIn, join_once
from eaas_agent.passport import FILE, Passport
from tests.rig.pool import Installation, an_installation, node_when
from tests.rig.program import Program
from tests.rig.site import UNTIL_RELEASED, WITHIN_S, Site

NODE: Final = "far"


class Far(msgspec.Struct, frozen=True, kw_only=True):
    """A controller that others reach, and one of them: a home that knows nothing of it yet."""

    pool: Installation
    own: Installation
    admin: Client
    server: str

    async def token(self, role: Any, user: str | None = None, **more: Any) -> Token:
        """Make a token on the controller's host."""
        made = await self.admin.create_token(role, user=user, **more)
        assert made.token is not None
        return read_token(made.token)

    def passport(self) -> Passport:
        """Return what the agent got."""
        file = self.own.paths.agent_state(NODE) / FILE
        return msgspec.json.decode(file.read_bytes(), type=Passport)

    def start_agent(self) -> Program:
        """Start the agent, which is told nothing but its name; returns once it is linked."""
        agent = Program(
            *("eaas_agent", "run", "--name", NODE, "--runtime", "process"), environ=self.own.environ
        )
        self.own.agents[NODE] = agent
        agent.await_words(f"linked to {self.server}")
        return agent

    async def add_to_pool(self) -> None:
        """Let the pool have the node, and return once it is ready for jobs."""
        await self.admin.create_pool("default")
        await self.admin.add_node("default", NODE)
        await node_when(self.admin, NODE, lambda node: node.state == NodeState.READY)

    async def join(self, token: Token) -> None:
        """Join by the token, without a program of its own."""
        typed: dict[str, object] = {"name": NODE, "server": self.server, "token": str(token)}
        environ = self.own.environ
        await join_once(
            config_from(read_settings(Typed(verb="join", values=typed), environ), environ)
        )


@pytest.fixture
async def far() -> AsyncIterator[Far]:
    async with an_installation() as pool, an_installation() as own:
        pool.start_controller("--listen", "0.0.0.0")
        async with pool.client() as admin:
            address = (await admin.status()).address
            assert address is not None
            server = f"https://127.0.0.1:{address.rpartition(':')[2]}"
            yield Far(pool=pool, own=own, admin=admin, server=server)


async def test_a_machine_joins_a_person_logs_in_and_no_secret_is_left_lying_about(far: Far) -> None:
    joins, person = await far.token("agent"), await far.token("member", user="root")
    paste = far.own.home / "paste"
    paste.write_text(f"{joins}\n")

    shown = ("--server", far.server, "--token-file", str(paste))
    said = far.own.said("agent", "join", "--name", NODE, *shown)
    agent = far.start_agent()
    await far.add_to_pool()
    far.own.environ["MINI_EAAS_TOKEN"] = str(person)
    said += far.own.said("login", far.server.removeprefix("https://"))
    del far.own.environ["MINI_EAAS_TOKEN"]
    said += far.own.said("job", "submit", "--cmd", "echo from afar", "--follow")

    assert f"{NODE} belongs to {far.server} now" in said
    assert "root (member)" in said
    assert said.endswith("from afar\n")
    secrets = [
        each.secret.encode() for each in (joins, person, read_token(far.passport().credential))
    ]
    told = (said + agent.words + far.pool.controller.words).encode()
    lines = b"".join(map(_command_line, (*far.pool.processes(), *far.own.processes())))
    stored = b"".join(path.read_bytes() for path in far.pool.home.rglob("*") if path.is_file())
    assert joins.id.encode() in stored
    assert [secret for secret in secrets if secret in told + lines + stored] == []
    audit = [event.text for event in await far.admin.audit()]
    assert any(f"{NODE} was let in from 127.0.0.1 by token {joins.id}" in text for text in audit)
    await _is_let_out(far, person)


async def _is_let_out(far: Far, person: Token) -> None:
    """Revoke the token while a person looks on by it."""
    async with asyncio.timeout(WITHIN_S), Client(address_from(far.own.environ)) as client:
        frames = client.stream()
        await anext(frames)
        await far.admin.revoke_token(person.id)
        with pytest.raises(EaasError):
            _ = [frame async for frame in frames]
        with pytest.raises(Unauthenticated, match=f"token {person.id} was revoked"):
            await client.status()


async def test_a_node_that_was_let_out_keeps_its_job_and_can_join_again(far: Far) -> None:
    await far.join(await far.token("agent"))
    agent = far.start_agent()
    await far.add_to_pool()
    site = Site(pool=far.own, client=far.admin, node=NODE, image=None)
    job = await site.running(f"{UNTIL_RELEASED}; echo it went on")
    await far.admin.revoke_token(read_token(far.passport().credential).id)
    await node_when(far.admin, NODE, lambda node: node.state == NodeState.OFFLINE)
    agent.await_words("let it join again")
    assert agent.terminate() == 0

    with pytest.raises(NotLetIn, match="has joined already"):
        await far.join(await far.token("agent"))
    await far.join(await far.token("agent", node=NODE))
    far.start_agent()
    await site.when(job, JobState.RUNNING)
    site.release(job)

    assert (await site.end(job)).state == JobState.SUCCEEDED
    assert await site.log(job) == b"ready\nit went on\n"


def _command_line(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:  # it has just ended
        return b""
