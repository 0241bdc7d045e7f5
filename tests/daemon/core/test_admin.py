from typing import Any

import pytest

from eaas.errors import Conflict, Forbidden, Invalid, NotFound
from eaas.ids import CardUuid, NodeName, PoolName
from eaas.lifecycle import JobState
from eaas.wire.rest import SetPool, SetQueue
from eaas_daemon.core import events as e
from eaas_daemon.core.effects import TurnAway
from tests.rig.builders import ADMIN, ALICE, House, a_card, a_hello, an_inventory

N1 = NodeName("n1")


@pytest.fixture
def house() -> House:
    house = House()
    house.node("n1", a_card(0), a_card(1))
    house.pool("default", "n1")
    return house


EVENTS: list[tuple[type[e.Asked], dict[str, Any]]] = [
    (e.CreatePool, {"name": "lab"}),
    (e.ChangePool, {"name": "default", "settings": SetPool()}),
    (e.DeletePool, {"name": "default"}),
    (e.AddToPool, {"pool": "default", "node": "n1", "cards": None}),
    (e.RemoveFromPool, {"pool": "default", "node": "n1"}),
    (e.CreateQueue, {"pool": "default", "name": "q", "settings": SetQueue()}),
    (e.ChangeQueue, {"pool": "default", "name": "default", "settings": SetQueue()}),
    (e.DeleteQueue, {"pool": "default", "name": "default"}),
    (e.SetDraining, {"node": "n1", "draining": True}),
    (e.SetLabels, {"node": "n1", "labels": {}}),
    (e.SetExcluded, {"node": "n1", "card": "0", "excluded": True}),
    (e.RemoveNode, {"node": "n1"}),
    (e.ConfirmDead, {"node": "n1"}),
]


@pytest.mark.parametrize(
    ("kind", "fields"), EVENTS, ids=lambda value: getattr(value, "__name__", "")
)
def test_only_admins_may(house: House, kind: type[e.Asked], fields: dict[str, Any]) -> None:
    with pytest.raises(Forbidden, match="you are alice"):
        house.do(kind(caller=ALICE, **fields))

    assert house.changes.empty


# --- pools and queues


def test_a_new_pool_is_empty_and_has_a_queue_default(house: House) -> None:
    pool = house.do(e.CreatePool(caller=ADMIN, name="lab"))

    assert pool.members == {}
    assert "lab/default" in house.state.queues


@pytest.mark.parametrize("name", ["Lab", "a b", "", "-x", "a/b", "x" * 64])
def test_a_pool_has_a_name_that_people_can_type(house: House, name: str) -> None:
    with pytest.raises(Invalid, match="a pool is named with"):
        house.do(e.CreatePool(caller=ADMIN, name=name))


def test_a_second_pool_of_a_name_is_refused(house: House) -> None:
    with pytest.raises(Conflict, match="exists already"):
        house.do(e.CreatePool(caller=ADMIN, name="default"))


def test_a_misspelt_pool_is_answered_with_the_near_one(house: House) -> None:
    with pytest.raises(NotFound, match="did you mean default"):
        house.do(e.DeletePool(caller=ADMIN, name="defualt"))


def test_a_pool_with_jobs_is_not_deleted(house: House) -> None:
    for _ in range(7):
        house.submit(gpus=2)

    with pytest.raises(Conflict, match="1, 2, 3, 4, 5 and 2 more"):
        house.do(e.DeletePool(caller=ADMIN, name="default"))


def test_a_pool_goes_in_the_same_step_in_which_its_last_job_ends(house: House) -> None:
    house.queue("default", paused=True)
    job = house.submit()

    house.do(e.Cancel(caller=ALICE, number=job.number), e.DeletePool(caller=ADMIN, name="default"))

    assert (house.state.pools, house.state.queues) == ({}, {})
    assert house.changes.gone_queues == ("default/default",)


def test_a_pool_deleted_and_made_anew_in_one_step_is_there(house: House) -> None:
    house.do(e.DeletePool(caller=ADMIN, name="default"), e.CreatePool(caller=ADMIN, name="default"))

    assert house.changes.gone_pools == ()
    assert [pool.members for pool in house.changes.pools] == [{}]


def test_a_card_named_twice_belongs_once(house: House) -> None:
    cards = ("0", "GPU-n1-0")
    pool = house.do(e.AddToPool(caller=ADMIN, pool="default", node="n1", cards=cards))

    assert pool.members[N1] == (CardUuid("GPU-n1-0"),)


def test_what_runs_on_a_node_taken_out_of_the_pool_runs_on(house: House) -> None:
    job = house.running(house.submit(gpus=1))

    house.do(e.RemoveFromPool(caller=ADMIN, pool="default", node="n1"))

    assert house.job(job.number).state is JobState.RUNNING


def test_a_full_queue_goes_on_when_a_job_ends_on_a_node_that_left_the_pool(house: House) -> None:
    house.queue("default", max_running=1)
    first, second = house.submit(), house.submit()
    house.node("n2")
    house.do(e.AddToPool(caller=ADMIN, pool="default", node="n2", cards=None))
    house.do(e.RemoveFromPool(caller=ADMIN, pool="default", node="n1"))

    house.ended(house.running(first))

    assert house.job(second.number).state is JobState.STARTING


def test_the_queue_default_stays(house: House) -> None:
    with pytest.raises(Conflict, match="pause default/default instead"):
        house.do(e.DeleteQueue(caller=ADMIN, pool="default", name="default"))


