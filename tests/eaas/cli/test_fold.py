from eaas.cli.fold import folded
from eaas.views import JobView, ReasonView
from tests.rig.arrays import a_task
from tests.rig.stand_in import a_job

FULL = ReasonView(code="array_full", text="array 42 may run 2 tasks at once")
NO_CARD = ReasonView(code="too_few_free_cards", text="n1 has 0 free cards")


def refs(*jobs: JobView) -> list[str]:
    return [row.ref for row in folded(jobs)]


def test_waiting_tasks_that_are_alike_stand_in_one_line_where_the_first_of_them_stands() -> None:
    running = [a_task(42 + i, i, "Running") for i in range(2)]
    waiting = [a_task(42 + i, i, reason=FULL) for i in range(2, 6)]
    other = a_job(7)

    assert refs(*running, *waiting[:2], other, *waiting[2:]) == [
        "42[0]", "42[1]", "42[2-5]", "7",
    ]  # fmt: skip


def test_tasks_that_wait_for_something_else_or_elsewhere_have_lines_of_their_own() -> None:
    assert refs(
        a_task(42, 0, reason=FULL),
        a_task(43, 1, reason=NO_CARD),
        a_task(44, 2, reason=FULL, priority=5),
        a_task(45, 3, reason=FULL, queue="night"),
        a_task(46, 4, reason=FULL),
    ) == ["42[0,4]", "42[1]", "42[2]", "42[3]"]


def test_jobs_that_are_no_tasks_are_left_as_they_are() -> None:
    ranks = [a_job(7 + i, array=7, array_index=i, ref=f"7[{i}]") for i in range(2)]

    assert refs(*ranks, a_job(9), a_job(10)) == ["7[0]", "7[1]", "9", "10"]
