import pytest

from eaas.errors import Conflict, Forbidden, Invalid, NotFound, NotYours
from eaas.job_spec import read_spec
from eaas.lifecycle import JobState
from eaas.wire import from_agent as wire
from eaas_daemon.core import events as e
from eaas_daemon.core.effects import Dispatch, JobOver, KeepUntil
from eaas_daemon.core.model import Job
from eaas_daemon.core.on_jobs import KeyReused, Replayed
from eaas_daemon.core.step import step
from tests.rig.builders import ADMIN, ALICE, BOB, House, a_card
from tests.rig.costs import costing


@pytest.fixture
def house() -> House:
    house = House()
    house.node("n1", a_card(0), cpus=1)
    house.pool("default", "n1")
    house.submit(cpus=1)
    return house


def a_submit(key: str, body: bytes) -> e.Submit:
    spec = read_spec({"image": "busybox"})
    return e.Submit(caller=ALICE, specs=(spec,), key=key, body_hash=body)


def test_numbers_are_given_in_order(house: House) -> None:
    assert [house.submit().number for _ in range(3)] == [2, 3, 4]


def test_a_repeated_key_with_the_same_body_names_the_same_job(house: House) -> None:
    (job,) = house.do(a_submit("k", b"1"))

    with pytest.raises(Replayed) as replayed:
        house.do(a_submit("k", b"1"))

    assert replayed.value.row.jobs == (job.number,)


def test_a_repeated_key_with_another_body_is_refused(house: House) -> None:
    house.do(a_submit("k", b"1"))

    with pytest.raises(KeyReused):
        house.do(a_submit("k", b"2"))


def test_a_batch_with_one_bad_job_leaves_nothing_behind(house: House) -> None:
    good, bad = read_spec({"image": "busybox"}), read_spec({"image": "busybox", "queue": "nope"})
    before = (house.state.next_number, house.state.seq, dict(house.state.jobs))

    with pytest.raises(Invalid):
        house.do(e.Submit(caller=ALICE, specs=(good, bad)))

    assert (house.state.next_number, house.state.seq, dict(house.state.jobs)) == before
    assert house.changes.empty


def test_cancel_ends_a_waiting_job_at_once(house: House) -> None:
    job = house.submit()

    cancelled = house.do(e.Cancel(caller=ALICE, number=job.number))

    assert cancelled.state is JobState.CANCELLED


def test_others_may_not_cancel_but_admins_may(house: House) -> None:
    job = house.submit()
    with pytest.raises(NotYours, match="belongs to alice"):
        house.do(e.Cancel(caller=BOB, number=job.number))

    assert house.do(e.Cancel(caller=ADMIN, number=job.number)).state is JobState.CANCELLED


def test_a_number_nobody_has_is_not_found(house: House) -> None:
    with pytest.raises(NotFound):
        house.do(e.Cancel(caller=ADMIN, number=house.state.number()))


def test_a_shorter_grace_may_be_asked_for_later_but_not_a_longer_one(house: House) -> None:
    job = house.running(house.job(1))
    for grace_s in (20.0, 5.0, 60.0):
        house.do(e.Cancel(caller=ALICE, number=job.number, grace_s=grace_s))

    stop = house.job(1).stop
    assert stop is not None
    assert stop.grace_s == 5.0


def test_priority_is_bounded_and_a_queues_limit_binds_members(house: House) -> None:
    house.queue("default", max_priority=10)
    job = house.submit()

    for caller, priority in ((ALICE, 11), (ADMIN, 101)):
        with pytest.raises(Invalid):
            house.do(e.SetPriority(caller=caller, number=job.number, priority=priority))
    changed = house.do(e.SetPriority(caller=ADMIN, number=job.number, priority=50))

    assert changed.priority == 50


def test_only_an_admin_puts_a_job_on_top(house: House) -> None:
    job = house.submit()

    with pytest.raises(Forbidden):
        house.do(e.PutOnTop(caller=ALICE, number=job.number))


