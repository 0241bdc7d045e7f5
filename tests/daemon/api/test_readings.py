import msgspec

from eaas.ids import NodeName
from eaas.wire.from_agent import CardProcess
from eaas.wire.to_client import ManyReadings
from eaas_daemon.api.readings import Reporter
from eaas_daemon.api.subscriber import Subscriber
from tests.rig.builders import House, a_card


def a_listener(viewer: str | None = None, *, pieces: int = 0) -> Subscriber:
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


def told(house: House, *names: str, to: list[Subscriber], by: Reporter | None = None) -> Reporter:
    reporter = Reporter() if by is None else by
    reporter.tell(house.state, [NodeName(name) for name in names], to, house.now)
    return reporter


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


def newest(subscriber: Subscriber) -> ManyReadings:
    """Return the one frame that waits."""
    frame = subscriber.take()
    assert frame is not None
    assert subscriber.take() is None
    decoded: ManyReadings = msgspec.json.decode(frame, type=ManyReadings)
    return decoded


def test_of_nodes_that_were_told_whole_only_the_numbers_come_to_those_who_understand_that() -> None:
    house, short, long = a_house(), a_listener(pieces=2), a_listener(pieces=1)
    reporter = told(house, "n1", "n2", to=[short, long])
    first = newest(short)

    house.beat("n2", a_card(0, node="n2", utilization_pct=93, power_w=77.0))
    told(house, "n1", "n2", to=[short, long], by=reporter)

    assert [one.node for one in first.readings] == ["n1", "n2"]
    frame = newest(short)
    assert [one.node for one in frame.numbers] == ["n1", "n2"]
    assert frame.numbers[1].cards[0].utilization_pct == 93
    assert frame.numbers[1].cards[0].power_w == 77.0
    assert frame.readings == ()
    [_, whole] = heard(long)
    assert "numbers" not in repr(whole["readings"])


def test_a_node_of_which_more_than_numbers_is_new_is_told_whole() -> None:
    house, short = a_house(), a_listener(pieces=2)
    reporter = told(house, "n1", "n2", to=[short])
    newest(short)

    house.beat("n2", a_card(0, node="n2", processes=(CardProcess(pid=9, memory_mib=5),)))
    told(house, "n1", "n2", to=[short], by=reporter)

    frame = newest(short)
    assert [one.node for one in frame.readings] == ["n2"]
    assert [one.node for one in frame.numbers] == ["n1"]


def test_a_node_that_went_out_by_another_way_is_told_whole_once_more() -> None:
    house, short = a_house(), a_listener(pieces=2)
    reporter = told(house, "n1", "n2", to=[short])
    newest(short)

    reporter.forget([NodeName("n1")])
    told(house, "n1", "n2", to=[short], by=reporter)
    assert [one.node for one in newest(short).readings] == ["n1"]

    reporter.forget()
    told(house, "n1", "n2", to=[short], by=reporter)
    assert [one.node for one in newest(short).readings] == ["n1", "n2"]


def test_numbers_alone_are_a_tenth_of_whole_readings() -> None:
    house, short, long = House(), a_listener(pieces=2), a_listener(pieces=1)
    for at in range(20):
        house.node(f"m{at}", *(a_card(index, node=f"m{at}") for index in range(8)))
    names = [f"m{at}" for at in range(20)]
    reporter = told(house, *names, to=[short, long])
    short.take()
    whole = long.take()

    told(house, *names, to=[short], by=reporter)

    numbers = short.take()
    assert whole is not None
    assert numbers is not None
    assert len(numbers) < len(whole) / 10
