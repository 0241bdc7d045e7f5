import msgspec
from hypothesis import given
from hypothesis import strategies as st

from eaas.job_array import JobArray, Span, array_of

INDICES = st.sets(st.integers(0, 999_999), min_size=1, max_size=60)


@given(INDICES)
def test_an_array_holds_its_indices_upwards_and_knows_the_place_of_each(indices: set[int]) -> None:
    array = array_of(indices)

    assert list(array) == sorted(indices)
    assert len(array) == len(indices)
    assert [array.place(index) for index in sorted(indices)] == list(range(len(indices)))
    assert array.place(max(indices) + 1) is None


def test_an_array_is_written_as_short_as_people_would() -> None:
    written = {
        (0, 1, 2, 3): "0-3",
        (7,): "7",
        (1, 2, 5): "1-2,5",
        (0, 5): "0,5",
        (0, 2, 4, 6): "0-6:2",
        (0, 2, 4, 5, 6, 9): "0-4:2,5-6,9",
    }

    assert {indices: array_of(indices).text for indices in written} == written
    assert array_of(range(100), 8).text == "0-99%8"


def test_a_job_that_is_no_array_has_no_indices() -> None:
    assert not JobArray()
    assert (len(JobArray()), list(JobArray()), JobArray().place(0)) == (0, [], None)


def test_an_array_is_stored_in_a_few_bytes_and_comes_back() -> None:
    array = array_of(range(10_000), 8)

    stored = msgspec.msgpack.encode(array)

    assert len(stored) < 20
    assert msgspec.msgpack.decode(stored, type=JobArray) == array == JobArray((Span(0, 9999),), 8)


def test_the_empty_list_that_jobs_had_before_there_were_arrays_is_no_array() -> None:
    assert msgspec.msgpack.decode(msgspec.msgpack.encode([]), type=JobArray) == JobArray()