def test_a_moved_job_waits_in_its_new_queue_with_that_queues_timeout(house: House) -> None:
    house.queue("night", timeout_s=60.0)
    job = house.submit()

    moved = house.do(e.Move(caller=ALICE, number=job.number, pool=job.pool, queue="night"))

    assert (moved.ref, moved.timeout_s, moved.state) == ("default/night", 60.0, JobState.PENDING)


def test_a_running_job_is_not_moved(house: House) -> None:
    house.queue("night")

    with pytest.raises(Conflict, match="only a waiting job"):
        house.do(
            e.Move(caller=ALICE, number=house.job(1).number, pool=house.job(1).pool, queue="night")
        )


def test_retry_counts_attempts_on(house: House) -> None:
    job = house.ended(house.running(house.job(1)), exit_code=1)
    house.state.put_job(job)

    again = house.do(e.Retry(caller=ALICE, number=job.number))

    assert (again.state, len(again.attempts), again.reason) == (JobState.STARTING, 2, None)


def test_a_job_that_has_not_ended_is_not_retried(house: House) -> None:
    with pytest.raises(Conflict):
        house.do(e.Retry(caller=ALICE, number=house.job(1).number))


def test_keeping_a_workspace_never_shortens_it(house: House) -> None:
    job = house.ended(house.running(house.job(1)))
    house.state.put_job(job)

    kept = house.do(e.Keep(caller=ALICE, number=job.number, for_s=60.0))

    assert kept.keep_until == job.keep_until


def test_a_shorter_grace_is_told_to_the_agent_again(house: House) -> None:
    job = house.running(house.job(1))
    told = []
    for grace_s in (20.0, 20.0, 5.0):
        house.do(e.Cancel(caller=ALICE, number=job.number, grace_s=grace_s))
        told.append(house.effects)

    dispatch = (Dispatch(node=job.attempts[-1].node, uid=job.uid),)
    assert told == [dispatch, (), dispatch]


@pytest.mark.parametrize("grace_s", [-1.0, 3601.0, float("nan")])
def test_a_grace_out_of_range_is_refused(house: House, grace_s: float) -> None:
    with pytest.raises(Invalid, match="grace_s must be from 0s to 1h, not "):
        house.do(e.Cancel(caller=ALICE, number=house.job(1).number, grace_s=grace_s))


def test_a_job_that_never_ran_leaves_no_workspace_behind(house: House) -> None:
    job = house.submit()

    cancelled = house.do(e.Cancel(caller=ALICE, number=job.number))

    assert (cancelled.keep_until, house.effects) == (None, ())
    with pytest.raises(Conflict, match="never ran"):
        house.do(e.Keep(caller=ALICE, number=job.number, for_s=60.0))


def a_job_in_backoff(house: House) -> Job:
    house.do(e.Cancel(caller=ALICE, number=house.job(1).number))
    house.ended(house.job(1), exit_code=None, cause="never_started")
    job = house.submit(restart={"policy": "on-failure", "retries": 1, "backoff": "1h"})
    return house.ended(house.running(job), exit_code=1)


def test_a_job_cancelled_in_backoff_keeps_its_workspace_for_its_time(house: House) -> None:
    job = a_job_in_backoff(house)

    cancelled = house.do(e.Cancel(caller=ALICE, number=job.number))

    assert cancelled.keep_until == house.now + 7 * 86400
    assert house.effects == (JobOver(node=job.attempts[-1].node, uid=job.uid),)


def test_a_retry_by_a_person_does_not_wait_for_an_old_backoff(house: House) -> None:
    job = a_job_in_backoff(house)
    house.do(e.Cancel(caller=ALICE, number=job.number))

    again = house.do(e.Retry(caller=ALICE, number=job.number))

    assert (again.state, again.not_before) == (JobState.STARTING, None)


def test_a_job_that_was_on_top_once_is_retried_in_its_turn(house: House) -> None:
    first, late = house.submit(), house.submit()
    house.do(e.PutOnTop(caller=ADMIN, number=late.number))
    house.do(e.Cancel(caller=ALICE, number=late.number))

    house.do(e.Retry(caller=ALICE, number=late.number))

    order = list(house.state.line.in_order(first.pool, house.state.order))
    assert order == [first.uid, late.uid]


