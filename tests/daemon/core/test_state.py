from eaas.errors import Conflict, EaasError
from eaas.ids import NodeName, PoolName, UserName
from eaas.lifecycle import JobState
from eaas.wire import from_agent as wire
from eaas_daemon.core import events as e
from eaas_daemon.core.archive import NoArchive
from eaas_daemon.core.changes import KeyRow
from eaas_daemon.core.invariants import broken
from eaas_daemon.core.state import State
from eaas_daemon.core.step import step
from tests.daemon.core.test_on_jobs import a_submit
from tests.rig.builders import ADMIN, ALICE, House, a_card
from tests.rig.snapshot import snapshot


def a_house() -> House:
    house = House()
    house.node("n1", a_card(0))
    house.pool("default", "n1")
    return house


def test_a_whole_step_can_be_taken_back() -> None:
    house = a_house()
    job = house.running(house.submit(gpus=1))
    before = snapshot(house.state)
    fact = wire.AttemptEnded(
        uid=job.uid, attempt=1, cause="exited", exit_code=0, finished_at=house.now
    )
    facts = wire.Facts(spool_id="spool-n1", facts=(wire.Spooled(9, fact),))

    step(
        house.state,
        [
            e.AgentSaidFacts(node=NodeName("n1"), session="s-n1", facts=facts),
            a_submit("key", b"1"),
            e.CreatePool(caller=ADMIN, name="lab"),
            e.DeletePool(caller=ADMIN, name="lab"),
            e.RemoveNode(caller=ADMIN, node="n1"),
        ],
        house.now,
    )
    assert snapshot(house.state) != before
    house.state.undo_to(0)

    assert snapshot(house.state) == before
    assert broken(house.state) == []


def test_a_refused_event_leaves_no_trace_among_those_that_are_taken() -> None:
    house = a_house()
    (job, refused) = step(
        house.state,
        [a_submit("key", b"1"), e.CreatePool(caller=ADMIN, name="default")],
        house.now,
    )

    assert isinstance(refused, Conflict)
    assert not isinstance(job, EaasError)
    assert [line.kind for line in house.state.changes().journal] == ["job.submitted", "job.placed"]


def test_credentials_of_a_refused_step_are_taken_back() -> None:
    house = a_house()
    make = e.CreateToken(
        caller=ADMIN,
        id="jtoken",
        secret_hash=b"x",
        role="agent",
        user=None,
        expires_at=None,
        uses=2,
        node=NodeName("n1"),
    )
    house.do(make)
    before = snapshot(house.state)
    join = e.JoinNode(
        token="jtoken", node="n1", node_uid="uid-n1", address=None, id="n", secret_hash=b"y"
    )

    step(
        house.state,
        [join, e.RevokeToken(caller=ADMIN, id="n"), e.RemoveNode(caller=ADMIN, node="n1")],
        house.now,
    )
    assert snapshot(house.state) != before
    assert [each.uses_left for each in house.state.changes().credentials] == [1]
    assert house.state.changes().gone_credentials == ("n",)
    house.state.undo_to(0)

    assert snapshot(house.state) == before


def test_each_thing_appears_once_in_the_changes_in_its_last_state() -> None:
    house = a_house()
    job = house.submit(gpus=2, force=True)

    house.do(
        e.SetPriority(caller=ALICE, number=job.number, priority=1),
        e.SetPriority(caller=ALICE, number=job.number, priority=2),
    )

    assert [changed.priority for changed in house.changes.jobs] == [2]
    assert house.changes.seq == house.state.seq
    assert not house.changes.empty


def test_ended_jobs_leave_the_memory_once_they_are_stored() -> None:
    house = a_house()

    job = house.ended(house.running(house.submit()))

    assert (house.state.jobs, house.state.numbers) == ({}, {})
    assert house.state.job_by_number(job.number) == house.state.job(job.uid) == job


def test_a_state_without_an_archive_knows_nothing_that_is_not_in_it() -> None:
    state = State(NoArchive(), epoch=1, next_number=1, seq=0)

    assert state.job_by_number(1) is None
    assert state.find_key(UserName("alice"), "k") is None


def test_a_key_is_found_in_the_store_when_it_left_the_memory() -> None:
    house = a_house()
    row = KeyRow(user="alice", key="k", body_hash=b"1", jobs=(1,), at=0.0)
    house.memory.keys["alice", "k"] = row

    assert house.state.find_key(UserName("alice"), "k") == row


def test_a_beat_that_changes_no_offer_does_not_rouse_the_pools() -> None:
    house = a_house()
    house.submit(gpus=2, force=True)
    node = house.state.nodes[NodeName("n1")]

    house.state.put_node(node, durable=False)
    assert house.state.restless == set()
    house.do(e.SetDraining(caller=ADMIN, node="n1", draining=True))
    house.state.put_node(node, durable=False)

    assert house.state.restless == {PoolName("default")}


def test_a_job_of_a_node_that_is_gone_can_still_be_taken_back() -> None:
    house = a_house()
    job = house.submit()

    assert job.state is JobState.STARTING
    assert house.state.placed == {NodeName("n1"): {job.uid: house.job(job.number)}}
