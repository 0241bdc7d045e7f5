import pytest

from eaas.errors import Invalid
from eaas.folder_file import FolderFile, Order, cancel_order, names_no_job, read_folder_file

LAB = {"pool": "lab", "queue": "night"}


def read(text: str, defaults: dict[str, str] | None = None) -> FolderFile:
    return read_folder_file(text, name="a.yaml", defaults=defaults)


def mistakes_in(text: str) -> list[tuple[int | None, str]]:
    with pytest.raises(Invalid) as refused:
        read(text)
    return [(error.line, error.message) for error in refused.value.errors]


def test_a_file_holds_jobs_with_their_own_keys() -> None:
    first, second = read("command: a\nlog: true\n---\ncommand: b\nkey: k\n").jobs

    assert (first.spec.command, first.log, first.key) == ("a", True, None)
    assert (second.spec.command, second.log, second.key) == ("b", None, "k")


def test_the_folders_pool_and_queue_are_for_jobs_that_name_none() -> None:
    pools = [
        (job.spec.pool, job.spec.queue)
        for text in ("command: a\n", "command: a\nqueue: day\n", "command: a\npool: other\n")
        for job in read(text, LAB).jobs
    ]

    assert pools == [("lab", "night"), ("lab", "day"), ("other", "default")]


def test_a_file_may_order_instead() -> None:
    assert read("cancel: 42\n") == FolderFile(orders=(Order(job=42),))
    assert read("cancel: [42, 43]\npriority: {44: -10, '45': 3}\n") == FolderFile(
        orders=(
            Order(job=42),
            Order(job=43),
            Order(job=44, priority=-10),
            Order(job=45, priority=3),
        )
    )


def test_a_priority_that_is_a_number_is_a_jobs_own() -> None:
    (job,) = read("command: a\npriority: 5\n").jobs

    assert job.spec.priority == 5


@pytest.mark.parametrize(
    ("text", "place", "words"),
    [
        ("cancel: all\n", 1, "a job's number"),
        ("cancel: true\n", 1, "a job's number"),
        ("priority: {42: 1000}\n", 1, "100"),
        ("cancel: 42\nimage: a\n", 2, "can't stand beside"),
        ("command: a\n---\ncancel: 42\n", 3, "make two of it"),
        ("command: a\nwith: .\n", 2, "takes no folders along"),
        ("cancel: 42\n---\ncommand: a\n", 3, "make two of it"),
    ],
)
def test_every_mistake_has_its_line(text: str, place: int, words: str) -> None:
    ((line, message),) = mistakes_in(text)

    assert line == place
    assert words in message


def test_the_mistakes_of_all_documents_come_together_each_in_its_place() -> None:
    text = "command: a\nwith: .\ngpus: x\n---\ncancel: all\n---\ncommand: b\n  \nwith:\n"
    with pytest.raises(Invalid) as refused:
        read(text)

    assert [(e.field, e.line, e.column) for e in refused.value.errors] == [
        ("with", 2, 1),
        ("gpus", 3, 7),
        ("", 5, 1),
        ("cancel", 5, 9),
        ("with", 9, 1),
    ]


def test_each_job_comes_with_the_places_of_its_keys() -> None:
    assert read("command: a\n---\n{image: b, gpus: 1}\n").places == (
        {"command": (1, 1)},
        {"image": (3, 2), "gpus": (3, 12)},
    )


def test_a_name_can_be_an_order() -> None:
    assert cancel_order("42.cancel") == Order(job=42)
    assert cancel_order("x42.cancel") is None
    assert cancel_order("042.cancel") is None


@pytest.mark.parametrize("name", ["120-good.yaml.cancel", "m4.cancel", "042.cancel", "42.CANCEL"])
def test_a_cancel_file_that_names_no_job_is_told_how_to(name: str) -> None:
    assert "name it JOB.cancel, like 42.cancel" in str(names_no_job(name))


@pytest.mark.parametrize("name", ["42.cancel", "cancel", "a.yaml"])
def test_other_names_are_no_matter_of_that(name: str) -> None:
    assert names_no_job(name) is None
