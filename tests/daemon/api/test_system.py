from eaas_daemon.core import events as e
from tests.daemon.api.served import House
from tests.rig.builders import a_card


async def test_status_counts_what_there_is(house: House) -> None:
    await house.node("n1", a_card(0), a_card(1))
    await house.node("n2")
    await house.pool("default", "n1")
    await house.submit(gpus=1)
    await house.submit(gpus=2)

    status, view = await house.ask("GET", "/api/v1/status", user="ann")

    counted = {key: view[key] for key in ("pools", "nodes", "nodes_ready", "cards_total")}
    assert status == 200
    assert counted == {"pools": 1, "nodes": 2, "nodes_ready": 1, "cards_total": 2}
    assert (view["cards_free"], view["waiting"], view["running"]) == (1, 1, 1)
    assert (view["seq"], view["epoch"]) == (house.state.seq, house.state.epoch)
    assert (view["user"], view["role"]) == ("ann", "member")
    assert view["address"] == house.served.address


async def test_events_come_after_a_number_or_the_newest(house: House) -> None:
    await house.pool()
    for _ in range(3):
        await house.submit()
    await house.engine.ask(e.Tick())

    newest = await house.ask("GET", "/api/v1/events?limit=2")
    first = await house.ask("GET", "/api/v1/events?after=0&limit=2")
    rest = await house.ask("GET", f"/api/v1/events?after={first[1]['next']}")
    of_job = await house.ask("GET", "/api/v1/events?job=2")

    assert [(event["seq"], event["job"]) for event in newest[1]["items"]] == [(3, 2), (4, 3)]
    assert newest[1]["next"] is None
    assert [event["seq"] for event in first[1]["items"]] == [1, 2]
    assert ([event["seq"] for event in rest[1]["items"]], rest[1]["next"]) == ([3, 4], None)
    assert [event["kind"] for event in of_job[1]["items"]] == ["job.submitted"]
