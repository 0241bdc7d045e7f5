from typing import Any

import pytest
from msgspec.structs import replace

from eaas import reasons as r
from eaas.ids import NodeName, PoolName
from eaas.job_mounts import MountAsk
from eaas_daemon.core import events as e
from eaas_daemon.core.ask import Ask, ask_of
from eaas_daemon.core.fit import every_never, refusal, unfit, usable
from eaas_daemon.core.model import Node, Trouble
from eaas_daemon.core.rooms import room_of
from tests.rig.builders import ADMIN, House, a_card, an_inventory

N1 = NodeName("n1")
DATA = MountAsk(name="data", target="/data", writable=False)


@pytest.fixture
def house() -> House:
    house = House()
    house.node("n1", a_card(0), a_card(1, gib=80, model="NVIDIA A100"), cpus=4)
    house.pool("default", "n1")
    return house


def an_ask(**but: Any) -> Ask:
    ask = Ask(
        needs_image=True,
        gpus=0,
        gpu_type=None,
        gpu_memory_mib=None,
        cpus_milli=1000,
        memory_mib=0,
        nodes=(),
        mounts=(),
    )
    return ask._replace(**but)


def why_not(house: House, ask: Ask) -> r.NodeReason | None:
    state = house.state
    room = room_of(state, state.nodes[N1])
    return refusal(room, ask, state.pools[PoolName("default")], "10:00")


@pytest.mark.parametrize(
    ("ask", "reason"),
    [
        (an_ask(), None),
        (an_ask(nodes=("n2",)), r.NodeNotAsked(node="n1")),
        (an_ask(needs_image=False), r.RuntimeNeedsAnImage(node="n1")),
        (an_ask(mounts=(DATA,)), r.MountMissing(node="n1", mount="data")),
        (an_ask(gpus=3), r.TooFewCards(node="n1", asked=3, available=2)),
        (
            an_ask(gpus=1, gpu_type="h100"),
            r.WrongModel(node="n1", asked="h100", available="NVIDIA A100, NVIDIA GeForce RTX 3090"),
        ),
        (
            an_ask(gpus=1, gpu_memory_mib=81921),
            r.CardsTooSmall(node="n1", asked=81921, available=81920),
        ),
        (an_ask(gpus=2, gpu_memory_mib=40960), r.TooFewCards(node="n1", asked=2, available=1)),
        (an_ask(cpus_milli=4001), r.TooFewCpus(node="n1", asked=4.001, available=4)),
        (an_ask(memory_mib=65537), r.TooSmallMemory(node="n1", asked=65537, available=65536)),
    ],
)
def test_what_could_never_fit_says_what_stands_in_the_way(
    house: House, ask: Ask, reason: r.NodeReason | None
) -> None:
    assert why_not(house, ask) == reason


def test_what_is_taken_now_is_counted(house: House) -> None:
    house.submit(gpus=2, cpus=3, memory="60GiB")

    assert why_not(house, an_ask(gpus=1)) == r.TooFewFreeCards(node="n1", asked=1, available=0)
    assert why_not(house, an_ask(cpus_milli=2000)) == r.TooLittleCpu(
        node="n1", asked=2.0, available=1.0
    )
    assert why_not(house, an_ask(memory_mib=8192)) == r.TooLittleMemory(
        node="n1", asked=8192, available=4096
    )


@pytest.mark.parametrize(
    ("state", "kind"),
    [
        ("foreign", r.CardForeign),
        ("dirty", r.CardDirty),
        ("sick", r.CardSick),
        ("unknown", r.CardSick),
    ],
)
def test_a_card_that_is_in_the_way_is_named_with_its_words(
    house: House, state: Any, kind: type[r.CardForeign | r.CardDirty | r.CardSick]
) -> None:
    house.beat("n1", a_card(0), a_card(1, state=state, text="look here"))

    assert why_not(house, an_ask(gpus=2)) == kind(
        node="n1", card=1, text="look here", asked=2, available=1
    )


def test_an_excluded_card_is_named(house: House) -> None:
    house.do(e.SetExcluded(caller=ADMIN, node="n1", card="0", excluded=True))

    assert why_not(house, an_ask(gpus=2)) == r.CardExcluded(node="n1", card=0, asked=2, available=1)