def test_a_queue_with_a_job_in_it_stays(house: House) -> None:
    house.queue("night")
    house.submit(queue="night")

    with pytest.raises(Conflict, match="not ended: 1"):
        house.do(e.DeleteQueue(caller=ADMIN, pool="default", name="night"))


def test_every_wrong_setting_of_a_queue_is_listed(house: House) -> None:
    with pytest.raises(Invalid) as refused:
        house.queue("night", max_running=-1, timeout_s=-2.0, max_gpus=-3)

    assert [error.field for error in refused.value.errors] == [
        "max_running",
        "max_gpus",
        "timeout_s",
    ]


def test_a_setting_that_is_not_named_stays(house: House) -> None:
    house.queue("default", max_running=3)
    house.queue("default", priority=-5)

    queue = house.state.queues["default/default"]
    assert (queue.max_running, queue.priority) == (3, -5)


def test_a_pool_is_told_what_one_user_may_hold_and_for_how_long_use_counts(house: House) -> None:
    house.do(e.ChangePool(caller=ADMIN, name="default", settings=SetPool(max_gpus_per_user=2)))
    house.do(e.ChangePool(caller=ADMIN, name="default", settings=SetPool(half_life_s=3600.0)))

    pool = house.state.pools[PoolName("default")]
    assert (pool.max_gpus_per_user, pool.half_life_s) == (2, 3600.0)


@pytest.mark.parametrize("half_life_s", [0.0, -1.0, 59.0, 1e9, float("nan"), float("inf")])
def test_a_half_life_that_makes_no_sense_is_refused(house: House, half_life_s: float) -> None:
    with pytest.raises(Invalid, match="half_life_s must be from 1m to 90d, not "):
        house.do(
            e.ChangePool(caller=ADMIN, name="default", settings=SetPool(half_life_s=half_life_s))
        )


# --- nodes


def test_labels_are_set_and_removed(house: House) -> None:
    house.do(e.SetLabels(caller=ADMIN, node="n1", labels={"a": "1", "b": "2"}))
    node = house.do(e.SetLabels(caller=ADMIN, node="n1", labels={"a": None, "c": "3"}))

    assert node.labels == {"b": "2", "c": "3"}


@pytest.mark.parametrize("text", ["1", "GPU-n1-1", "gpu-N1-1"])
def test_a_card_is_named_by_index_or_uuid(house: House, text: str) -> None:
    node = house.do(e.SetExcluded(caller=ADMIN, node="n1", card=text, excluded=True))

    assert node.excluded == {CardUuid("GPU-n1-1")}
    assert house.changes.journal[-1].text.endswith("excluded card 1 of n1")


@pytest.mark.parametrize(("text", "fact"), [("7", "is no card"), ("GPU-", "is not one card")])
def test_what_names_no_card_or_two_is_answered_with_those_there_are(
    house: House, text: str, fact: str
) -> None:
    with pytest.raises(NotFound, match=rf"{fact} of n1; it has: 0 \(GPU-n1-0\), 1 \("):
        house.do(e.SetExcluded(caller=ADMIN, node="n1", card=text, excluded=True))


def test_a_draining_node_finishes_what_it_has_and_takes_nothing_new(house: House) -> None:
    job = house.running(house.submit())
    house.do(e.SetDraining(caller=ADMIN, node="n1", draining=True))
    waiting = house.submit()
    assert (house.job(job.number).state, waiting.state) == (JobState.RUNNING, JobState.PENDING)

    house.do(e.SetDraining(caller=ADMIN, node="n1", draining=False))

    assert house.job(waiting.number).state is JobState.STARTING


def test_a_node_with_jobs_is_not_removed(house: House) -> None:
    house.submit()

    with pytest.raises(Conflict, match="still has jobs: 1"):
        house.do(e.RemoveNode(caller=ADMIN, node="n1"))


def test_a_removed_node_leaves_its_pools_and_its_link_is_closed(house: House) -> None:
    house.ended(house.running(house.submit(gpus=1)))
    assert house.state.cooling

    house.do(e.RemoveNode(caller=ADMIN, node="n1"))

    assert house.state.pools[PoolName("default")].members == {}
    assert house.state.cooling == {}
    assert house.effects == (
        TurnAway(session="s-n1", code="removed", text="root removed n1; it may join again"),
    )


def test_a_removed_node_may_join_again_as_a_new_one(house: House) -> None:
    house.do(e.SetDraining(caller=ADMIN, node="n1", draining=True))
    house.do(e.RemoveNode(caller=ADMIN, node="n1"))

    hello = a_hello("n1", an_inventory(a_card(0)), node_uid="other")
    assert house.do(e.AgentSaidHello(session="s2", address=None, hello=hello)) is True

    assert house.state.nodes[N1].draining is False


def test_a_connected_node_is_not_confirmed_dead(house: House) -> None:
    with pytest.raises(Conflict, match="is connected"):
        house.do(e.ConfirmDead(caller=ADMIN, node="n1"))


def test_a_person_confirms_the_death_of_a_node_and_of_all_its_attempts(house: House) -> None:
    never_began = house.submit(gpus=1)
    began = house.running(house.submit(gpus=1))
    stopping = house.running(house.submit())
    house.do(e.Cancel(caller=ALICE, number=stopping.number))
    house.do(e.AgentGone(node=N1, session="s-n1", why="cut"))

    node = house.do(e.ConfirmDead(caller=ADMIN, node="n1"))

    assert node.offline is True
    assert [house.job(job.number).state for job in (never_began, began, stopping)] == [
        JobState.PENDING,
        JobState.FAILED,
        JobState.CANCELLED,
    ]
