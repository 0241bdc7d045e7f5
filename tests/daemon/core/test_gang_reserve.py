"""A job on several nodes is not starved, and keeps no more than it needs."""

import pytest

from eaas.job_spec import read_spec
from eaas.lifecycle import JobState
from eaas_daemon.core import events as e
from eaas_daemon.core.dry_run import dry_run
from eaas_daemon.core.explain import Explainer
from eaas_daemon.core.model import Job, Reservation
from tests.rig.builders import ADMIN, ALICE, BOB, House, a_card

PENDING, STARTING = JobState.PENDING, JobState.STARTING


@pytest.fixture
def house() -> House:
    house = House()
    house.nodes("n1", "n2", "n3", cards=2)
    return house


def kept(house: House) -> Reservation:
    (found,) = house.state.every_reservation()
    return found


def given_back(house: House, job: Job) -> None:
    """Let the job end and its node be read clean."""
    node = house.ended(job).attempts[-1].node
    house.now += 2
    house.beat(node, a_card(0, node=node), a_card(1, node=node))


def busy(house: House, node: str, **fields: object) -> Job:
    return house.running(house.submit(BOB, gpus=1, nodes=[node], **fields))  # type: ignore[arg-type]


def test_it_starts_when_the_last_of_its_nodes_is_there_at_the_latest(house: House) -> None:
    busy(house, "n1", timeout="1h")
    busy(house, "n2", timeout="2h")
    busy(house, "n3", timeout="3h")

    job = house.submit(gpus=2, num_nodes=2)

    assert (kept(house).uid, kept(house).nodes) == (job.uid, ("n1", "n2"))
    assert kept(house).at == pytest.approx(house.now + 7200 + 10)
    why = Explainer(house.state, house.now).why(job)
    assert why.eta.kind == "certain"
    assert why.eta.in_s == pytest.approx(7210, abs=10)


def test_others_use_its_nodes_only_if_they_are_gone_by_then(house: House) -> None:
    busy(house, "n1", timeout="1h")
    busy(house, "n2", timeout="2h")
    house.submit(BOB, gpus=2, nodes=["n3"])
    job = house.submit(gpus=2, num_nodes=2)

    short = house.submit(BOB, gpus=1, timeout="1h", nodes=["n1"])
    long = house.submit(BOB, gpus=1, timeout="3h", nodes=["n2"])

    assert (job.state, short.state, long.state) == (PENDING, STARTING, PENDING)


def test_it_gets_all_of_its_nodes_though_small_ones_come_all_the_time(house: House) -> None:
    house.queue("default", hold_after_s=60.0)
    small = [busy(house, name) for name in ("n1", "n1", "n2", "n2", "n3", "n3")]
    job = house.submit(gpus=2, num_nodes=3)
    house.do(e.Tick())
    house.now += 61
    house.do(e.Tick())

    for one in small:
        house.submit(BOB, gpus=1)
        given_back(house, one)

    assert [rank.state for rank in house.ranks(job)] == [STARTING] * 3


def test_the_same_nodes_are_kept_until_it_starts(house: House) -> None:
    house.queue("default", hold_after_s=0.0)
    first, *_ = [busy(house, name) for name in ("n1", "n1", "n2", "n2", "n3", "n3")]
    house.submit(gpus=2, num_nodes=2)
    given_back(house, first)
    before = kept(house)

    house.do(e.SetLabels(caller=ADMIN, node="n3", labels={"a": "b"}))

    assert before.is_firm
    assert first.attempts[-1].node in before.nodes
    assert kept(house).nodes == before.nodes
    assert len(kept(house).cards) == 1


def test_two_of_them_never_hold_half_each(house: House) -> None:
    house.queue("default", hold_after_s=0.0)
    small = [busy(house, name) for name in ("n1", "n1", "n2", "n2", "n3", "n3")]
    jobs = [house.submit(gpus=2, num_nodes=2) for _ in range(2)]

    for one in small:
        given_back(house, one)
    assert [house.job(job.number).state for job in jobs] == [STARTING, PENDING]
    for rank in house.ranks(jobs[0]):
        given_back(house, house.running(rank))

    assert [rank.state for rank in house.ranks(jobs[1])] == [STARTING] * 2


def test_what_nobody_has_submitted_says_on_which_nodes_it_would_start(house: House) -> None:
    spec = read_spec({"image": "a", "gpus": 1, "num_nodes": 2})

    view = dry_run(house.state, spec, ALICE, house.now)

    assert (view.would, view.node, view.on_nodes) == ("start", "n1", ("n1", "n2"))
    assert view.text == "it would start on n1, n2 now"
    assert [card.uuid for card in view.cards] == ["GPU-n1-0", "GPU-n2-0"]
    assert house.state.jobs == {}


def test_what_nobody_has_submitted_says_when_it_is_likely_to_start(house: House) -> None:
    for name in ("n1", "n2", "n3"):
        house.running(house.submit(BOB, gpus=2, nodes=[name], timeout="1h"))
    house.submit(gpus=2, num_nodes=3, timeout="1h")
    spec = read_spec({"image": "a", "gpus": 2, "num_nodes": 3})

    view = dry_run(house.state, spec, ALICE, house.now)

    assert (view.would, view.eta.kind) == ("wait", "estimate")
    assert view.eta.in_s == pytest.approx(7200, abs=200)
    assert view.text.startswith("it would wait behind 1 job, about 2h")
