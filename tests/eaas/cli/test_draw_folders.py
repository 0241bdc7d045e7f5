import msgspec

from eaas.cli.checked import CheckedFile, CheckedOrder
from eaas.cli.draw_folders import check_lines, folder_reasons, folder_table
from eaas.why_views import FieldErrorView
from tests.eaas.cli.test_folders import FOLDER
from tests.eaas.cli.test_jobs_submit import a_dry_run

FILE = CheckedFile(file="a.yaml", jobs=[{"command": "a"}], orders=[], dry_runs=None)


def lines_of(**changes: object) -> list[str]:
    return list(check_lines([msgspec.structs.replace(FILE, **changes)]))


def test_a_folder_has_a_row_that_says_whose_its_jobs_are_and_where_they_go() -> None:
    fixed = msgspec.structs.replace(FOLDER, user="robot", pool=None, queue="night", looked_at=None)

    rows = folder_table([FOLDER, fixed]).rows

    assert [(row[0], *row[2:5]) for row in rows] == [
        ("/srv/jobs", "root, group gpu", "the file's owner's", "lab"),
        ("/srv/jobs", "root, group gpu", "robot", "night"),
    ]
    assert (rows[0][7], rows[1][8]) == ("4", None)


def test_what_is_wrong_with_a_folder_stands_below_the_list() -> None:
    fine = msgspec.structs.replace(FOLDER, path="/b", state="watching", reason=None)
    doubtful = msgspec.structs.replace(fine, path="/c", reason="no queue x")

    assert folder_reasons([FOLDER, fine, doubtful]).lines == [
        "/srv/jobs, disabled: /srv/jobs is not there (not mounted?)",
        "/c, watching: no queue x",
    ]


def test_without_a_controller_a_file_is_one_line() -> None:
    assert lines_of() == ["a.yaml: 1 job"]


def test_orders_are_told_each() -> None:
    orders = [CheckedOrder(job=job, priority=to) for job, to in ((4, None), (5, None), (6, 0))]

    assert lines_of(jobs=[], orders=orders) == [
        "a.yaml: cancel job 4, cancel job 5, job 6 to priority 0",
    ]


def test_what_would_be_refused_says_why() -> None:
    error = FieldErrorView(
        field="pool", message="there is no pool x", line=None, column=None, suggestion=None
    )

    never = lines_of(dry_runs=[a_dry_run(would="never", text="no card")])
    invalid = lines_of(dry_runs=[a_dry_run(valid=False, errors=(error,))])

    assert never[1:] == ["  would be refused: no card"]
    assert invalid[1:] == ["  would be refused: there is no pool x"]


def test_jobs_that_were_not_tried_are_counted() -> None:
    lines = lines_of(jobs=[{"command": "a"}] * 3, dry_runs=[a_dry_run(text="soon")])

    assert lines == ["a.yaml: 3 jobs", "  job 1: soon", "  the other 2 were not tried"]
