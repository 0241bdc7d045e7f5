import pytest

from eaas.job_ref import JobRef, job_ref, task_ref


@pytest.mark.parametrize("text", ["42", "42[7]", "42[0-3]", "42[0-3,9]", "42[0-8:2]"])
def test_a_name_reads_back_as_it_was_written(text: str) -> None:
    assert str(job_ref(text)) == text


@pytest.mark.parametrize(
    "text",
    ["", "x", "-1", "²", "9" * 30, "42[]", "42[x]", "42[3-1]", "42[7", "42]", "42[0-3%2]", "[7]"],
)
def test_what_names_no_job_is_nothing(text: str) -> None:
    assert job_ref(text) is None


def test_one_task_has_an_index_and_several_have_none() -> None:
    named = {text: job_ref(text) or JobRef(0) for text in ("42", "42[7]", "42[0-3]")}

    assert {text: (ref.number, ref.index) for text, ref in named.items()} == {
        "42": (42, None),
        "42[7]": (42, 7),
        "42[0-3]": (42, None),
    }


def test_a_job_is_written_with_its_index_where_it_has_one() -> None:
    assert (task_ref(42, None), task_ref(42, 0)) == ("42", "42[0]")
