from eaas_tui.model.job_set import JobSet, once
from tests.rig.views import a_job


class Counted:
    """Counts how often it was asked."""

    def __init__(self) -> None:
        self.times = 0

    def __call__(self) -> int:
        self.times += 1
        return self.times


def test_what_was_counted_once_is_known_by_its_name() -> None:
    jobs, count = JobSet({1: a_job(1)}), Counted()

    assert [once(jobs, "a", count), once(jobs, "a", count), once(jobs, "b", count)] == [1, 1, 2]


def test_other_jobs_are_counted_anew() -> None:
    count = Counted()
    once(JobSet({}), "a", count)
    once(JobSet({}), "a", count)
    once({}, "a", count)

    assert count.times == 3


def test_it_is_the_same_as_its_jobs() -> None:
    assert JobSet({1: a_job(1)}) == {1: a_job(1)}
