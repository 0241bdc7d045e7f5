"""Pools that share a node: none takes what another one keeps, and none waits for ever."""

from typing import Any

from eaas.job_spec import read_spec
from eaas.lifecycle import JobState
from eaas_daemon.core import events as e
from tests.rig.builders import ADMIN, ALICE, BOB, House, a_card

STARTING, PENDING = JobState.STARTING, JobState.PENDING


def two_nodes(*, cards: int) -> House:
    house = House()
    for name in ("n1", "n2"):
        house.node(name, *(a_card(i, node=name) for i in range(cards)))
    house.pool("default", "n1", "n2")
    return house


def test_pools_that_share_a_node_take_turns_by_who_has_waited_longest() -> None:
    house = House()
    house.node("n1", a_card(0))
    house.pool("a", "n1")
    house.pool("b", "n1")
    running = house.submit(gpus=1, pool="a")
    jobs = []
    for pool in ("b", "a", "a", "b"):
        house.now += 1
        jobs.append(house.submit(gpus=1, pool=pool))

    started = []
    for _ in jobs:
        house.ended(house.running(running))
        house.now += 2
        house.beat("n1", a_card(0))
        running = next(job for job in house.state.jobs.values() if job.attempts)
        started.append(running.number)

    assert started == [job.number for job in jobs]


def test_a_pool_that_is_deleted_in_the_step_in_which_its_first_job_ends_keeps_nothing() -> None:
    house = two_nodes(cards=2)
    house.pool("other", "n1")
    house.running(house.submit(gpus=1, timeout="1h", nodes=["n1"], pool="default"))
    wide = house.submit(gpus=2, pool="other")
    assert house.state.reservations.keys() == {"other"}

    cancel = e.Cancel(caller=ALICE, number=wide.number)
    house.do(cancel, e.DeletePool(caller=ADMIN, name="other"))

    assert house.state.reservations == {}
    assert house.submit(gpus=1, pool="default").state is STARTING


def test_a_job_that_gives_its_turn_up_leaves_what_another_pool_keeps_on_the_same_node() -> None:
    house = House()
    house.node("n1", *(a_card(i) for i in range(4)))
    for name, cards in (("a", ("0", "1")), ("b", ("2", "3"))):
        house.pool(name)
        house.do(e.AddToPool(caller=ADMIN, pool=name, node="n1", cards=cards))
    house.running(house.submit(gpus=2, pool="a", timeout="1h"))
    house.submit(gpus=2, pool="a")
    house.running(house.submit(gpus=1, pool="b", timeout="1h"))
    wide = house.submit(gpus=2, pool="b")
    typed: list[dict[str, Any]] = [
        {"pool": "a", "gpus": 2, "priority": 5},
        {"pool": "b", "gpus": 1},
    ]

    specs = [read_spec({"image": "busybox", **fields}) for fields in typed]
    (narrow,) = house.do(*(e.Submit(caller=ALICE, specs=(spec,)) for spec in specs))

    assert house.state.reservations[wide.pool].is_firm
    assert narrow.state is PENDING


def test_a_pool_that_is_planned_anew_does_not_take_what_another_one_keeps() -> None:
    house = two_nodes(cards=2)
    house.pool("zoo", "n1", "n2")
    for node, timeout in (("n1", "1h"), ("n2", "2h")):
        asked = house.submit(gpus=1, timeout=timeout, nodes=[node], pool="zoo")
        house.running(asked)
    house.submit(gpus=2, pool="zoo")
    house.submit(gpus=2, pool="default")
    promised = dict(house.state.reservations)
    assert {name: kept.nodes for name, kept in promised.items()} == {
        "zoo": ("n1",),
        "default": ("n2",),
    }

    house.queue("default", pool="default", priority=1)

    assert house.state.reservations == promised


def test_what_is_kept_no_longer_goes_to_who_was_kept_from_it_in_another_pool_too() -> None:
    house = two_nodes(cards=4)
    house.pool("zoo", "n1")
    house.running(house.submit(gpus=1, timeout="1h", nodes=["n1"], pool="default"))
    house.running(house.submit(gpus=4, timeout="2h", nodes=["n2"], pool="default"))
    wide = house.submit(gpus=4, pool="default")
    his = house.submit(BOB, gpus=1, pool="zoo")
    assert (house.state.reservations[wide.pool].nodes, his.state) == (("n1",), PENDING)

    house.submit(gpus=1, timeout="9h", nodes=["n1"], priority=5, pool="default")
    house.do(e.Tick())

    assert house.state.reservations[wide.pool].nodes == ("n2",)
    assert house.job(his.number).state is STARTING
