from msgspec.structs import replace

from eaas.ids import NodeName
from eaas_daemon.core.meeting import PORTS, can_lead, known_address
from eaas_daemon.core.model import Meeting, Node
from tests.rig.builders import House


def a_node(name: str, address: str | None, said: str | None = None) -> Node:
    house = House()
    house.node(name, address=address)
    node = house.state.nodes[NodeName(name)]
    return replace(node, inventory=replace(node.inventory, address=said))


def test_a_node_is_reached_where_it_came_from_unless_its_owner_says_otherwise() -> None:
    assert known_address(a_node("n1", "10.0.0.7")) == "10.0.0.7"
    assert known_address(a_node("n1", "::ffff:10.0.0.7")) == "10.0.0.7"
    assert known_address(a_node("n1", "10.0.0.7", said="10.1.0.7")) == "10.1.0.7"
    assert known_address(a_node("n1", None, said="10.1.0.7")) == "10.1.0.7"


def test_nobody_knows_how_others_reach_a_node_on_the_controllers_own_host() -> None:
    assert known_address(a_node("n1", None)) is None
    assert known_address(a_node("n1", "127.0.0.1")) is None


def test_the_first_rank_is_where_all_others_reach_it() -> None:
    here, there = a_node("n1", None), a_node("n2", "10.0.0.7")

    assert can_lead([here, there]) == [there]
    assert can_lead([here, here]) == [here, here]


def meeting(house: House, number: int) -> Meeting:
    met = house.job(number).attempts[-1].meeting
    assert met is not None
    return met


def test_the_first_rank_goes_to_a_node_with_an_address() -> None:
    house = House()
    house.node("n1")
    house.node("n2", address="10.0.0.7")
    house.pool("default", "n1", "n2")

    job = house.submit(num_nodes=2)

    assert [rank.attempts[-1].node for rank in house.ranks(job)] == ["n2", "n1"]
    assert meeting(house, 1) == meeting(house, 2) == Meeting(address="10.0.0.7", port=29501)


def test_two_jobs_on_the_same_nodes_never_share_a_port() -> None:
    house = House()
    house.nodes("n1", "n2")

    jobs = [house.submit(num_nodes=2) for _ in range(3)]

    ports = {meeting(house, job.number).port for job in jobs}
    assert len(ports) == 3
    assert all(port in PORTS for port in ports)


def test_a_port_that_is_taken_is_passed_over() -> None:
    house = House()
    house.nodes("n1", "n2")
    first = house.submit(num_nodes=2)
    port = meeting(house, first.number).port
    house.state.next_number = first.number + len(PORTS)

    second = house.submit(num_nodes=2)

    assert meeting(house, second.number).port == port + 1


def test_what_runs_on_one_node_meets_nobody() -> None:
    house = House()
    house.nodes("n1")

    assert house.submit().attempts[-1].meeting is None


def test_ports_are_none_that_systems_hand_out_by_themselves() -> None:
    assert PORTS.stop <= 32768
