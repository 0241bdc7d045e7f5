import json
from pathlib import Path

import msgspec
import pytest

from eaas.errors import Forbidden
from eaas.views import FolderView
from tests.eaas.cli.conftest import Type
from tests.eaas.cli.test_jobs_submit import a_dry_run
from tests.eaas.cli.test_system import STATUS
from tests.rig.stand_in import AT, StandIn, a_job

DRY_RUN = "POST /api/v1/jobs:dry-run"
FOLDER = FolderView(
    path="/srv/jobs",
    pool="lab",
    queue=None,
    user=None,
    log=False,
    state="disabled",
    reason="/srv/jobs is not there (not mounted?)",
    accepted=12,
    refused=3,
    looked_at=AT,
    left=4,
    open_to="root, group gpu",
)


@pytest.fixture
def two_jobs(tmp_path: Path) -> str:
    path = tmp_path / "a.yaml"
    path.write_text("command: a\n---\ncommand: b\n")
    return str(path)


def test_folders_are_listed_with_what_is_wrong(typing: Type, controller: StandIn) -> None:
    controller.answers["GET /api/v1/folders"] = {"items": [FOLDER], "next": None}

    listed = typing("folder", "list").out
    (item,) = json.loads(typing("folder", "list", "-o", "json").out)["items"]

    for words in ("/srv/jobs", "disabled", "12", "3", "lab", "the file's owner's", "not mounted?"):
        assert words in listed
    assert item["reason"] == FOLDER.reason


@pytest.mark.parametrize(("would", "code"), [("start", 0), ("wait", 0), ("never", 1)])
def test_a_controller_that_answers_says_what_would_become_of_the_jobs(
    typing: Type, controller: StandIn, two_jobs: str, would: str, code: int
) -> None:
    with_folders(controller)
    controller.answers[DRY_RUN] = a_dry_run(would=would, text="because")

    said = typing("folder", "check", two_jobs)

    text = "would be refused: because" if would == "never" else "because"
    lines = [f"{two_jobs}: 2 jobs", f"  job 1: {text}", f"  job 2: {text}"]
    if would == "start":
        lines.append("  each as if it came alone: together, some may have to wait for the others")
    assert (said.code, said.out.splitlines()) == (code, lines)
    asked = [(one.path, one.body["command"]) for one in controller.asked if one.body]
    assert asked == [("/api/v1/jobs:dry-run", "a"), ("/api/v1/jobs:dry-run", "b")]


def test_scripts_get_the_jobs_and_the_dry_runs(
    typing: Type, controller: StandIn, two_jobs: str
) -> None:
    with_folders(controller)

    (item,) = json.loads(typing("folder", "check", two_jobs, "-o", "json").out)["items"]

    assert item["file"] == two_jobs
    assert [job["command"] for job in item["jobs"]] == ["a", "b"]
    assert [dry["would"] for dry in item["dry_runs"]] == ["wait", "wait"]
    assert item["orders"] == []


def with_folders(controller: StandIn, *folders: FolderView) -> None:
    controller.answers["GET /api/v1/folders"] = {"items": folders, "next": None}
    controller.answers[DRY_RUN] = a_dry_run(would="wait", text="because")


def sent(controller: StandIn) -> list[dict[str, object]]:
    return [one.body for one in controller.asked if one.path.endswith("dry-run")]


def test_a_folder_lends_its_pool_and_queue_to_jobs_that_name_none(
    typing: Type, controller: StandIn, tmp_path: Path
) -> None:
    other = msgspec.structs.replace(FOLDER, path=str(tmp_path), pool="farm", queue="night")
    with_folders(controller, FOLDER, other)
    (tmp_path / "a.yaml").write_text("command: a\n---\ncommand: b\npool: lab\n")
    file = str(tmp_path / "a.yaml")

    typing("folder", "check", file)
    lying_there = sent(controller)
    said = typing("folder", "check", file, "--folder", "/srv/jobs", "-o", "json")

    assert [(job.get("pool"), job.get("queue")) for job in lying_there] == [
        ("farm", "night"),
        ("lab", None),
    ]
    assert [job.get("pool") for job in sent(controller)[2:]] == ["lab", "lab"]
    assert json.loads(said.out)["items"][0]["folder"] == "/srv/jobs"


def test_a_file_that_could_go_to_any_of_several_folders_is_told_which_there_are(
    typing: Type, controller: StandIn, two_jobs: str
) -> None:
    with_folders(controller, FOLDER, msgspec.structs.replace(FOLDER, path="/b", pool=None))

    said = typing("folder", "check", two_jobs)
    unknown = typing("folder", "check", two_jobs, "--folder", "/nowhere")

    assert "--folder takes those of: /srv/jobs, /b" in said.err
    assert (unknown.code, unknown.out) == (1, "")
    assert "/nowhere is not watched; there are: /srv/jobs, /b" in unknown.err


def test_a_controller_is_asked_about_orders_too(
    typing: Type, controller: StandIn, tmp_path: Path
) -> None:
    with_folders(controller, FOLDER)
    controller.answers["GET /api/v1/status"] = STATUS
    for number, state, user in ((4, "Running", "ada"), (5, "Failed", "ada"), (6, "Pending", "bob")):
        controller.jobs[number] = a_job(number, state=state, user=user)
    path = tmp_path / "orders.yaml"
    path.write_text("cancel: [4, 5, 999]\npriority: {6: 10}\n")

    said = typing("folder", "check", str(path))
    fine = typing("folder", "check", str(path), "-o", "json")

    assert said.code == 1
    assert said.out.splitlines()[1:] == [
        "  job 4: it is Running",
        "  job 5: nothing would be done: it has ended already, Failed",
        "  job 999: would be refused: there is no job 999",
        "  job 6: would be refused: it is bob's, and in this folder your files are ada's word",
    ]
    orders = json.loads(fine.out)["items"][0]["orders"]
    assert [order["would"] for order in orders] == ["do", "nothing", "refuse", "refuse"]


@pytest.mark.parametrize("answers", [True, False])
def test_without_a_controller_for_us_only_the_file_is_checked(
    typing: Type, controller: StandIn, two_jobs: str, home: Path, answers: bool
) -> None:
    with_folders(controller)
    controller.answers[DRY_RUN] = Forbidden("not for you")
    if not answers:
        (home / "controller.sock").rename(home / "gone.sock")

    said = typing("folder", "check", two_jobs, "-o", "json")

    assert (said.code, json.loads(said.out)["items"][0]["dry_runs"]) == (0, None)


def test_a_name_that_the_folder_would_not_take_is_told(typing: Type, tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("command: a\n")

    assert "end in .yaml or .yml" in typing("folder", "check", str(path)).err


def test_the_rules_of_a_watched_folder_are_in_the_help(typing: Type) -> None:
    said = " ".join(typing("folder", "--help").out.split())

    for words in ("accepted/", "refused/", ".status.yaml", "log: true", "42.cancel", "---"):
        assert words in said
