from typing import Any

import pytest
from msgspec.structs import replace

from eaas.ids import NodeName, PoolName
from eaas.lifecycle import CardState, NodeState
from eaas.node_views import CardView, MountView, NodeView
from eaas.views import ReasonView
from eaas.wire import from_agent as wire
from eaas_daemon.core import events as e
from eaas_daemon.core.inventory_picture import (
    card_standing,
    node_state,
    node_view,
    pool_view,
    queue_view,
)
from eaas_daemon.core.model import Trouble
from tests.rig.builders import ADMIN, ALICE, BOB, House, a_card, a_hello, an_inventory

N1 = NodeName("n1")


@pytest.fixture
def house() -> House:
    house = House()
    house.node("n1", a_card(0), a_card(1))
    house.pool("default", "n1")
    return house


def node(house: House) -> NodeView:
    return node_view(house.state, house.state.nodes[N1])


def cards(house: House) -> list[CardView]:
    return list(node(house).cards)


def state(house: House) -> NodeState:
    return node_state(house.state, house.state.nodes[N1])


def test_a_node_is_the_first_thing_that_holds_of_it(house: House) -> None:
    assert state(house) is NodeState.READY

    house.do(e.RemoveFromPool(caller=ADMIN, pool="default", node="n1"))
    assert state(house) is NodeState.UNASSIGNED
    house.do(e.SetDraining(caller=ADMIN, node="n1", draining=True))
    assert state(house) is NodeState.DRAINING
    house.do(e.AgentGone(node=N1, session="s-n1", why="cut"))
    assert state(house) is NodeState.OFFLINE
    old = a_hello("n1", an_inventory(), protocol_min=0, protocol_max=0)
    house.do(e.AgentSaidHello(session="s2", address=None, hello=old))
    assert state(house) is NodeState.NEEDS_UPGRADE


def test_a_node_shows_what_its_jobs_take(house: House) -> None:
    job = house.submit(gpus=1, cpus=3)
    house.submit()

    seen = node(house)

    assert (seen.cpus, seen.cpus_used, seen.jobs) == (64, 4.0, (1, 2))
    assert seen.cards[0].claims[0].job == job.number
    assert (seen.cards[0].state, seen.cards[0].memory_claimed_mib) == ("held", 24576)


def test_a_node_and_its_cards_name_a_task_as_people_do(house: House) -> None:
    house.submit()
    house.submit(array="7,9", gpus=1)

    seen = node(house)

    assert (seen.jobs, seen.job_refs) == ((1, 2, 3), ("1", "2[7]", "2[9]"))
    assert {claim.ref for one in seen.cards for claim in one.claims} == {"2[7]", "2[9]"}


def test_a_twin_and_a_revoked_credential_are_conditions_with_their_time(house: House) -> None:
    known = house.state.nodes[N1]
    twin, revoked = Trouble(text="two agents", since=60.0), Trouble(text="no token", since=120.0)

    seen = node_view(house.state, replace(known, twin=twin, revoked=revoked))

    assert [(one.code, one.text, one.since) for one in seen.conditions] == [
        ("revoked", "no token", "1970-01-01T00:02:00.000Z"),
        ("twin", "two agents", "1970-01-01T00:01:00.000Z"),
    ]


def test_a_free_card_of_a_node_with_a_twin_is_not_offered_and_says_so(house: House) -> None:
    hello = a_hello("n1", an_inventory(), instance="clone")
    house.do(e.AgentSaidHello(session="s2", address="10.0.0.9", hello=hello))

    seen = cards(house)

    assert [card.offered for card in seen] == [False, False]
    why = ReasonView(code="node_faulty", text="its node has a twin: mini-eaas node show n1")
    assert [card.reason for card in seen] == [why, why]


