import pytest

from eaas.errors import Conflict, Forbidden, Invalid, NotFound, NotYours
from eaas.job_spec import read_spec
from eaas.lifecycle import JobState
from eaas_daemon.core import events as e
from eaas_daemon.core.on_jobs import KeyReused, Replayed
from tests.rig.builders import ADMIN, ALICE, BOB, House, a_card


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
