from eaas_daemon.core import events as e
from tests.daemon.api.served import House
from tests.rig.builders import a_card

ROUTE = "/api/v1/bookings"


async def a_pool(house: House) -> None:
    await house.node("n1", a_card(0), a_card(1))
    await house.pool("default", "n1")


async def test_a_booking_is_made_with_its_cards_shown_listed_and_cancelled(house: House) -> None:
    await a_pool(house)
    body = {"gpus": 1, "user": "ann", "start": "1970-01-01T01:00:00Z", "for_s": 3600}

    made = await house.ask("POST", ROUTE, body, user="root")
    shown = await house.ask("GET", f"{ROUTE}/1")
    listed = await house.ask("GET", ROUTE)

    assert (made[0], made[1]["id"], made[1]["state"]) == (201, 1, "ahead")
    assert [(card["node"], card["index"]) for card in made[1]["cards"]] == [("n1", 0)]
    assert (made[1]["start"], made[1]["end"]) == (
        "1970-01-01T01:00:00.000Z",
        "1970-01-01T02:00:00.000Z",
    )
    assert (shown[1]["user"], listed[1]["next"]) == ("ann", None)
    assert [one["id"] for one in listed[1]["items"]] == [1]
    assert (await house.ask("DELETE", f"{ROUTE}/1"))[0] == 200
    assert (await house.ask("GET", f"{ROUTE}/1"))[0] == 404


async def test_a_user_whom_nobody_knows_is_taken_with_a_remark(house: House) -> None:
    await a_pool(house)
    await house.submit("ann")
    body = {"gpus": 1, "for_s": 3600}

    stranger = await house.ask("POST", ROUTE, body | {"user": "annn"}, user="root")
    known = await house.ask("POST", ROUTE, body | {"user": "ann"}, user="root")

    assert stranger[0] == 201
    assert "nobody called annn has used this controller so far" in stranger[1]["remarks"][0]
    assert known[1]["remarks"] == []
    assert (await house.ask("GET", f"{ROUTE}/1"))[1]["remarks"] == []


async def test_those_that_are_over_are_shown_on_demand(house: House) -> None:
    await a_pool(house)
    await house.ask("POST", ROUTE, {"gpus": 1, "for_s": 60}, user="root")
    await house.tick(61)

    assert (await house.ask("GET", ROUTE))[1]["items"] == []
    assert [one["state"] for one in (await house.ask("GET", f"{ROUTE}?all=1"))[1]["items"]] == [
        "over"
    ]


async def test_what_is_wrong_is_named_by_its_field(house: House) -> None:
    await a_pool(house)

    no_zone = await house.ask("POST", ROUTE, {"gpus": 1, "start": "14:00"}, user="root")
    many = await house.ask("POST", ROUTE, {"gpus": 9, "for_s": 60}, user="root")
    unknown = await house.ask("POST", ROUTE, {"cards": 1, "gpus": 1}, user="root")
    member = await house.ask("POST", ROUTE, {"gpus": 1, "for_s": 60}, user="ann")

    assert (no_zone[0], no_zone[1]["errors"][0]["field"]) == (422, "start")
    assert (many[0], many[1]["errors"][0]["field"]) == (422, "gpus")
    assert unknown[1]["errors"][0]["message"].startswith("'cards' is no field")
    assert (member[0], member[1]["code"]) == (403, "forbidden")
    for number in ("7", "x"):
        assert (await house.ask("GET", f"{ROUTE}/{number}"))[0] == 404
        assert (await house.ask("DELETE", f"{ROUTE}/{number}"))[0] == 404


async def test_what_was_booked_is_audited(house: House) -> None:
    await a_pool(house)
    await house.ask("POST", ROUTE, {"gpus": 2, "for_s": 3600, "user": "ann"}, user="root")
    await house.engine.ask(e.Tick())
    await house.ask("DELETE", f"{ROUTE}/1", user="root")

    lines = (await house.ask("GET", "/api/v1/audit", user="root"))[1]["items"]

    assert [line["kind"] for line in lines][:2] == ["booking.cancelled", "booking.created"]
    assert lines[1]["text"] == (
        "root made booking 1: 2 cards of pool default for ann from 1970-01-01 00:16 to 01:16 UTC"
    )
