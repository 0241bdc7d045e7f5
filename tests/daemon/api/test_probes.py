import pytest

from eaas_daemon.api import probes
from eaas_daemon.api.server import TRAFFIC
from tests.daemon.api.served import House


async def test_a_controller_that_serves_is_well_and_ready_for_anybody_who_asks(
    house: House,
) -> None:
    assert await house.ask("GET", "/healthz", user=None) == (200, {"status": "ok", "reason": None})
    assert await house.ask("GET", "/readyz", user=None) == (
        200,
        {"status": "ready", "reason": None},
    )


async def test_one_that_stops_is_well_but_not_ready_and_says_when_to_come_again(
    house: House,
) -> None:
    house.app[TRAFFIC].is_closing = True
    status, body = await house.ask("GET", "/readyz", user=None)

    assert (status, body["status"]) == (503, "not ready")
    assert "is stopping" in body["reason"]
    assert (await house.ask("GET", "/healthz"))[0] == 200
    async with house.open("GET", "/api/v1/status") as refusal:
        assert (refusal.status, refusal.headers["Retry-After"]) == (503, "2")


async def test_one_that_can_not_store_is_not_ready_and_says_why(house: House) -> None:
    house.engine.store_fault = "the disk is full"

    assert await house.ask("GET", "/readyz") == (
        503,
        {"status": "not ready", "reason": "the disk is full"},
    )
    assert (await house.ask("GET", "/healthz"))[0] == 200


async def test_one_whose_engine_stands_still_is_neither_well_nor_ready(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(probes, "STUCK_AFTER_S", 0.0)
    house.engine.progress.waits()

    for path in ("/healthz", "/readyz"):
        status, body = await house.ask("GET", path)
        assert status == 503
        assert "nothing could be stored for" in body["reason"]