def test_a_retried_job_gets_a_workspace_again(house: House) -> None:
    job = house.ended(house.running(house.job(1)), exit_code=1)
    house.fact("n1", wire.WorkspaceGone(uid=job.uid, at=house.now, why="expired"))
    assert house.job(1).workspace_gone == "expired"

    again = house.do(e.Retry(caller=ALICE, number=job.number))

    assert (again.workspace_gone, again.keep_until) == (None, None)


def test_a_job_cancelled_while_unknown_is_stopped_when_its_node_is_back(house: House) -> None:
    job = house.running(house.job(1))
    house.quiet_start()
    house.silence("n1")
    assert house.job(1).state is JobState.UNKNOWN

    house.do(e.Cancel(caller=ALICE, number=job.number))
    assert house.job(1).state is JobState.UNKNOWN
    house.node("n1", a_card(0), cpus=1)

    assert house.job(1).state is JobState.STOPPING
    assert house.ended(house.job(1), exit_code=143, cause="stopped").state is JobState.CANCELLED


def test_a_workspace_on_a_silent_node_is_not_promised_to_be_kept(house: House) -> None:
    job = house.ended(house.running(house.job(1)))
    house.do(e.AgentGone(node=job.attempts[-1].node, session="s-n1", why="cut"))

    with pytest.raises(Conflict, match="n1 is not connected"):
        house.do(e.Keep(caller=ALICE, number=job.number, for_s=1e7))


def test_keeping_longer_is_told_to_the_node(house: House) -> None:
    job = house.ended(house.running(house.job(1)))

    kept = house.do(e.Keep(caller=ALICE, number=job.number, for_s=1e7))

    node = job.attempts[-1].node
    assert kept.keep_until == house.now + 1e7
    assert house.effects == (KeepUntil(node=node, uid=job.uid, until=house.now + 1e7),)


def test_a_job_whose_queue_was_deleted_is_not_retried(house: House) -> None:
    house.queue("night")
    job = house.submit(queue="night")
    house.do(e.Cancel(caller=ALICE, number=job.number))
    house.do(e.DeleteQueue(caller=ADMIN, pool="default", name="night"))

    with pytest.raises(NotFound, match="default/night"):
        house.do(e.Retry(caller=ALICE, number=job.number))


def test_many_equal_jobs_make_one_more_no_slower(house: House) -> None:
    spec = read_spec({"image": "busybox", "cpus": 1})
    for _ in range(10):
        house.do(e.Submit(caller=ALICE, specs=(spec,) * 2_000))
    house.do(e.Submit(caller=ALICE, specs=(spec,)))

    with costing() as cost:
        for _ in range(20):
            house.do(e.Submit(caller=ALICE, specs=(spec,)))

    assert cost.s / 20 < 0.005


def test_a_thousand_jobs_that_come_together_are_one_short_step() -> None:
    house = House()
    nodes = [f"n{index}" for index in range(20)]
    for node in nodes:
        gib = 80 if node == nodes[-1] else 24
        house.node(node, *(a_card(index, node=node, gib=gib) for index in range(8)))
    house.pool("default", *nodes)
    wanted = {"image": "busybox", "gpus": 1, "gpu_memory": "40GiB"}
    specs = tuple(read_spec(wanted | {"name": f"job-{number}"}) for number in range(1000))

    with costing() as cost:
        [jobs] = step(house.state, [e.Submit(caller=ALICE, specs=specs)], house.now)

    assert len(jobs) == 1000
    assert cost.s < 0.15  # nobody else is answered meanwhile


def test_what_only_waiting_jobs_can_do_says_what_was_asked_of_one_that_has_ended(
    house: House,
) -> None:
    job = house.ended(house.running(house.job(1)))

    with pytest.raises(Conflict, match=f"job {job.number} is Succeeded; .* can be put on top"):
        house.do(e.PutOnTop(caller=ADMIN, number=job.number))
    with pytest.raises(Conflict, match=f"job {job.number} is Succeeded; .* can be moved"):
        house.do(e.Move(caller=ADMIN, number=job.number, pool=job.pool, queue="night"))
