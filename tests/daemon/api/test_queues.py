from tests.daemon.api.served import House

QUEUE = "/api/v1/pools/default/queues/train"


async def test_a_queue_is_made_changed_and_deleted(house: House) -> None:
    await house.pool()

    made = await house.ask("POST", QUEUE, {"priority": 5, "max_running": 2}, user="root")
    changed = await house.ask("PATCH", QUEUE, {"paused": True, "max_running": None}, user="root")
    shown = await house.ask("GET", QUEUE)
    listed = await house.ask("GET", "/api/v1/queues")
    deleted = await house.ask("DELETE", QUEUE, user="root")

    assert (made[0], made[1]["ref"], made[1]["max_running"]) == (201, "default/train", 2)
    assert (changed[1]["priority"], changed[1]["paused"], changed[1]["max_running"]) == (
        5,
        True,
        None,
    )
    assert shown == changed
    assert [view["ref"] for view in listed[1]["items"]] == ["default/default", "default/train"]
    assert deleted == (200, {})
    assert (await house.ask("GET", QUEUE))[0] == 404


async def test_a_queue_is_made_with_nothing_said_of_it(house: House) -> None:
    await house.pool()

    assert (await house.ask("POST", QUEUE, user="root"))[0] == 201
    assert (await house.ask("POST", QUEUE, user="root"))[0] == 409


async def test_a_wrong_kind_of_value_is_named(house: House) -> None:
    await house.pool()

    status, problem = await house.ask("PATCH", QUEUE, {"paused": "yes"}, user="root")

    assert (status, problem["errors"][0]["field"]) == (422, "paused")
