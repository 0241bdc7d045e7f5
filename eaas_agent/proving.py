"""Whether it is the controller, whether it lets this agent in, and whether they understand."""

import ssl
import time
from email.utils import parsedate_to_datetime
from typing import Final

import aiohttp
import msgspec

from eaas.client.trust import CA_PATH, EXPIRED, MAX_CA_BYTES, NOT_YET_VALID, context_for
from eaas.exit_codes import USAGE
from eaas.lives import Obeyed
from eaas.problem import Problem
from eaas.token_views import AgentPassView
from eaas.tokens import BadToken, Token, fingerprint, read_token
from eaas.wire.codec import PROTOCOL_MAX, PROTOCOL_MIN
from eaas_agent.allegiance import why_not
from eaas_agent.check_step import Step

ASK_S: Final = 10.0
WHO_AM_I: Final = "/agent/v1/whoami"
SKEW_S: Final = 30.0
"""The same from which on the controller tells of a node's clock."""
NEW_TOKEN: Final = "On the controller's host: mini-eaas token create --role agent"
SET_CLOCK: Final = "Let both clocks be set from the network: timedatectl set-ntp true"
SHOWN: Final = 12
"""So much of a fingerprint tells two apart."""


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """What a controller said to a plain request."""

    status: int
    body: bytes
    ahead_s: float | None
    """How far this machine's clock is ahead by the answer's ``Date``, half the way taken off."""


class Asker:
    """Asks one controller plain questions."""

    def __init__(self, url: str, connector: aiohttp.BaseConnector | None = None) -> None:
        self.url: Final = url
        self._connector = connector

    async def get(self, path: str, tls: ssl.SSLContext | bool, token: str | None = None) -> Answer:
        """Ask; raise ``aiohttp.ClientError``, ``OSError`` or ``TimeoutError``."""
        headers = {} if token is None else {"Authorization": f"Bearer {token}"}
        began = time.time()
        async with (
            aiohttp.ClientSession(
                timeout=aiohttp.ClientTimeout(total=ASK_S),
                connector=self._connector,
                connector_owner=self._connector is None,
            ) as session,
            session.get(
                self.url + path, ssl=tls, headers=headers, allow_redirects=False
            ) as response,
        ):
            body = await response.content.read(MAX_CA_BYTES)
            middle = (began + time.time()) / 2
            return Answer(status=response.status, body=body, ahead_s=_ahead_s(response, middle))


def _ahead_s(response: aiohttp.ClientResponse, middle: float) -> float | None:
    try:
        said = parsedate_to_datetime(response.headers["Date"]).timestamp()
    except (KeyError, ValueError):
        return None
    return middle - said - 0.5  # it says whole seconds, half a one too early on average


async def tls_step(asker: Asker, known: str | None) -> tuple[Step, ssl.SSLContext | None]:
    """See whether who answers has the authority of this fingerprint and proves it.

    Nothing secret is sent. Returns the context to go on with, None where that makes no sense.
    """
    try:
        shown = await asker.get(CA_PATH, False)
    except (aiohttp.ClientError, OSError) as error:
        return _no_tls(error), None
    certificate = _certificate(shown)
    if certificate is None:
        text = f"what answers is no controller of Mini EaaS (status {shown.status})"
        return Step(name="TLS", text=text, advice="Look at the address and the port"), None
    authority = fingerprint(certificate)
    if known is None:
        text = f"it shows the authority {authority[:SHOWN]}, and nothing here says which is right"
        return Step(name="TLS", text=text, advice=f"Give a token (--token). {NEW_TOKEN}"), None
    if authority != known:
        text = f"it shows the authority {authority[:SHOWN]}, but {known[:SHOWN]} is the right one"
        advice = (
            "The address is wrong, the controller was set up anew (then: mini-eaas agent join), or "
            "somebody is in between"
        )
        return Step(name="TLS", text=text, advice=advice), None
    context = context_for(ssl.DER_cert_to_PEM_cert(certificate))
    try:
        await asker.get(CA_PATH, context)
    except aiohttp.ClientConnectorCertificateError as error:
        return _not_proved(error.certificate_error, shown.ahead_s), None
    except (aiohttp.ClientError, OSError) as error:
        return _no_tls(error), None
    return Step(name="TLS", text=f"it proves to be under the authority {known[:SHOWN]}"), context


def _certificate(shown: Answer) -> bytes | None:
    try:
        return ssl.PEM_cert_to_DER_cert(shown.body.decode("ascii")) if shown.status == 200 else None
    except ValueError:
        return None


def _said_by(error: Exception) -> str:
    return str(error) or ("no answer came" if isinstance(error, TimeoutError) else "it broke off")


