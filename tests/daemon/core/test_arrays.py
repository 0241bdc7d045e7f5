import pytest

from eaas.errors import NotFound, QueueFull
from eaas.job_ref import job_ref
from eaas_daemon.core import events as e
from eaas_daemon.core.arrays import job_named, jobs_named, tasks_in_memory
from eaas_daemon.core.invariants import broken
from eaas_daemon.core.model import Job
from tests.rig.builders import ADMIN, House
from tests.rig.costs import costing


@pytest.fixture
def house() -> House:
    house = House()
    house.node("n1", cpus=2)
    house.pool("default", "n1")
    return house


def one(house: House, name: str) -> Job:
    ref = job_ref(name)
    assert ref is not None
    return job_named(house.state, ref)


def several(house: House, name: str) -> list[str]:
    ref = job_ref(name)
    assert ref is not None
    return [job.called for job in jobs_named(house.state, ref)]


def test_an_array_is_a_job_for_each_index_with_numbers_in_a_row(house: House) -> None:
    before = house.submit()
    first = house.submit(array="3,5-9:2")
    after = house.submit()

    tasks = jobs_named(house.state, job_ref(str(first.number)))  # type: ignore[arg-type]

    assert [(job.number, job.called) for job in tasks] == [
        (2, "2[3]"),
        (3, "2[5]"),
        (4, "2[7]"),
        (5, "2[9]"),
    ]
    assert all(task.spec == first.spec and task.array == first.number for task in tasks)
    assert (before.called, after.called, after.array) == ("1", "6", None)
    assert len({job.uid for job in tasks}) == 4
    assert not broken(house.state)


def test_its_submission_is_one_line_of_history(house: House) -> None:
    first = house.submit(array="0-9%2")

    lines = [row for row in house.changes.journal if row.kind == "job.submitted"]

    assert [(row.job, row.text) for row in lines] == [
        (first.number, "alice submitted job 1, an array of 10 tasks, 2 at once, to default/default")
    ]


def test_a_task_is_found_by_its_index_and_by_its_own_number_as_long_as_it_is_stored(
    house: House,
) -> None:
    first = house.submit(array="3,5-9:2")
    house.ended(house.running(house.job(first.number + 1)))

    assert [one(house, name).number for name in ("1", "1[3]", "1[5]", "1[9]", "4")] == [
        1, 1, 2, 4, 4,
    ]  # fmt: skip
    assert several(house, "1") == ["1[3]", "1[5]", "1[7]", "1[9]"]
    assert several(house, "1[5-9:2]") == ["1[5]", "1[7]", "1[9]"]
    assert several(house, "2") == ["1[5]"]
    assert [job.called for job in tasks_in_memory(house.state, 1)] == ["1[3]", "1[7]", "1[9]"]


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("9", "there is no job 9"),
        ("9[0]", "there is no job 9"),
        ("1[0]", "job 1 is no array, so it has no task 0"),
        ("3[0]", r"job 3 is a task itself, 2\[1\]"),
        ("2[7]", "array 2 has no task 7; it has 0-3"),
        ("6[2]", "job 6 has no rank 2; it has 0-1"),
        ("2[0-1]", r"2\[0-1\] names several tasks; name one, such as 2\[0\]"),
    ],
)
def test_a_name_that_means_no_job_says_what_there_is(
    house: House, name: str, sentence: str
) -> None:
    house.submit()
    house.submit(array="0-3%2")
    house.node("n2", cpus=2)
    house.do(e.AddToPool(caller=ADMIN, pool="default", node="n2", cards=None))
    house.submit(num_nodes=2)

    with pytest.raises(NotFound, match=sentence):
        one(house, name)


def test_all_tasks_come_into_a_queue_or_none(house: House) -> None:
    house.queue("default", max_pending=5)
    house.do(e.SetDraining(caller=ADMIN, node="n1", draining=True))
    house.submit(array="0-1")

    with pytest.raises(QueueFull, match="takes 5 waiting jobs and has 2: 4 tasks are 1 too many"):
        house.submit(array="0-3")

    assert house.submit(array="0-2").number == 3
    assert several(house, "3") == ["3[0]", "3[1]", "3[2]"]


def test_a_refused_array_leaves_no_number_and_no_task(house: House) -> None:
    with pytest.raises(Exception, match="no node"):
        house.submit(array="0-9", nodes=["n7"])

    assert (house.state.next_number, house.state.jobs, dict(house.state.arrays.of(1))) == (
        1,
        {},
        {},
    )


def test_ten_thousand_tasks_come_and_go_in_one_step_each_without_holding_up_the_rest(
    house: House,
) -> None:
    with costing() as submitting:
        first = house.submit(array="0-9999%2")
    deed = e.Cancel(caller=ADMIN, number=first.number)
    with costing() as cancelling:
        house.do(e.ToTasks(caller=ADMIN, deed=deed))

    assert len(several(house, str(first.number))) == 10_000
    assert submitting.s < 0.5
    assert cancelling.s < 0.7


def test_who_follows_a_large_array_costs_the_end_of_a_task_next_to_nothing(house: House) -> None:
    first = house.submit(array="0-4999%1")
    behind = house.submit(after=[first.number])

    with costing() as ending:
        for number in range(first.number, first.number + 50):
            house.ended(house.running(house.job(number)))

    assert ending.s / 50 < 0.01
    assert house.job(behind.number).waits_for == (first.number,)
