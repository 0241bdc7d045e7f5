"""How an agent becomes a node of a controller elsewhere, and stays one."""

import asyncio
import logging
import time
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Final

import aiohttp
import msgspec
from msgspec import UNSET, UnsetType
from msgspec.structs import replace

from eaas.client.address import Address, how_to_go_on
from eaas.client.trust import authority_at, context_for, is_of, not_believed
from eaas.errors import EaasError, Mistyped, Unavailable, Unreachable
from eaas.ids import NodeName
from eaas.problem import Problem
from eaas.token_views import JoinedView
from eaas.tokens import BadToken, read_token
from eaas.wire.rest import JoinNode
from eaas_agent.config import AgentConfig
from eaas_agent.dial import Dial, backoff_for
from eaas_agent.ledger import Ledger
from eaas_agent.passport import BadPassport, Passport, read_passport, write_passport
from eaas_agent.state_folder import StateInUse, held_state_folder

log = logging.getLogger(__name__)

ANSWER_S: Final = 30.0
TRY_AGAIN_S: Final = 300.0
TOO_MANY: Final = 429


class NotLetIn(EaasError):
    """The controller does not take this agent; another token is needed, or another name."""

    code = "not_let_in"


class NotJoined(EaasError):
    """There is a controller elsewhere and nothing to show it."""

    code = "not_joined"


class NothingToJoin(Mistyped):
    """It was not said which controller to join, or by which token."""

    code = "nothing_to_join"


class StopItFirst(EaasError):
    """The agent that is to join anew still runs."""

    code = "stop_it_first"


async def join(
    address: Address, *, node: str, node_uid: str, state_dir: Path, now: Callable[[], float]
) -> Passport:
    """Join by the token of the address and keep what the controller gives.

    First the authority is asked for and compared with the token; the secret goes out only to a
    controller that has proved to be under it. Raises ``NotLetIn``, ``NotTheController``,
    ``BadToken``, ``OSError`` when the passport can't be kept, and when nobody answers for now
    ``Unavailable`` or ``aiohttp.ClientError``.
    """
    token = read_token(address.token or "")
    if token.kind != "join":
        raise BadToken("this token is a person's: mini-eaas token create --role agent makes others")
    is_plain = address.url.startswith("http://")
    ca = "" if is_plain else await authority_at(address.url, token.ca)
    proof = proof_for(state_dir, address.url, ca)
    body = JoinNode(node=node, node_uid=node_uid, proof=proof)
    given = await _asked(address.url, ca, str(token), body)
    passport = Passport(
        url=address.url,
        ca=ca,
        node=NodeName(given.node),
        credential=given.credential,
        got_at=now(),
        renew_after_s=given.renew_after_s,
    )
    write_passport(state_dir, passport)
    return passport


def proof_for(state_dir: Path, url: str, ca: str) -> str | UnsetType:
    """Return the credential this agent had from the same controller, which alone may see it."""
    try:
        old = read_passport(state_dir)
    except BadPassport:
        return UNSET
    is_its = old is not None and old.ca == ca and (bool(ca) or old.url == url)
    return old.credential if old is not None and is_its else UNSET


async def _asked(url: str, ca: str, token: str, body: JoinNode) -> JoinedView:
    try:
        async with (
            aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=ANSWER_S)) as session,
            session.post(
                f"{url}/agent/v1/join",
                json=msgspec.to_builtins(body),
                headers={"Authorization": f"Bearer {token}"},
                ssl=context_for(ca) if ca else True,
                allow_redirects=False,
            ) as response,
        ):
            return await _given(response)
    except aiohttp.ClientConnectorCertificateError as error:
        raise not_believed(url, error) from error


async def join_once(config: AgentConfig) -> str:
    """Join as these settings say, and return what to tell the person who asked for it."""
    address = config.address
    if address.socket is not None or address.token is None:
        raise NothingToJoin("to join takes --server HOST and --token TOKEN (or --token-file FILE)")
    try:
        with (
            held_state_folder(config.state_dir) as state_dir,
            Ledger(state_dir / "ledger.db") as ledger,
        ):
            node_uid = ledger.recover().node_uid
            passport = await join(
                address, node=config.name, node_uid=node_uid, state_dir=state_dir, now=time.time
            )
    except (aiohttp.ClientError, TimeoutError) as error:
        raise Unreachable(
            f"no controller answers at {address} ({error}); {how_to_go_on(address)}"
        ) from error
    except StateInUse as error:
        raise StopItFirst(
            f"{config.name} runs here (process {error.holder}): stop it first, then join again; "
            "its jobs run on"
        ) from error
    return f"{passport.node} belongs to {address} now"


async def admitted(
    address: Address, *, node: str, node_uid: str, state_dir: Path, now: Callable[[], float]
) -> Passport | None:
    """Return the passport for the controller at this address; None for one of this host.

    An agent that has none joins by the token it was given, and tries until somebody answers.
    Raises what ``join`` does, and ``NotJoined`` without a token.
    """
    if address.socket is not None:
        return None
    passport = read_passport(state_dir)
    if passport is not None and not _is_for_another(passport, address):
        if passport.url != address.url:
            passport = replace(passport, url=address.url)  # it moved; its authority is the same
            write_passport(state_dir, passport)
        return passport
    if address.token is None:
        raise NotJoined(
            f"this agent has not joined {address.url}; on the controller's host: mini-eaas token "
            "create --role agent, and here: mini-eaas agent join --server HOST --token TOKEN"
        )
    backoff = backoff_for(address, Random())
    while True:
        try:
            return await join(address, node=node, node_uid=node_uid, state_dir=state_dir, now=now)
        except (Unavailable, aiohttp.ClientError, TimeoutError) as error:
            log.info("can't join %s yet: %s", address.url, error)
        await asyncio.sleep(backoff.next_s(0.0))


def _is_for_another(passport: Passport, address: Address) -> bool:
    """Tell whether the token is of another controller than the passport."""
    if address.token is None:
        return False
    token = read_token(address.token)
    return token.kind == "join" and bool(passport.ca) and not is_of(passport.ca, token.ca)


async def _given(response: aiohttp.ClientResponse) -> JoinedView:
    body = await response.read()
    if response.status >= 500 or response.status == TOO_MANY:
        raise Unavailable(f"{response.url} answered {response.status}")
    try:
        if response.status < 300:
            return msgspec.json.decode(body, type=JoinedView)
        raise NotLetIn(msgspec.json.decode(body, type=Problem).detail)
    except msgspec.MsgspecError as error:
        raise NotLetIn(f"{response.url} answered {response.status} and is no controller") from error


async def keep_fresh(
    passport: Passport, dial: Dial, state_dir: Path, now: Callable[[], float]
) -> None:
    """Get another credential whenever the one in use is old enough, for ever.

    The new one is kept on the disk before it is used, and the controller takes the old one until
    then: wherever this is cut, the agent still has one that is good.
    """
    while True:
        due_s = passport.got_at + passport.renew_after_s - now()
        await asyncio.sleep(min(max(0.0, due_s), passport.renew_after_s))
        try:
            async with dial.http.post("/agent/v1/renew") as response:
                given = await _given(response)
            newer = replace(
                passport,
                credential=given.credential,
                got_at=now(),
                renew_after_s=given.renew_after_s,
            )
            await asyncio.to_thread(write_passport, state_dir, newer)
        except (EaasError, aiohttp.ClientError, OSError) as error:
            log.info("the credential could not be renewed, the old one is good: %s", error)
            await asyncio.sleep(TRY_AGAIN_S)
        else:
            passport = newer
            dial.show(passport.credential)
            log.info("the credential was renewed")