def test_a_fault_is_a_condition(house: House) -> None:
    inventory = wire.Inventory(
        runtime="docker",
        engine=None,
        faults=(("engine_hung", "the engine does not answer"),),
        cpus=1,
        memory_mib=1,
        disk_free_mib=None,
        cards=(a_card(0),),
    )
    house.do(e.AgentInventory(node=N1, session="s-n1", inventory=inventory))

    assert [(c.code, c.text) for c in node(house).conditions] == [
        ("engine_hung", "the engine does not answer")
    ]
    assert cards(house)[0].offered is False


@pytest.mark.parametrize(
    ("reading", "shown", "offered"),
    [
        ({"state": "free"}, CardState.FREE, True),
        ({"state": "foreign", "text": "pid 7"}, CardState.FOREIGN, False),
        ({"state": "dirty", "text": "memory"}, CardState.DIRTY, False),
        ({"state": "held"}, CardState.DIRTY, False),
        ({"state": "sick", "text": "Xid 79"}, CardState.SICK, False),
        ({"state": "unknown", "text": "the driver hangs"}, CardState.UNKNOWN, False),
    ],
)
def test_a_card_shows_its_nodes_judgement(
    house: House, reading: dict[str, Any], shown: CardState, offered: bool
) -> None:
    house.beat("n1", a_card(0, **reading), a_card(1))

    card = cards(house)[0]

    assert (card.state, card.offered) == (shown, offered)
    if shown is not CardState.FREE:
        assert card.reason is not None


def test_a_card_of_a_silent_node_is_unknown(house: House) -> None:
    house.do(e.AgentGone(node=N1, session="s-n1", why="cut"))

    assert {card.state for card in cards(house)} == {"unknown"}


def test_a_card_just_released_is_not_offered_until_it_is_seen_clean(house: House) -> None:
    house.ended(house.running(house.submit(gpus=1)))

    assert [card.offered for card in cards(house)] == [False, True]


def test_an_excluded_card_says_who_may_not_have_it(house: House) -> None:
    house.do(e.SetExcluded(caller=ADMIN, node="n1", card="1", excluded=True))

    assert [card.state for card in cards(house)] == ["free", "excluded"]


def test_a_held_card_that_is_excluded_stays_held_and_says_by_whom(house: House) -> None:
    house.submit(gpus=1)
    house.do(e.SetExcluded(caller=ADMIN, node="n1", card="0", excluded=True))

    card = cards(house)[0]

    assert (card.state, card.offered) == ("held", False)
    assert card.reason == ReasonView(code="card_excluded", text=f"excluded by {ADMIN.user}")
    house.do(e.SetExcluded(caller=ADMIN, node="n1", card="0", excluded=False))
    assert cards(house)[0].reason is None


def test_a_free_card_of_a_node_that_drains_is_not_offered_and_says_so(house: House) -> None:
    house.do(e.SetDraining(caller=ADMIN, node="n1", draining=True))

    seen = [(card.state, card.offered, card.reason) for card in cards(house)]

    why = ReasonView(code="node_draining", text="its node is draining")
    assert seen == [("free", False, why)] * 2


def test_a_process_of_a_job_is_shown_with_its_number(house: House) -> None:
    job = house.running(house.submit(gpus=1))
    processes = (
        wire.CardProcess(pid=1, memory_mib=5, uid=job.uid),
        wire.CardProcess(pid=2, memory_mib=5, uid="somebody else's"),
        wire.CardProcess(pid=3, memory_mib=5),
    )
    house.beat("n1", a_card(0, state="held", processes=processes), a_card(1))

    assert [process.job for process in cards(house)[0].processes] == [job.number, None, None]


def test_people_have_the_last_word_on_labels(house: House) -> None:
    said = an_inventory(a_card(0))
    inventory = type(said)(
        **{f: getattr(said, f) for f in said.__struct_fields__ if f != "labels"},
        labels={"rack": "1", "os": "debian"},
    )
    house.do(e.AgentInventory(node=N1, session="s-n1", inventory=inventory))
    house.do(e.SetLabels(caller=ADMIN, node="n1", labels={"rack": "2"}))

    assert node(house).labels == {"rack": "2", "os": "debian"}


