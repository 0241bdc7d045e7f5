"""Every screen as people see it: what the pictures in ``snapshots/`` show is what is drawn."""

from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from tests.rig.photos import FOLDER, PHOTOS, Photo, a_plain_terminal, taken

EVERY: Final = [(photo, size) for photo in PHOTOS for size in photo.sizes]
AGAIN: Final = "look at it anew: python -m tests.rig.photos"


@pytest.fixture(autouse=True)
def _plain_terminal() -> Iterator[None]:
    with a_plain_terminal():
        yield


@pytest.mark.parametrize(
    ("photo", "size"),
    EVERY,
    ids=[str(photo.path(size).relative_to(FOLDER).with_suffix("")) for photo, size in EVERY],
)
async def test_the_screen_looks_as_its_picture(
    photo: Photo, size: tuple[int, int], tmp_path: Path
) -> None:
    seen = await taken(photo, size)

    if not _is_as_in(photo.path(size), seen):
        now = tmp_path / "now.svg"
        now.write_text(seen, encoding="utf-8")
        pytest.fail(f"{photo.path(size)} is not what is drawn ({now}); {AGAIN}", pytrace=False)


def test_no_picture_is_left_of_a_screen_that_nobody_photographs() -> None:
    standing = {path for path in FOLDER.rglob("*") if path.is_file()}

    assert standing == {photo.path(size) for photo, size in EVERY}


def _is_as_in(path: Path, seen: str) -> bool:
    return path.exists() and path.read_text(encoding="utf-8") == seen
