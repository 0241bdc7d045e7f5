import msgspec

from eaas.ids import NodeName
from eaas.wire.from_agent import CardProcess
from eaas_daemon.api.readings import tell_readings
from eaas_daemon.api.subscriber import Subscriber
from tests.rig.builders import House, a_card


def a_listener(viewer: str | None = None, *, pieces: bool = False) -> Subscriber:
    """Return somebody who follows already."""
    subscriber = Subscriber(viewer, pieces=pieces)
    subscriber.begin(b"{}")
    subscriber.take()
    return subscriber


def heard(subscriber: Subscriber) -> list[dict[str, object]]:
    """Return the frames that wait."""
    frames = []
    while (frame := subscriber.take()) is not None:
        frames.append(msgspec.json.decode(frame))
    return frames


def a_house() -> House:
    """Return a pool of two nodes; on the card of the first a job computes."""
    house = House()
    house.node("n1", a_card(0))
    house.node("n2", a_card(0, node="n2"))
    house.pool("default", "n1")
    uid = house.submit(gpus=1).uid
    process = CardProcess(pid=7, memory_mib=1, user="alice", command="train", uid=uid)
    house.beat("n1", a_card(0, state="held", processes=(process,)))
    return house


def told(house: House, *names: str, to: list[Subscriber]) -> None:
    tell_readings(house.state, [NodeName(name) for name in names], to, house.now)


def test_several_nodes_share_a_frame_for_those_who_understand_it() -> None:
    old, new = a_listener(), a_listener(pieces=True)
    told(a_house(), "n1", "n2", to=[old, new])

    [together] = heard(new)
    assert together["type"] == "many_readings"
    assert together["readings"] == heard(old)


def test_one_node_alone_is_told_as_ever() -> None:
    new = a_listener(pieces=True)
    told(a_house(), "n2", to=[new])

    assert [frame["type"] for frame in heard(new)] == ["readings"]


def test_members_do_not_see_the_commands_of_others_in_either_form() -> None:
    member, new, admin = a_listener("bob"), a_listener("bob", pieces=True), a_listener()
    told(a_house(), "n1", "n2", to=[member, new, admin])

    assert "train" not in repr((heard(member), heard(new)))
    assert "train" in repr(heard(admin))


def test_a_node_that_is_gone_is_left_out() -> None:
    new = a_listener(pieces=True)
    told(a_house(), "n1", "n9", to=[new])

    assert [frame["node"] for frame in heard(new)] == ["n1"]