def test_a_pool_counts_its_cards_and_jobs(house: House) -> None:
    house.beat("n1", a_card(0), a_card(1, state="foreign"))
    running = house.submit(gpus=1)
    house.submit(gpus=1)
    backoff = house.submit(restart={"policy": "on-failure", "retries": 1})
    house.ended(house.running(backoff), exit_code=1)

    seen = pool_view(house.state, house.state.pools[PoolName("default")])

    counts = (seen.cards_total, seen.cards_free, seen.cards_held, seen.cards_unavailable)
    assert counts == (2, 0, 1, 1)
    assert (seen.waiting, seen.running) == (2, 1)
    queue = queue_view(house.state, house.state.queues["default/default"])
    assert (queue.waiting, queue.running, queue.gpus_held) == (2, 1, 1)
    assert running.state == "Starting"


def test_a_pool_with_some_cards_of_a_node_counts_only_those(house: House) -> None:
    house.do(e.AddToPool(caller=ADMIN, pool="default", node="n1", cards=("1",)))

    seen = pool_view(house.state, house.state.pools[PoolName("default")])

    assert (seen.cards_total, seen.nodes[0].cards) == (1, ("GPU-n1-1",))


@pytest.mark.parametrize("reported", ["free", "held", "foreign", "dirty", "sick"])
def test_how_a_card_stands_is_what_its_view_shows(house: House, reported: Any) -> None:
    house.submit(gpus=1)
    house.beat("n1", a_card(0), a_card(1, state=reported))
    there = house.state.nodes[N1]

    standings = [card_standing(house.state, there, card) for card in there.cards]

    assert standings == [(view.state, view.offered) for view in cards(house)]


def test_a_mount_is_shown_with_who_may_have_it_and_why_nobody_can_now() -> None:
    house = House()
    free = wire.NamedMount(name="data", read_only=True, users=("ada",), queues=("train",))
    away = wire.NamedMount(name="home", per_user=True, unavailable="does not answer")
    house.node("n1", mounts=[free, away])

    assert node(house).mounts == (
        MountView(
            name="data",
            read_only=True,
            available=True,
            reason=None,
            users=("ada",),
            queues=("train",),
            per_user=False,
        ),
        MountView(
            name="home",
            read_only=False,
            available=False,
            reason="does not answer",
            users=(),
            queues=(),
            per_user=True,
        ),
    )


def test_a_node_of_plain_processes_says_that_its_mounts_are_for_no_job() -> None:
    house = House()
    house.node("n1", runtime="process", mounts=[wire.NamedMount(name="data")])

    (mount,) = node(house).mounts

    assert (mount.available, mount.reason) == (False, "plain processes can't have mounts")


def test_a_pool_names_who_runs_something_there_with_cards_or_without(house: House) -> None:
    house.submit(BOB)
    house.submit(ALICE, gpus=1)

    users = pool_view(house.state, house.state.pools[PoolName("default")]).users

    assert [(each.user, each.running, each.gpus_held) for each in users] == [
        ("alice", 1, 1),
        ("bob", 1, 0),
    ]


def test_a_card_that_a_job_has_just_left_is_settling_and_dirty_only_when_that_takes_long(
    house: House,
) -> None:
    job = house.running(house.submit(gpus=1))
    house.beat("n1", a_card(0, state="held"), a_card(1))
    house.ended(job)
    just_left = cards(house)[0]

    house.now += 120
    house.beat("n1", a_card(0, state="held"), a_card(1))
    much_later = cards(house)[0]

    told = [(card.state, card.offered, card.reason) for card in (just_left, much_later)]
    assert told == [
        (
            "dirty",
            False,
            ReasonView(code="card_settling", text="released a moment ago and not seen clean yet"),
        ),
        ("dirty", False, ReasonView(code="card_dirty", text="not seen clean since a job left it")),
    ]
