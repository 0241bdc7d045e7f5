"""A job as a row: every column has its cell, unknown is a dash."""

from typing import Any

import pytest

from eaas.units import utc_text
from eaas.views import HeldCardView, ReasonView
from eaas_tui.model.columns import Column, fit, text_of
from eaas_tui.model.job_table import COLUMNS, WIDE, job_row
from eaas_tui.model.order import ordered
from tests.rig import views
from tests.rig.stand_in import AT, a_job

NOW = 1_772_352_100.0
"""100 s after ``AT``."""


def cells(**changes: Any) -> dict[str, str]:
    row = job_row(a_job(**changes), NOW)
    return {column.key: text_of(cell) for column, cell in zip(WIDE, row.cells, strict=True)}


def test_a_waiting_job_says_why_and_has_dashes_for_what_is_not_yet() -> None:
    reason = ReasonView(code="queue_full", text="the queue is full")

    assert cells(id=7, position=2, reason=reason, spec={"gpus": 2, "image": "busybox"}) == {
        "id": "7",
        "name": "-",
        "user": "ada",
        "state": "○ Pending",
        "queue": "default",
        "gpus": "2",
        "node": "-",
        "time": "-",
        "priority": "0",
        "why": "#2 queue's cap: the queue is full",
        "attempt": "-",
        "age": "1m40s",
        "image": "busybox",
    }


def test_a_running_job_says_where_and_how_long() -> None:
    card = HeldCardView(uuid="GPU-1", index=3, memory_mib=None)

    shown = cells(state="Running", node="n1", cards=(card,), started_at=AT)

    assert (shown["node"], shown["time"], shown["gpus"]) == ("n1:3", "1m40s", "1")


def test_with_several_pools_the_queue_says_which() -> None:
    row = job_row(a_job(1), NOW, several_pools=True)

    assert row.cells[4] == "default/default"


def test_equal_jobs_make_equal_rows_so_that_nothing_is_painted_twice() -> None:
    assert job_row(a_job(1), NOW) == job_row(a_job(1), NOW)
    assert hash(job_row(a_job(1), NOW)) == hash(job_row(a_job(1), NOW))


def test_the_narrow_list_is_the_beginning_of_the_wide_one() -> None:
    assert list(WIDE[: len(COLUMNS)]) == list(COLUMNS)


@pytest.mark.parametrize(
    "column", [column for column in WIDE if column.sort], ids=lambda it: it.key
)
def test_a_column_says_whether_its_values_fall_in_its_order(column: Column) -> None:
    jobs = [
        views.a_job(
            n,
            ("Running", "Stopping")[n],
            name=f"n{n}",
            user=f"u{n}",
            queue=f"q{n}",
            node=f"n{n}",
            priority=n,
            attempt=n,
            started_at=utc_text(views.AT - 50 * n - 9),
            created_at=utc_text(views.AT - 100 * n),
            spec={"gpus": n + 1},
            reason=views.a_reason(text=f"r{n}"),
        )
        for n in (0, 1)
    ]

    listed = [job.id for job in ordered(jobs, column.sort or "", now=views.AT)]

    assert listed == ([1, 0] if column.descends else [0, 1])


@pytest.mark.parametrize("terminal", [110, 120, 200])
def test_a_place_in_line_is_seen_whole_where_it_is_seen(terminal: int) -> None:
    widths = {COLUMNS[index].key: width for index, width in fit(COLUMNS, terminal - 4)}

    assert widths["queue"] >= len("default/default")
