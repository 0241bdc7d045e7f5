import pytest
from aiohttp import WSMessage, WSMsgType, web

from eaas_daemon.agents.ending import (
    AGENT_STOPPED,
    BEGUN_ANEW,
    CONTROLLER_STOPPED,
    CUT,
    Ending,
    ending_by_cancellation,
    ending_of,
)


@pytest.mark.parametrize(
    ("last", "ending"),
    [
        (WSMessage(WSMsgType.CLOSE, 1001, "stopping"), AGENT_STOPPED),
        (
            WSMessage(WSMsgType.CLOSE, 1000, ""),
            Ending("the agent closed it with code 1000 and is likely to come again"),
        ),
        (WSMessage(WSMsgType.CLOSING, None, None), BEGUN_ANEW),
        (WSMessage(WSMsgType.CLOSED, None, None), CUT),
        (
            WSMessage(WSMsgType.ERROR, ValueError("reserved bits"), None),
            Ending("the agent sent what makes no sense: reserved bits"),
        ),
    ],
)
def test_the_last_message_tells_how_a_connection_ended(last: WSMessage, ending: Ending) -> None:
    assert ending_of(web.WebSocketResponse(), last) == ending


def test_a_connection_is_dropped_by_a_controller_that_stops_or_was_lost_already() -> None:
    socket = web.WebSocketResponse()

    assert ending_by_cancellation(socket, connected=True) == CONTROLLER_STOPPED
    assert ending_by_cancellation(socket, connected=False) == CUT
