from tests.daemon.api.served import House
from tests.rig.builders import a_card


async def test_a_pool_is_made_filled_emptied_and_deleted(house: House) -> None:
    await house.node("n1", a_card(0), a_card(1))

    made = await house.ask("POST", "/api/v1/pools", {"name": "lab"}, user="root")
    filled = await house.ask("PUT", "/api/v1/pools/lab/nodes/n1", {"cards": ["1"]}, user="root")
    whole = await house.ask("PUT", "/api/v1/pools/lab/nodes/n1", user="root")
    emptied = await house.ask("DELETE", "/api/v1/pools/lab/nodes/n1", user="root")
    deleted = await house.ask("DELETE", "/api/v1/pools/lab", user="root")
    listed = await house.ask("GET", "/api/v1/pools")

    assert (made[0], made[1]["queues"]) == (201, ["default"])
    assert filled[1]["nodes"] == [{"name": "n1", "cards": ["GPU-n1-1"]}]
    assert (whole[1]["nodes"], whole[1]["cards_total"]) == ([{"name": "n1", "cards": None}], 2)
    assert (emptied[0], emptied[1]["nodes"]) == (200, [])
    assert deleted == (200, {})
    assert listed == (200, {"items": [], "next": None})


async def test_a_pool_that_is_not_there_is_named_with_the_nearest_one(house: House) -> None:
    await house.pool("gpu-3090")

    status, problem = await house.ask("GET", "/api/v1/pools/gpu-309")

    assert (status, problem["code"]) == (404, "not_found")
    assert "did you mean gpu-3090?" in problem["detail"]


async def test_an_unknown_key_is_named_with_the_nearest_one(house: House) -> None:
    status, problem = await house.ask("POST", "/api/v1/pools", {"nmae": "x"}, user="root")

    assert status == 422
    assert [(error["field"], error["suggestion"]) for error in problem["errors"]] == [
        ("nmae", "name")
    ]
