"""Pages of what ended long ago: light, clean, and told when they are all."""

from eaas_tui.model.past_jobs import MORE_JOBS, PAGE_JOBS, PastJobs
from tests.rig.stand_in import a_job


def test_pages_add_up_until_the_last_one() -> None:
    past = PastJobs()
    past.add([a_job(9, "Failed"), a_job(8, "Succeeded")], "8")
    assert (list(past.jobs), past.cursor, past.is_complete) == ([9, 8], "8", False)

    past.add([a_job(7, "Cancelled")], None)
    assert (list(past.jobs), past.is_complete) == ([9, 8, 7], True)


def test_only_what_a_list_shows_is_kept_and_it_is_clean() -> None:
    past = PastJobs()
    job = a_job(
        1, "Failed", name="a\x1b[2Jb", spec={"image": "busybox", "gpus": 1, "command": "x" * 9999}
    )

    past.add([job], None)

    assert past.jobs[1].spec == {"image": "busybox", "gpus": 1}
    assert past.jobs[1].name == "ab"


def test_what_has_not_ended_is_left_to_the_stream() -> None:
    past = PastJobs()

    past.add([a_job(3, "Running"), a_job(2, "Failed"), a_job(1)], None)

    assert list(past.jobs) == [2]


def test_the_first_page_is_small_and_the_others_get_far() -> None:
    past = PastJobs()
    assert past.page_jobs == PAGE_JOBS

    past.add([a_job(1, "Failed")], "1")

    assert past.page_jobs == MORE_JOBS
