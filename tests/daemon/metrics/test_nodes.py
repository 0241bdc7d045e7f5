from msgspec.structs import replace

from eaas.ids import NodeName
from eaas_daemon.core import events as e
from tests.rig.builders import ADMIN, ALICE, House, a_card, an_inventory
from tests.rig.metrics import Scraped, a_moment, scraped

MIB = 1 << 20


def a_house() -> House:
    house = House()
    house.node("n1", a_card(0), cpus=16)
    house.node("n2")
    house.pool("default", "n1")
    return house


def look(house: House) -> Scraped:
    return scraped(a_moment(house.state, house.now))


def test_nodes_are_counted_in_every_state_there_is() -> None:
    house = a_house()
    house.do(e.SetDraining(caller=ADMIN, node="n1", draining=True))

    assert look(house).rows("nodes", "state") == {
        "NeedsUpgrade": 0,
        "Offline": 0,
        "Draining": 1,
        "Unassigned": 1,
        "Ready": 0,
    }


def test_a_node_shows_what_it_has_and_what_jobs_asked_of_it() -> None:
    house = a_house()
    house.submit(ALICE, gpus=1, cpus=2.5)
    house.beat("n1", a_card(0))

    found = look(house)

    assert found.value("node_jobs", node="n1") == 1
    assert found.value("node_cpus", node="n1") == 16
    assert found.value("node_cpus_claimed", node="n1") == 2.5
    assert found.value("node_memory_total_bytes", node="n1") == 65536 * MIB
    assert found.value("node_memory_used_bytes", node="n1") == 1 * MIB
    assert found.value("node_disk_free_bytes", node="n1") == 100_000 * MIB
    assert found.value("node_info", node="n1", version="0.1.0", runtime="docker") == 1
    assert found.rows("node_pool_info", "node", "pool") == {("n1", "default"): 1}


def test_a_silent_node_is_down_and_was_last_seen_when_it_spoke_last() -> None:
    house = a_house()
    house.quiet_start()
    house.beat("n1", a_card(0))
    seen_at = house.now
    assert look(house).value("node_up", node="n1") == 1

    house.silence("n1")

    found = look(house)
    assert found.value("node_up", node="n1") == 0
    assert found.value("node_last_seen_timestamp_seconds", node="n1") == seen_at
    assert found.value("node_memory_used_bytes", node="n1") is None
    assert found.value("node_memory_total_bytes", node="n1") == 65536 * MIB
    assert found.rows("nodes", "state")["Offline"] == 1


def test_what_is_wrong_with_a_node_is_there_while_it_is() -> None:
    house = a_house()
    full = replace(an_inventory(a_card(0)), faults=(("disk_full", "no room on /"),))
    house.do(e.AgentInventory(node=NodeName("n1"), session="s-n1", inventory=full))

    assert look(house).rows("node_condition", "node", "condition") == {("n1", "disk_full"): 1}

    house.do(
        e.AgentInventory(node=NodeName("n1"), session="s-n1", inventory=an_inventory(a_card(0)))
    )

    assert look(house).rows("node_condition", "node", "condition") == {}
