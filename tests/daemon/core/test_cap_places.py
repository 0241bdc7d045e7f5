"""A job that asks for much of a cap gets it in the end, however many come that ask for little."""

from typing import Any

import pytest

from eaas import reasons as r
from eaas.job_spec import read_spec
from eaas.lifecycle import JobState
from eaas.wire.rest import SetPool, SetQueue
from eaas_daemon.core import events as e
from eaas_daemon.core.dry_run import dry_run
from eaas_daemon.core.explain import Explainer
from eaas_daemon.core.model import Job
from tests.daemon.core.test_reserve import end
from tests.rig.builders import ADMIN, ALICE, BOB, House, a_card

CARDS = 8
CAP = 4


def capped(**settings: Any) -> House:
    house = House()
    house.node("n1", *(a_card(index) for index in range(CARDS)))
    house.pool("default", "n1")
    if "of_user" in settings:
        mine = SetPool(max_gpus_per_user=settings.pop("of_user"))
        house.do(e.ChangePool(caller=ADMIN, name="default", settings=mine))
    if settings:
        queue = SetQueue(**settings)
        house.do(e.ChangeQueue(caller=ADMIN, pool="default", name="default", settings=queue))
    house.do(e.Tick())
    return house


def fill(house: House) -> Job:
    """Let as many narrow jobs run as the cap allows; return one of them."""
    jobs = [house.running(house.submit(gpus=1)) for _ in range(CAP)]
    return jobs[-1]


def stream(house: House, wide: Job, *, seconds: float, **narrow: Any) -> Job:
    """Let a narrow job end and the next come every minute, for as long or until the wide one has
    its cards; return the wide one.
    """
    until = house.now + seconds
    while house.now < until and house.job(wide.number).state is JobState.PENDING:
        house.now += 60
        live = [job for job in house.state.jobs.values() if job.live_attempt is not None]
        house.submit(gpus=1, **narrow)
        if live:
            end(house, house.running(live[0]), CARDS)
    return house.job(wide.number)


@pytest.mark.parametrize(
    "settings", [{"max_gpus": CAP}, {"max_gpus_per_user": CAP}, {"of_user": CAP}], ids=str
)
def test_narrow_jobs_that_come_without_end_do_not_keep_a_wide_one_from_its_cap(
    settings: dict[str, Any],
) -> None:
    house = capped(**settings)
    fill(house)
    wide = house.submit(gpus=3)

    assert stream(house, wide, seconds=3600).state is JobState.STARTING


def test_until_it_has_waited_long_enough_those_behind_it_may_pass() -> None:
    house = capped(max_gpus=CAP)
    for _ in range(CAP - 1):
        house.running(house.submit(gpus=1))
    wide = house.submit(gpus=3)

    assert house.submit(gpus=1).state is JobState.STARTING
    assert house.job(wide.number).state is JobState.PENDING


def test_a_queue_that_holds_nothing_lets_everybody_pass() -> None:
    house = capped(max_gpus=CAP, hold_after_s=None)
    fill(house)
    wide = house.submit(gpus=3)

    assert stream(house, wide, seconds=3600).state is JobState.PENDING


def test_who_counts_for_another_cap_or_goes_before_it_passes() -> None:
    house = capped(max_gpus_per_user=CAP)
    first = fill(house)
    wide = house.submit(gpus=3)
    house.now += 700
    end(house, first, CARDS)

    behind, other = house.submit(gpus=1), house.submit(BOB, gpus=1)
    urgent, no_card = house.submit(gpus=1, priority=5), house.submit(gpus=0)

    states = [house.job(job.number).state for job in (wide, behind, other, urgent, no_card)]
    pending, starting = JobState.PENDING, JobState.STARTING
    assert states == [pending, pending, starting, starting, starting]


def test_who_waits_behind_it_is_told_for_whom_the_cap_is_kept() -> None:
    house = capped(max_gpus=CAP)
    first = fill(house)
    wide = house.submit(gpus=3)
    house.now += 700
    end(house, first, CARDS)

    behind = house.submit(gpus=1)
    told = dry_run(house.state, read_spec({"image": "busybox", "gpus": 1}), ALICE, house.now)

    reason = Explainer(house.state, house.now).reason(behind)
    assert reason == r.CapReserved(queue="default/default", job=wide.number, user=ALICE.user)
    assert (told.would, told.reasons[0].code) == ("wait", "cap_reserved")


@pytest.mark.parametrize("away", ["cancel", "no cap"])
def test_what_was_kept_is_everybodys_once_it_is_wanted_no_more(away: str) -> None:
    house = capped(max_gpus=CAP)
    first = fill(house)
    wide = house.submit(gpus=3)
    house.now += 700
    end(house, first, CARDS)
    behind = house.submit(gpus=1)
    assert house.job(behind.number).state is JobState.PENDING

    if away == "cancel":
        house.do(e.Cancel(caller=ADMIN, number=wide.number))
    else:
        none = SetQueue(max_gpus=None)
        house.do(e.ChangeQueue(caller=ADMIN, pool="default", name="default", settings=none))

    assert house.job(behind.number).state is JobState.STARTING


def test_nothing_is_kept_for_a_job_that_waits_for_more_than_its_cap() -> None:
    house = capped(max_gpus=CAP)
    first = fill(house)
    wide = house.submit(gpus=3)
    shut = SetQueue(max_gpus=2)
    house.now += 700
    house.do(e.ChangeQueue(caller=ADMIN, pool="default", name="default", settings=shut))
    for job in [job for job in house.state.jobs.values() if job.live_attempt is not None]:
        if job.number != first.number:
            end(house, job, CARDS)
    behind = house.submit(gpus=1)

    assert house.job(wide.number).state is JobState.PENDING
    assert house.job(behind.number).state is JobState.STARTING
