from typing import Any

import pytest

from eaas.errors import Forbidden, Invalid, NeverFits, QueueFull
from eaas.job_spec import read_spec
from eaas.problem import mistake_text
from eaas.wire.from_agent import NamedMount
from eaas_daemon.core import events as e
from tests.rig.builders import ALICE, House, a_card


@pytest.fixture
def house() -> House:
    house = House()
    house.node("n1", a_card(0), cpus=4)
    house.pool("default", "n1")
    return house


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"gpus": 1, "gpu_memory": "40GiB"}, "hold 24GiB at most"),
        ({"gpus": 2}, "has 1 card, 2 asked for"),
        ({"gpus": 1, "gpu_type": "A100"}, "has NVIDIA GeForce RTX 3090, not a100"),
        ({"cpus": 5}, "has 4 CPUs"),
        ({"memory": "100GiB"}, "has 64GiB of memory"),
        ({"image": None}, "must name an image"),
    ],
)
def test_a_job_that_no_node_could_ever_run_is_refused_with_the_fact(
    house: House, fields: dict[str, Any], words: str
) -> None:
    if fields.get("image", "") is None:
        spec = read_spec({"command": "true"})
        with pytest.raises(NeverFits, match=words):
            house.do(e.Submit(caller=ALICE, specs=(spec,)))
        return
    with pytest.raises(NeverFits, match=words):
        house.submit(**fields)


def test_force_lets_it_wait_all_the_same(house: House) -> None:
    assert house.submit(gpus=2, force=True).state == "Pending"


def test_a_24_gb_card_holds_24gib(house: House) -> None:
    house.beat("n1", a_card(0, memory_total_mib=24576 - 450))

    assert house.submit(gpus=1, gpu_memory="24GiB").state == "Starting"


def test_an_empty_pool_waits_and_is_never_never() -> None:
    house = House()
    house.pool("default")

    assert house.submit(gpus=8).state == "Pending"


def test_a_pool_whose_nodes_are_all_offline_waits() -> None:
    house = House()
    house.node("n1", a_card(0))
    house.pool("default", "n1")
    house.quiet_start()
    house.silence("n1")

    assert house.submit(gpus=8).state == "Pending"


def test_the_only_pool_is_meant_when_none_is_named() -> None:
    house = House()
    house.pool("lab")

    assert house.submit().ref == "lab/default"


def test_with_several_pools_and_no_default_the_names_are_told() -> None:
    house = House()
    house.pool("a")
    house.pool("b")

    with pytest.raises(Invalid, match="say which pool: a, b"):
        house.submit()


def test_a_misspelt_queue_gets_a_suggestion(house: House) -> None:
    house.queue("train")

    with pytest.raises(Invalid) as refused:
        house.submit(queue="trian")

    (error,) = refused.value.errors
    assert (error.field, error.suggestion) == ("queue", "train")


def test_a_full_queue_refuses_with_the_number(house: House) -> None:
    house.queue("default", max_pending=1, paused=True)
    house.submit()

    with pytest.raises(QueueFull, match="1 jobs wait"):
        house.submit()


def test_a_queue_for_some_is_closed_to_others(house: House) -> None:
    house.queue("train", allow=["bob"])

    with pytest.raises(Forbidden):
        house.submit(queue="train")


def test_a_queues_longest_timeout_binds(house: House) -> None:
    house.queue("default", max_timeout_s=60.0)

    typed: list[dict[str, Any]] = [{}, {"timeout": "2m"}]
    for fields in typed:
        with pytest.raises(Invalid, match="1m"):
            house.submit(**fields)
    assert house.submit(timeout="30s").timeout_s == 30


@pytest.mark.parametrize(
    ("limits", "fields"),
    [
        ({"max_gpus": 2}, {"gpus": 3}),
        ({"max_gpus_per_user": 2}, {"gpus": 3}),
        ({"max_timeout_s": 60.0}, {}),
        ({"max_timeout_s": 60.0}, {"timeout": "2m"}),
        ({"max_priority": 5}, {"priority": 6}),
    ],
)
def test_a_limit_is_told_in_the_sentence_and_is_no_hint_at_a_misspelling(
    house: House, limits: dict[str, Any], fields: dict[str, Any]
) -> None:
    house.queue("default", **limits)

    with pytest.raises(Invalid) as refused:
        house.submit(force=True, **fields)

    (error,) = refused.value.errors
    assert "at most" in error.message
    assert "did you mean" not in mistake_text(error)


def test_an_unknown_node_is_named(house: House) -> None:
    with pytest.raises(Invalid, match="no node n7; there are: n1"):
        house.submit(nodes=["n7"])


def test_a_job_that_only_another_pool_could_run_is_told_which(house: House) -> None:
    house.node("n2", a_card(0, node="n2", gib=80))
    house.pool("big", "n2")

    with pytest.raises(NeverFits, match="pool big could: --pool big"):
        house.submit(pool="default", gpus=1, gpu_memory="40GiB")


def test_a_mount_that_is_nowhere_in_the_pool_is_refused_with_the_one_that_was_meant() -> None:
    house = House()
    house.node("n1", mounts=[NamedMount(name="datasets", read_only=True)])
    house.pool("default", "n1")

    with pytest.raises(NeverFits) as refused:
        house.submit(mounts=["datsets:/data:ro"])
    assert refused.value.sentence == (
        "no node of pool default could ever run this: n1 has no mount named datsets; "
        "did you mean mount datasets?"
    )
    with pytest.raises(NeverFits, match="is read-only: ask for datasets:/data:ro"):
        house.submit(mounts=["datasets:/data"])
    assert house.submit(mounts=["datasets:/data:ro"]).state == "Starting"


def test_another_pool_is_named_only_if_its_mount_is_for_that_pool() -> None:
    house = House()
    house.node("n1")
    house.node("n2", mounts=[NamedMount(name="a", queues=("two/default",))])
    house.node("n3", mounts=[NamedMount(name="a", queues=("default/default",))])
    house.pool("default", "n1")
    house.pool("two", "n2")
    house.pool("three", "n3")

    with pytest.raises(NeverFits, match=r"pool two could: --pool two$"):
        house.submit(mounts=["a:/a"], pool="default")
