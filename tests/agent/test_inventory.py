from msgspec.structs import replace

from eaas.ids import CardUuid, JobUid
from eaas_agent.card_desk import CardDesk
from eaas_agent.cards.port import CardReading, CardsPicture
from eaas_agent.inventory import ANYHOW, Reach, Surroundings, steady_part
from eaas_agent.machine import Machine
from eaas_agent.runtimes.port import AttemptKey, CachedImage, RuntimeState

CARD = CardReading(
    uuid=CardUuid("GPU-a"),
    index=0,
    minor=0,
    model="RTX",
    memory_total_mib=24576,
    memory_used_mib=10,
    utilization_pct=3,
    temperature_c=30,
    power_w=20.0,
    processes=(),
)


def surroundings(cpus: float | None = None, reach: Reach = ANYHOW) -> Surroundings:
    machine = Machine(boot_id="b", booted_at=0.0, cpus=8.0, memory_mib=16384)
    return Surroundings(
        machine,
        CardDesk(),
        cpus=cpus,
        mounts=tuple,
        labels={"rack": "3"},
        cards=lambda: CardsPicture(state="ok", driver="570", cards=(CARD,), sampled_at=5.0),
        clock=lambda: 6.0,
        reach=reach,
    )


def test_a_node_says_what_it_has() -> None:
    around = surroundings()
    around.images = (CachedImage(name="a:1", digest=None, size_mib=3),)
    around.disk_free_mib = 9999

    inventory = around.inventory()

    assert (inventory.cpus, inventory.memory_mib, inventory.driver) == (8.0, 16384, "570")
    assert [image.name for image in inventory.images] == ["a:1"]
    assert inventory.labels == {"rack": "3"}
    assert inventory.faults == ()


def test_fewer_cpus_can_be_offered_than_there_are() -> None:
    assert surroundings(cpus=2.0).inventory().cpus == 2.0


def test_a_node_says_how_others_reach_it() -> None:
    inventory = surroundings(reach=Reach("10.0.0.11")).inventory()

    assert (inventory.address, inventory.no_ranks) == ("10.0.0.11", None)


def test_an_owner_keeps_containers_off_the_hosts_network_and_processes_have_it_anyway() -> None:
    around = surroundings(reach=Reach(host_network=False))

    assert around.inventory().no_ranks is None
    around.runtime = RuntimeState(kind="docker", engine="Docker 28")
    assert around.inventory().no_ranks == (
        "its owner keeps containers off its network (host_network: false)"
    )


def test_an_engine_that_cannot_give_its_network_takes_no_ranks() -> None:
    around = surroundings()
    around.runtime = RuntimeState(kind="docker", engine="Docker 28", no_host_network="it can't")

    assert around.inventory().no_ranks == "it can't"


def test_every_fault_is_told() -> None:
    around = surroundings()
    around.runtime = RuntimeState(kind="docker", engine=None, fault="no answer")
    around.disk_free_mib = 10
    around.unkillable(AttemptKey(JobUid("job"), 2), True)

    assert around.inventory().faults == (
        ("engine_hung", "no answer"),
        ("disk_full", "only 10 MiB are free where workspaces lie"),
        ("unkillable", "attempt 2 of job job outlives its kill"),
    )
    around.unkillable(AttemptKey(JobUid("job"), 2), False)
    around.ledger_is_full(True)
    assert [code for code, _ in around.inventory().faults] == ["engine_hung", "disk_full"]


def test_a_beat_carries_fresh_readings() -> None:
    beat = surroundings().beat(0.01234567)

    assert (beat.loop_lag_s, beat.sampled_at) == (0.0123, 5.0)
    assert beat.cards[0].utilization_pct == 3


def test_readings_alone_change_nothing_steady() -> None:
    inventory = surroundings().inventory()
    hotter = replace(
        inventory,
        disk_free_mib=1,
        cards=(replace(inventory.cards[0], temperature_c=80, state="held"),),
    )

    assert steady_part(hotter) == steady_part(inventory)
    assert steady_part(replace(inventory, cpus=1.0)) != steady_part(inventory)