def _no_tls(error: Exception) -> Step:
    text = f"the port is open, but no encrypted connection came about ({_said_by(error)})"
    advice = (
        "Another program may have this port, or the controller listens on it without TLS: there, "
        "mini-eaas status shows its address"
    )
    return Step(name="TLS", text=text, advice=advice)


def _not_proved(error: Exception, ahead_s: float | None) -> Step:
    code = getattr(error, "verify_code", None)
    why = getattr(error, "verify_message", "") or str(error)
    if code not in (NOT_YET_VALID, EXPIRED):
        text = f"it does not prove to be under its authority ({why})"
        return Step(name="TLS", text=text, advice="Somebody may be in between; tell your admin")
    side = "not yet valid" if code == NOT_YET_VALID else "no longer valid"
    text = f"its certificate is {side} by this machine's clock"
    if ahead_s is not None and abs(ahead_s) > SKEW_S:
        return Step(name="TLS", text=f"{text}, {_apart(ahead_s)}", advice=SET_CLOCK)
    return Step(name="TLS", text=text, advice="Restart the controller: it makes a new one")


def shown_token(text: str) -> tuple[Step | None, Token | None]:
    """Read the token; return what is wrong with it before anybody is asked."""
    try:
        token = read_token(text)
    except BadToken as error:
        text, advice = error.sentence, NEW_TOKEN
        return Step(name="token", text=text, advice=advice, exit_code=USAGE), None
    if token.kind == "person":
        said = f"token {token.id} is a person's and lets no agent in"
        return Step(name="token", text=said, advice=NEW_TOKEN, exit_code=USAGE), token
    return None, token


async def token_step(
    asker: Asker, tls: ssl.SSLContext | bool, token: str | None, obeyed: Obeyed
) -> tuple[Step, AgentPassView | None, float | None]:
    """Ask whether this agent would be let in, using nothing up; and about who was ``obeyed``.

    Returns the step, what the controller said, and how far this machine's clock is ahead.
    """
    try:
        said = await asker.get(f"{WHO_AM_I}?life={obeyed.life}", tls, token)
    except (aiohttp.ClientError, OSError) as error:
        text = f"the controller did not answer ({_said_by(error)})"
        return Step(name="token", text=text, advice="Try again; mini-eaas status there"), None, None
    try:
        if said.status == 200:
            found = msgspec.json.decode(said.body, type=AgentPassView)
            return Step(name="token", text=_lets_in(found)), found, said.ahead_s
        problem = msgspec.json.decode(said.body, type=Problem)
    except msgspec.MsgspecError:
        text = f"what answers is no controller of this version (status {said.status})"
        return Step(name="token", text=text, advice="Upgrade the older of both"), None, said.ahead_s
    advice = "Wait a minute" if said.status == 429 else NEW_TOKEN
    return Step(name="token", text=problem.detail, advice=advice), None, said.ahead_s


def _lets_in(found: AgentPassView) -> str:
    if found.token is None:
        return "this is the controller's own host: none is needed"
    if found.role == "node":
        return f"{found.token} lets {found.node} in"
    times = "any number of agents" if found.uses_left is None else f"{found.uses_left} more agents"
    until = "for good" if found.expires_at is None else f"until {found.expires_at}"
    return f"{found.token} lets {times} join, {until}; nothing of it was used up"


def version_step(found: AgentPassView, ours: str) -> Step:
    """See whether both speak the same."""
    there = f"the controller is {found.version}, this agent {ours}"
    if found.protocol_min <= PROTOCOL_MAX and found.protocol_max >= PROTOCOL_MIN:
        return Step(name="version", text=f"{there}; they understand each other")
    which = "this agent" if found.protocol_min > PROTOCOL_MAX else "the controller"
    advice = f"Upgrade {which}; jobs run on meanwhile"
    return Step(name="version", text=f"{there}; they speak different protocols", advice=advice)


def copy_step(found: AgentPassView, obeyed: Obeyed) -> Step:
    """See whether it is the controller that this node obeyed, and not an older copy of it."""
    why = why_not(obeyed, epoch=found.epoch, life=found.life, past_seq=found.past_seq)
    if why is not None:
        sentence, _, advice = why.partition(". ")
        return Step(name="controller", text=sentence, advice=advice)
    if obeyed.epoch == 0:
        return Step(name="controller", text="this node has not obeyed any yet")
    return Step(name="controller", text="it knows all that this node has heard from it so far")


def clock_step(ahead_s: float) -> Step:
    """See whether both clocks agree."""
    if abs(ahead_s) <= SKEW_S:
        return Step(name="clock", text=f"within {max(1.0, abs(ahead_s)):.0f} s of the controller's")
    return Step(
        name="clock", text=f"this machine's clock is off, {_apart(ahead_s)}", advice=SET_CLOCK
    )


def _apart(ahead_s: float) -> str:
    side = "ahead of" if ahead_s > 0 else "behind"
    return f"{abs(ahead_s):.0f} s {side} the controller's"
