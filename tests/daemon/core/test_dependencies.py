import pytest

from eaas.errors import Conflict, Invalid
from eaas.job_spec import read_spec
from eaas.lifecycle import JobState
from eaas.sentences import sentence
from eaas_daemon.core import events as e
from eaas_daemon.core.dependencies import later
from eaas_daemon.core.dry_run import dry_run
from eaas_daemon.core.explain import Explainer
from eaas_daemon.core.model import Job
from tests.rig.builders import ADMIN, ALICE, House, a_card


@pytest.fixture
def house() -> House:
    house = House()
    house.node("n1", a_card(0), a_card(1))
    house.pool("default", "n1")
    return house


def said(house: House, job: Job) -> str:
    reason = Explainer(house.state).reason(house.job(job.number))
    assert reason is not None
    return sentence(reason)


def test_a_job_starts_in_the_step_in_which_the_last_of_those_before_it_succeeds(
    house: House,
) -> None:
    first, second = house.submit(), house.submit()
    then = house.submit(after=[first.number, second.number])
    assert (then.state, then.waits_for) == (JobState.PENDING, (1, 2))
    assert said(house, then) == "starts after jobs 1, 2 have succeeded"

    house.ended(house.running(first))
    assert said(house, then) == "starts after job 2 has succeeded"
    house.ended(house.running(second))

    assert house.job(then.number).state is JobState.STARTING


def test_those_that_have_succeeded_already_hold_nobody_up(house: House) -> None:
    first = house.submit()
    house.ended(house.running(first))

    assert house.submit(after=[first.number, first.number]).state is JobState.STARTING


def test_a_job_that_is_not_there_is_refused_by_its_number(house: House) -> None:
    with pytest.raises(Invalid, match="there is no job 77"):
        house.submit(after=[77])


@pytest.mark.parametrize("how", ["failed", "cancelled"])
def test_after_a_job_that_did_not_succeed_nothing_is_accepted_that_would_fail_with_it(
    house: House, how: str
) -> None:
    first = house.submit()
    if how == "failed":
        house.ended(house.running(first), exit_code=1)
    else:
        house.do(e.Cancel(caller=ALICE, number=first.number))
        house.ended(house.job(first.number), exit_code=None, cause="stopped")

    with pytest.raises(Invalid, match=f"job {first.number} is .*, so this could never start"):
        house.submit(after=[first.number])


def test_a_job_that_was_told_to_wait_says_what_became_of_the_other(house: House) -> None:
    first = house.submit()
    house.ended(house.running(first), exit_code=1)

    then = house.submit(after=[first.number], after_failed="wait")

    assert said(house, then) == "job 1, which it was to start after, is Failed"
    house.do(e.Retry(caller=ALICE, number=first.number))
    assert said(house, then) == "starts after job 1 has succeeded"
    house.ended(house.running(house.job(first.number)))
    assert house.job(then.number).state is JobState.STARTING


def test_a_retried_job_follows_those_it_followed_before(house: House) -> None:
    first = house.submit()
    then = house.submit(after=[first.number])
    house.ended(house.running(first), exit_code=1)
    assert house.job(then.number).state is JobState.FAILED

    with pytest.raises(Conflict, match="job 2 can't start yet: job 1 is Failed"):
        house.do(e.Retry(caller=ALICE, number=then.number))

    house.do(e.Retry(caller=ALICE, number=first.number))
    again = house.do(e.Retry(caller=ALICE, number=then.number))
    assert (again.state, again.waits_for) == (JobState.PENDING, (1,))


def test_a_job_that_follows_all_ranks_of_another_names_it_once(house: House) -> None:
    house.node("n2", a_card(0))
    house.do(e.AddToPool(caller=ADMIN, pool="default", node="n2", cards=None))
    house.submit(num_nodes=2)

    whole, one = house.submit(after=[1]), house.submit(after=["1[1]"])

    assert said(house, whole) == "starts after job 1 has succeeded"
    assert said(house, one) == "starts after job 1[1] has succeeded"


def test_a_later_start_waits_for_its_moment(house: House) -> None:
    job = house.submit(not_before="1970-01-01T00:33:20Z")
    assert said(house, job) == "starts at 1970-01-01 00:33:20 UTC at the earliest"

    house.now = 1999.0
    house.do(e.Tick())
    assert house.job(job.number).state is JobState.PENDING
    house.now = 2000.0
    house.do(e.Tick())

    assert house.job(job.number).state is JobState.STARTING


def test_a_moment_that_has_passed_is_no_wish_any_more() -> None:
    assert (later(None, 5.0), later(5.0, 5.0), later(6.0, 5.0)) == (None, None, 6.0)


def test_trying_a_job_that_would_follow_another_says_so(house: House) -> None:
    first = house.submit()
    spec = read_spec({"image": "busybox", "command": "true", "after": [first.number]})

    view = dry_run(house.state, spec, ALICE, house.now)

    assert (view.would, view.text) == ("wait", "it would wait: starts after job 1 has succeeded")


def test_a_job_that_waits_for_another_counts_for_what_may_wait(house: House) -> None:
    house.queue("default", max_pending=1)
    first = house.submit()
    house.submit(after=[first.number])

    with pytest.raises(Exception, match="1 jobs wait"):
        house.submit(after=[first.number])


def test_a_job_that_waits_for_another_can_be_cancelled(house: House) -> None:
    first = house.submit()
    then = house.submit(after=[first.number])

    gone = house.do(e.Cancel(caller=ALICE, number=then.number))

    assert (gone.state, list(house.state.aside)) == (JobState.CANCELLED, [])
    house.ended(house.running(first))
    assert house.job(then.number).state is JobState.CANCELLED
