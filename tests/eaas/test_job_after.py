import pytest

from eaas.field_checks import Wrong
from eaas.job_after import JobNames


@pytest.mark.parametrize(
    ("typed", "names"),
    [
        (41, (41,)),
        ("41, 42[7]", (41, "42[7]")),
        (["42[7]", "42[0-3]", 42, "42[7]"], ("42[7]", "42[0-3]", 42)),
    ],
)
def test_jobs_are_followed_by_number_and_tasks_by_index(
    typed: object, names: tuple[int | str, ...]
) -> None:
    assert JobNames().read(typed) == names
    assert JobNames().read(JobNames().typed(names)) == names


@pytest.mark.parametrize("typed", ["42[", "42[x]", "x[1]", 0, "-1", [None], "0[1]"])
def test_what_names_no_job_is_refused(typed: object) -> None:
    with pytest.raises(Wrong):
        JobNames().read(typed)
