from eaas.job_parts import ids_meant
from tests.rig.views import a_job


def test_a_number_alone_is_every_rank_and_with_an_index_it_is_one() -> None:
    first = a_job(42, array=42, array_index=0, spec={"num_nodes": 3})
    second = a_job(43, array=42, array_index=1, spec={"num_nodes": 3})

    assert ids_meant(first, "42") == [42, 43, 44]
    assert ids_meant(first, "42[0]") == [42]
    assert ids_meant(second, "43") == [43]


def test_any_other_job_is_itself_alone() -> None:
    assert ids_meant(a_job(7), "7") == [7]
    assert ids_meant(a_job(7, array=7, array_index=3, spec={"array": "3-9"}), "7") == [7]
