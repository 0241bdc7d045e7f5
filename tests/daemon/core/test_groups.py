from eaas.ids import JobNumber, JobUid
from eaas_daemon.core.groups import Groups


def test_a_group_has_its_jobs_by_index_until_they_are_taken_out() -> None:
    groups = Groups()
    groups.add(JobNumber(42), 0, JobUid("a"))
    groups.add(JobNumber(42), 7, JobUid("b"))
    groups.add(JobNumber(50), 0, JobUid("c"))
    groups.remove(JobNumber(42), 0, JobUid("a"))
    groups.remove(JobNumber(50), 0, JobUid("c"))

    assert dict(groups.of(42)) == {7: "b"}
    assert dict(groups.of(50)) == dict(groups.of(1)) == {}


def test_a_place_that_another_job_has_by_now_stays_its_own() -> None:
    groups = Groups()
    for uid in ("a", "b"):
        groups.add(JobNumber(42), 0, JobUid(uid))

    groups.remove(JobNumber(42), 0, JobUid("a"))

    assert dict(groups.of(42)) == {0: "b"}


def test_who_looks_at_groups_that_stand_still_sees_nobody_come_or_go() -> None:
    groups = Groups()
    groups.add(JobNumber(42), 0, JobUid("a"))

    still = groups.still()
    groups.add(JobNumber(42), 1, JobUid("b"))

    assert dict(still.of(42)) == {0: "a"}
