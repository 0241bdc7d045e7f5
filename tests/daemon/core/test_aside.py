from eaas.ids import JobNumber
from eaas_daemon.core.aside import Aside
from eaas_daemon.core.model import Job
from tests.rig.builders import House


def a_house() -> tuple[House, Job, Job]:
    """A pool without nodes, a job that waits until 2000, and one that waits for it."""
    house = House()
    house.pool("default")
    late = house.submit(not_before="1970-01-01T00:33:20Z")
    return house, late, house.submit(after=[late.number])


def test_a_job_waits_until_its_moment_or_for_another_and_is_in_no_line() -> None:
    house, late, behind = a_house()
    aside = house.state.aside

    assert list(aside) == [late.uid, behind.uid]
    assert aside.delayed == {late.uid: 2000.0}
    assert aside.due(1999.0) == []
    assert aside.due(2000.0) == [late.uid]
    assert list(aside.behind(late.number)) == [behind.uid]
    assert (aside.waiting(late.ref), house.state.line.waiting(late.ref)) == (2, 0)
    assert house.state.waiting(late.ref) == 2


def test_nothing_is_left_of_a_job_that_is_taken_out() -> None:
    _, late, behind = a_house()
    aside = Aside()
    for job in (late, behind):
        aside.add(job)
    still = aside.still()

    for job in (late, behind):
        aside.remove(job)

    assert late.uid not in aside
    assert (list(aside), aside.delayed, aside.waiting(late.ref)) == ([], {}, 0)
    assert list(aside.behind(late.number)) == []
    assert list(still) == [late.uid, behind.uid]
    assert list(still.behind(late.number)) == [behind.uid]


def test_a_job_that_waits_for_both_is_due_only_when_the_other_is_over() -> None:
    house, late, _ = a_house()
    both = house.submit(after=[late.number], not_before="1970-01-01T00:50:00Z")

    assert both.uid in house.state.aside
    assert both.uid not in house.state.aside.delayed
    assert house.state.aside.due(1e9) == [late.uid]


def test_nobody_waits_for_a_job_that_nobody_named() -> None:
    assert list(Aside().behind(JobNumber(7))) == []
