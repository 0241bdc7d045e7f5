from eaas.tokens import new_token
from eaas.wire.from_agent import CardProcess
from eaas_daemon.core.events import JoinNode
from tests.daemon.api.served import House
from tests.rig.builders import a_card


async def test_a_node_is_drained_labelled_and_a_card_excluded(house: House) -> None:
    await house.node("n1", a_card(0), a_card(1))
    await house.pool("default", "n1")

    body = {"draining": True, "labels": {"room": "7"}, "exclude_card": "1"}
    status, view = await house.ask("PATCH", "/api/v1/nodes/n1", body, user="root")
    back = {"draining": False, "labels": {"room": None}, "include_card": "GPU-n1-1"}
    _, again = await house.ask("PATCH", "/api/v1/nodes/n1", back, user="root")

    assert (status, view["state"], view["labels"]) == (200, "Draining", {"room": "7"})
    assert [card["state"] for card in view["cards"]] == ["free", "excluded"]
    assert (again["state"], again["labels"]) == ("Ready", {})
    assert [card["state"] for card in again["cards"]] == ["free", "free"]


async def test_a_change_of_nothing_is_refused(house: House) -> None:
    await house.node("n1")

    assert (await house.ask("PATCH", "/api/v1/nodes/n1", {}, user="root"))[0] == 422


async def test_a_node_is_listed_shown_and_removed(house: House) -> None:
    await house.node("n1", a_card(0))

    listed = await house.ask("GET", "/api/v1/nodes")
    shown = await house.ask("GET", "/api/v1/nodes/n1")
    cards = await house.ask("GET", "/api/v1/cards")
    alive = await house.ask("POST", "/api/v1/nodes/n1/confirm-dead", user="root")
    removed = await house.ask("DELETE", "/api/v1/nodes/n1", user="root")

    assert listed[1]["items"] == [shown[1]]
    assert (shown[1]["state"], cards[1]["items"]) == ("Unassigned", shown[1]["cards"])
    assert alive[0] == 409
    assert removed == (200, {})
    assert (await house.ask("GET", "/api/v1/nodes/n1"))[0] == 404


async def test_a_machine_that_joined_and_never_ran_is_listed_and_shown(house: House) -> None:
    await house.node("n2")
    token = await house.token("join")
    given = new_token("node", token.ca)
    await house.engine.ask(
        JoinNode(
            token=token.id,
            id=given.id,
            secret_hash=given.secret_hash,
            node="n1",
            node_uid="uid-n1",
            address="10.0.0.1",
        )
    )

    _, listed = await house.ask("GET", "/api/v1/nodes")
    _, shown = await house.ask("GET", "/api/v1/nodes/n1")

    assert [(node["name"], node["state"]) for node in listed["items"]] == [
        ("n1", "Offline"),
        ("n2", "Unassigned"),
    ]
    assert shown == listed["items"][0]
    assert shown["conditions"][0]["code"] == "never_seen"
    assert (await house.ask("DELETE", "/api/v1/nodes/n1", user="root"))[0] == 200
    assert (await house.ask("GET", "/api/v1/nodes/n1"))[0] == 404


async def test_the_command_line_of_a_job_on_a_card_is_for_admins(house: House) -> None:
    await house.node("n1", a_card(0), a_card(1))
    await house.pool("default", "n1")
    await house.submit(gpus=1)
    own = CardProcess(pid=7, memory_mib=1, user="ann", command="x --key 1", uid=house.job(1).uid)
    foreign = CardProcess(pid=8, memory_mib=1, user="eve", command="miner")
    await house.beat(
        "n1", a_card(0, state="held", processes=(own,)), a_card(1, processes=(foreign,))
    )

    seen = {}
    for user in ("root", "bob"):
        for path in ("/api/v1/cards", "/api/v1/nodes/n1"):
            _, body = await house.ask("GET", path, user=user)
            cards = body.get("items") or body["cards"]
            seen[user, path] = [
                process["command"] for card in cards for process in card["processes"]
            ]

    assert set(map(tuple, (seen["root", path] for _, path in seen))) == {("x --key 1", "miner")}
    assert set(map(tuple, (seen["bob", path] for _, path in seen))) == {(None, "miner")}


async def test_a_person_may_vouch_for_a_card_and_its_node_is_told(house: House) -> None:
    await house.node("n1", a_card(0))

    said = await house.ask("POST", "/api/v1/nodes/n1/clean-card", {"card": "0"}, user="root")
    unknown = await house.ask("POST", "/api/v1/nodes/n1/clean-card", {"card": "9"}, user="root")

    assert (said[0], unknown[0]) == (200, 404)
