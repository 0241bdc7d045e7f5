"""How an agent's connection ended, in words for people."""

from typing import Final

import msgspec
from aiohttp import WSCloseCode, WSMessage, WSMsgType, web

from eaas_daemon.core.link_history import EndedBy

ENDS: Final = frozenset((WSMsgType.CLOSE, WSMsgType.CLOSING, WSMsgType.CLOSED, WSMsgType.ERROR))
"""Messages after which there is none."""


class Ending(msgspec.Struct, frozen=True):
    """Why a connection is no more, and by whose doing."""

    why: str
    by: EndedBy = "nobody"


CONTROLLER_STOPPED: Final = Ending("the controller stopped", "controller")
BEGUN_ANEW: Final = Ending("the controller let it begin anew", "controller")
AGENT_STOPPED: Final = Ending("the agent was stopped", "agent")
CUT: Final = Ending("cut without a goodbye (its agent died, or the way to it broke)")
UNREAD: Final = Ending("write timeout: the agent took nothing of what it was sent")
UNANSWERED: Final = Ending("ping timeout: the agent did not answer")


def ending_of(socket: web.WebSocketResponse, last: WSMessage) -> Ending:
    """Return how the connection ended, given the message that was the last."""
    error = socket.exception()
    if last.type is WSMsgType.CLOSE:
        return _said(last.data)
    if last.type is WSMsgType.CLOSING:
        return BEGUN_ANEW
    if isinstance(error, TimeoutError):
        return UNANSWERED
    if last.type is WSMsgType.ERROR:
        return Ending(f"the agent sent what makes no sense: {last.data}")
    return CUT


def ending_by_cancellation(socket: web.WebSocketResponse, *, connected: bool) -> Ending:
    """Return how a connection ended that nobody serves any more; a server may cancel for a cut."""
    if isinstance(socket.exception(), TimeoutError):
        return UNANSWERED
    return CONTROLLER_STOPPED if connected else CUT


def _said(code: int | None) -> Ending:
    if code == WSCloseCode.GOING_AWAY:
        return AGENT_STOPPED
    return Ending(f"the agent closed it with code {code} and is likely to come again")
