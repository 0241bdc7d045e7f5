import pytest

from eaas.wire.from_agent import FROM_AGENT
from eaas.wire.logs import (
    LOG_FROM_AGENT,
    LOG_TO_AGENT,
    LogAck,
    LogEnd,
    LogHello,
    LogPiece,
    LogPieces,
)
from eaas.wire.to_agent import TO_AGENT, Refused, Wanted, Welcome
from eaas_daemon.core import events as e
from tests.daemon.api.outside import end_of, from_outside
from tests.daemon.api.served import House
from tests.rig.builders import ADMIN, a_hello, an_inventory

AGENT = {"X-Test-User": "root"}


async def test_an_agent_is_welcomed_and_given_what_should_run(house: House) -> None:
    async with house.http.ws_connect("http://c/agent/v1/link", headers=AGENT) as link:
        await link.send_bytes(FROM_AGENT.encode(a_hello("n1", an_inventory())))
        welcome = TO_AGENT.decode(await link.receive_bytes(timeout=5))
        wanted = TO_AGENT.decode(await link.receive_bytes(timeout=5))

    assert isinstance(welcome, Welcome)
    assert wanted == Wanted(full=True, orders=(), life_seq=welcome.life_seq)


async def test_a_log_that_an_agent_sends_is_stored_and_then_called_complete(house: House) -> None:
    async with (
        house.http.ws_connect("http://c/agent/v1/link", headers=AGENT) as link,
        house.http.ws_connect("http://c/agent/v1/logs", headers=AGENT) as logs,
    ):
        await link.send_bytes(FROM_AGENT.encode(a_hello("n1", an_inventory())))
        welcome = TO_AGENT.decode(await link.receive_bytes(timeout=5))
        assert isinstance(welcome, Welcome)
        await house.pool("default", "n1")
        await house.submit()
        uid = house.job(1).uid
        piece = LogPiece(uid=uid, attempt=1, stream="stdout", offset=0, data=b"hi\n")
        for message in (
            LogHello(node_uid="uid-n1", session=welcome.session),
            LogPieces(pieces=(piece,)),
            LogEnd(uid=uid, attempt=1, stdout_bytes=3, stderr_bytes=0),
        ):
            await logs.send_bytes(LOG_FROM_AGENT.encode(message))
        ack = LogAck(uid="", attempt=0, stdout=0, stderr=0, ended=False)
        while not ack.ended:
            ack = LOG_TO_AGENT.decode(await logs.receive_bytes(timeout=5))

    [attempt] = house.job(1).attempts
    assert (attempt.log_complete, attempt.stdout_bytes) == (True, 3)
    status, body = await house.ask("GET", "/api/v1/jobs/1/attempts/1/log")
    assert (status, body) == (200, b"hi\n")


async def test_a_node_whose_credential_is_revoked_is_told_so_and_its_link_is_closed(
    house: House,
) -> None:
    async with from_outside(house) as outside:
        credential = await outside.node("n1")
        link = await outside.connect("/agent/v1/link", credential)
        await link.send_bytes(FROM_AGENT.encode(a_hello("n1", an_inventory())))
        await link.receive_bytes(timeout=5)
        await link.receive_bytes(timeout=5)

        await house.engine.ask(e.RevokeToken(caller=ADMIN, id=credential.id))
        refused = TO_AGENT.decode(await link.receive_bytes(timeout=5))
        await end_of(link)
        status, problem = await outside.ask("GET", "/agent/v1/link", token=credential)

    assert isinstance(refused, Refused)
    assert refused.code == "revoked"
    assert (status, problem["code"]) == (401, "unauthenticated")
    assert "revoked by root" in problem["detail"]
    _, view = await house.ask("GET", "/api/v1/nodes/n1")
    assert [one["code"] for one in view["conditions"]] == ["revoked"]


async def test_a_credential_speaks_for_its_own_node_only(house: House) -> None:
    async with from_outside(house) as outside:
        link = await outside.connect("/agent/v1/link", await outside.node("n1"))
        await link.send_bytes(FROM_AGENT.encode(a_hello("n2", an_inventory())))
        refused = TO_AGENT.decode(await link.receive_bytes(timeout=5))
        await end_of(link)

    assert isinstance(refused, Refused)
    assert refused.code == "other_node"
    assert house.state.nodes == {}


@pytest.mark.parametrize("path", ["link", "logs"])
async def test_a_link_takes_no_plain_request(house: House, path: str) -> None:
    status, problem = await house.ask("GET", f"/agent/v1/{path}", user="root")

    assert (status, problem["code"]) == (400, "bad_request")