@pytest.mark.parametrize("labels", [{"inventory": {"rack": "Blue"}}, {"people": {"rack": "Blue"}}])
def test_a_label_of_the_node_answers_gpu_type_whoever_set_it(
    labels: dict[str, dict[str, str]],
) -> None:
    house = House()
    house.node("n1", a_card(0))
    house.pool("default", "n1")
    inventory = replace(an_inventory(a_card(0)), labels=labels.get("inventory", {}))
    house.do(e.AgentInventory(node=N1, session="s-n1", inventory=inventory))
    people: dict[str, str | None] = {**labels.get("people", {})}
    house.do(e.SetLabels(caller=ADMIN, node="n1", labels=people))

    assert why_not(house, an_ask(gpus=1, gpu_type="rack=blue")) is None
    assert isinstance(why_not(house, an_ask(gpus=1, gpu_type="red")), r.WrongModel)


def test_the_smallest_cards_come_first(house: House) -> None:
    room = room_of(house.state, house.state.nodes[N1])

    cards = usable(room, an_ask(gpus=1), house.state.pools[PoolName("default")])

    assert [card.index for card in cards] == [0, 1]


@pytest.mark.parametrize(
    ("but", "reason"),
    [
        ({}, None),
        ({"needs_upgrade": "old"}, r.NodeFaulty(node="n1", text="old")),
        ({"offline": True}, r.NodeOffline(node="n1", since="10:00")),
        ({"session": None}, r.NodeOffline(node="n1", since="10:00")),
        ({"draining": True}, r.NodeDraining(node="n1")),
        ({"twin": Trouble(text="two", since=1.0)}, r.NodeFaulty(node="n1", text="two")),
    ],
)
def test_a_node_that_takes_no_work_says_why(
    house: House, but: dict[str, Any], reason: r.NodeReason | None
) -> None:
    node: Node = replace(house.state.nodes[N1], **but)

    assert unfit(node, "10:00") == reason


def test_a_node_with_a_fault_takes_no_work(house: House) -> None:
    inventory = replace(an_inventory(a_card(0)), faults=(("disk_full", "no space"),))
    house.do(e.AgentInventory(node=N1, session="s-n1", inventory=inventory))

    assert why_not(house, an_ask()) == r.NodeFaulty(node="n1", text="no space")


def test_a_job_without_cpus_counts_for_one(house: House) -> None:
    assert ask_of(house.submit()).cpus_milli == 1000


def test_everything_that_keeps_a_node_from_an_ask_is_told(house: House) -> None:
    state = house.state
    ask = an_ask(
        needs_image=False,
        mounts=(DATA, DATA._replace(name="b")),
        gpus=3,
        cpus_milli=9000,
        memory_mib=1 << 40,
    )

    told = every_never(state.nodes[N1], ask, state.pools[PoolName("default")])

    assert [reason.code for reason in told] == [
        "runtime_needs_an_image",
        "mount_missing",
        "mount_missing",
        "too_few_cards",
        "too_few_cpus",
        "memory_too_small",
    ]


def test_of_a_node_that_the_ask_does_not_name_nothing_else_is_told(house: House) -> None:
    state = house.state
    ask = an_ask(nodes=("n2",), gpus=3)

    told = every_never(state.nodes[N1], ask, state.pools[PoolName("default")])

    assert [reason.code for reason in told] == ["node_not_asked"]


@pytest.mark.parametrize(
    ("people", "user", "is_refused"),
    [
        (("root", "alice"), "bob", True),
        (("root", "alice"), "alice", False),
        (("root",), "1000", False),  # an account without a name: its agent knows
        (("root",), "0", True),
        (("root",), "²", True),
        (None, "bob", False),  # a directory knows, and the agent finds out when the job comes
        ((), "alice", True),
    ],
)
def test_a_plain_process_goes_only_where_its_user_has_an_account(
    people: tuple[str, ...] | None, user: str, is_refused: bool
) -> None:
    house = House()
    house.node("n1", runtime="process", people=people)
    house.pool("default", "n1")

    reason = why_not(house, an_ask(needs_image=False, user=user))

    assert reason == (r.NoAccount(node="n1", user=user) if is_refused else None)


def test_a_container_needs_no_account_on_its_node() -> None:
    house = House()
    house.node("n1", runtime="docker", people=())
    house.pool("default", "n1")

    assert why_not(house, an_ask(user="bob")) is None
