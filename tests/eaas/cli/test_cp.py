import io
import tarfile
from pathlib import Path

import pytest
from aiohttp import web

from eaas.errors import NotFound
from tests.eaas.cli.conftest import Type
from tests.rig.stand_in import StandIn, a_job

ROUTE = "GET /api/v1/jobs/1/files"


@pytest.fixture(autouse=True)
def a_known_job(controller: StandIn) -> None:
    """A job that is no array, so that its number alone names it."""
    controller.jobs[1] = a_job(1, "Running")


def serve(controller: StandIn, files: dict[str, bytes], *, cut_at: int | None = None) -> None:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as tar:
        for name, content in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            tar.addfile(info, io.BytesIO(content))

    async def send(_: web.Request) -> web.StreamResponse:
        return web.Response(body=buffer.getvalue()[:cut_at], content_type="application/x-tar")

    controller.answers[ROUTE] = send


def test_a_folder_lands_in_a_folder_that_exists_else_under_its_new_name(
    typing: Type, controller: StandIn, tmp_path: Path
) -> None:
    serve(controller, {"out/a": b"1", "out/b/c": b"2"})
    here = tmp_path / "here"
    here.mkdir()

    assert typing("job", "cp", "1:out", str(here)).code == 0
    assert typing("job", "cp", "1:out", str(tmp_path / "new")).code == 0
    assert (here / "out" / "b" / "c").read_bytes() == b"2"
    assert (tmp_path / "new" / "a").read_bytes() == b"1"
    assert controller.asked[1].query == {"path": "out"}


def test_a_file_lands_under_its_own_or_its_new_name(
    typing: Type, controller: StandIn, tmp_path: Path
) -> None:
    content = bytes(range(256)) * 5000
    serve(controller, {"best.pt": content})
    typing("job", "cp", "1:run/best.pt", str(tmp_path))
    typing("job", "cp", "1:run/best.pt", str(tmp_path / "mine.pt"))

    assert (tmp_path / "best.pt").read_bytes() == (tmp_path / "mine.pt").read_bytes() == content


def test_the_whole_workspace_comes_as_the_new_folder(
    typing: Type, controller: StandIn, tmp_path: Path
) -> None:
    serve(controller, {"a": b"1", "b/c": b"2"})
    typing("job", "cp", "1:", str(tmp_path / "ws"))

    assert (tmp_path / "ws" / "b" / "c").read_bytes() == b"2"
    assert controller.asked[1].query == {"path": "."}


def test_a_transfer_that_breaks_off_is_an_error(
    typing: Type, controller: StandIn, tmp_path: Path
) -> None:
    serve(controller, {"a": b"x" * 100_000}, cut_at=50_000)
    said = typing("job", "cp", "1:a", str(tmp_path))

    assert said.code == 1
    assert "the tar can't be read" in said.err


def test_a_refusal_is_the_controllers_and_leaves_nothing(
    typing: Type, controller: StandIn, tmp_path: Path
) -> None:
    controller.answers[ROUTE] = NotFound("there is no out in the workspace")
    said = typing("job", "cp", "1:out", str(tmp_path / "new"))

    assert said == type(said)(1, "", "there is no out in the workspace\n")
    assert not (tmp_path / "new").exists()


def test_a_place_that_can_not_be_written_is_named(
    typing: Type, controller: StandIn, tmp_path: Path
) -> None:
    serve(controller, {"a": b"1"})
    (tmp_path / "file").write_text("")
    said = typing("job", "cp", "1:a", str(tmp_path / "file" / "below" / "x"))

    assert said.code == 1
    assert "can't write" in said.err


@pytest.mark.parametrize("source", ["out", "x:out", ":out"])
def test_what_is_no_path_of_a_job_is_a_usage_error(typing: Type, source: str) -> None:
    said = typing("job", "cp", source, ".")

    assert said.code == 2
    assert "write ID:PATH, such as 42:out" in said.err
