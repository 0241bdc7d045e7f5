"""Pages of what ended long ago: light, clean, and told when they are all."""

from eaas_tui.model.past_jobs import PastJobs
from tests.rig.stand_in import a_job


def test_pages_add_up_until_the_last_one() -> None:
    past = PastJobs()
    past.add([a_job(9), a_job(8)], "8")
    assert (list(past.jobs), past.cursor, past.is_complete) == ([9, 8], "8", False)

    past.add([a_job(7)], None)
    assert (list(past.jobs), past.is_complete) == ([9, 8, 7], True)


def test_only_what_a_list_shows_is_kept_and_it_is_clean() -> None:
    past = PastJobs()
    job = a_job(1, name="a\x1b[2Jb", spec={"image": "busybox", "gpus": 1, "command": "x" * 9999})

    past.add([job], None)

    assert past.jobs[1].spec == {"image": "busybox", "gpus": 1}
    assert past.jobs[1].name == "ab"
