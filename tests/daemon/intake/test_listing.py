import os
from pathlib import Path

import pytest

from eaas_daemon.intake.listing import LIST_EVERY_S, SETTLED_S, Listing
from eaas_daemon.intake.opening import opened
from tests.daemon.intake.folders import SERVICE_UID, a_folder


def seen(listing: Listing, path: Path, now: float) -> set[str]:
    with opened(path, SERVICE_UID) as folder:
        return {file.name for file in listing.look(folder, now)}


def slip_in(path: Path, name: str) -> None:
    """Make a file of which the folder's own times do not tell, as some file servers do."""
    before = path.stat().st_mtime_ns
    (path / name).touch()
    os.utime(path, ns=(before, before))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = a_folder(tmp_path)
    for name in ("a.yaml", "README", "b.yaml~", ".c.yaml.part", "7.cancel"):
        (path / name).touch()
    return path


def test_what_is_not_for_the_folder_is_counted(path: Path) -> None:
    listing = Listing()

    assert seen(listing, path, 0.0) == {"a.yaml", "7.cancel"}
    assert listing.strangers == 3


def test_among_few_strangers_every_look_sees_everything(path: Path) -> None:
    listing = Listing()
    for now in (0.0, SETTLED_S, SETTLED_S + 1):
        seen(listing, path, now)
    slip_in(path, "b.yaml")

    assert "b.yaml" in seen(listing, path, SETTLED_S + 2)


def test_among_many_strangers_a_folder_is_listed_when_it_changed_and_once_a_minute(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("eaas_daemon.intake.listing.MANY", 3)
    listing = Listing()
    seen(listing, path, 0.0)
    seen(listing, path, SETTLED_S)
    slip_in(path, "b.yaml")
    assert seen(listing, path, SETTLED_S + 1) == {"a.yaml", "7.cancel"}
    (path / "c.yaml").touch()

    assert seen(listing, path, SETTLED_S + 2) == {"a.yaml", "b.yaml", "c.yaml", "7.cancel"}

    seen(listing, path, 3 * SETTLED_S)
    slip_in(path, "d.yaml")
    (path / "a.yaml").write_text("more")
    assert "d.yaml" not in seen(listing, path, 3 * SETTLED_S + 1)
    assert "d.yaml" in seen(listing, path, 3 * SETTLED_S + LIST_EVERY_S)


def test_a_change_in_the_same_moment_as_a_listing_is_not_missed(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("eaas_daemon.intake.listing.MANY", 3)
    listing = Listing()
    seen(listing, path, 0.0)
    slip_in(path, "b.yaml")

    assert "b.yaml" in seen(listing, path, SETTLED_S - 1)


def test_another_folder_in_its_place_is_listed(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("eaas_daemon.intake.listing.MANY", 3)
    listing = Listing()
    for now in (0.0, SETTLED_S):
        seen(listing, path, now)
    times = path.stat().st_mtime_ns
    path.rename(path.with_name("away"))
    a_folder(path.parent)
    with opened(path, SERVICE_UID):
        os.utime(path, ns=(times, times))

    assert (seen(listing, path, SETTLED_S + 1), listing.strangers) == (set(), 0)
