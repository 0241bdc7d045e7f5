import json
from pathlib import Path

import pytest

from eaas.errors import Forbidden
from eaas.views import FolderView
from tests.eaas.cli.conftest import Type
from tests.eaas.cli.test_jobs_submit import a_dry_run
from tests.rig.stand_in import AT, StandIn

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
    controller.answers[DRY_RUN] = a_dry_run(would=would, text="because")

    said = typing("folder", "check", two_jobs)

    text = "would be refused: because" if would == "never" else "because"
    lines = [f"{two_jobs}: 2 jobs", f"  job 1: {text}", f"  job 2: {text}"]
    assert (said.code, said.out.splitlines()) == (code, lines)
    assert [(one.path, one.body["command"]) for one in controller.asked] == [
        ("/api/v1/jobs:dry-run", "a"),
        ("/api/v1/jobs:dry-run", "b"),
    ]


def test_scripts_get_the_jobs_and_the_dry_runs(
    typing: Type, controller: StandIn, two_jobs: str
) -> None:
    controller.answers[DRY_RUN] = a_dry_run(would="wait")

    (item,) = json.loads(typing("folder", "check", two_jobs, "-o", "json").out)["items"]

    assert item["file"] == two_jobs
    assert [job["command"] for job in item["jobs"]] == ["a", "b"]
    assert [dry["would"] for dry in item["dry_runs"]] == ["wait", "wait"]
    assert item["orders"] == []


@pytest.mark.parametrize("answers", [True, False])
def test_without_a_controller_for_us_only_the_file_is_checked(
    typing: Type, controller: StandIn, two_jobs: str, home: Path, answers: bool
) -> None:
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
