import shutil
from pathlib import Path

import pytest
from msgspec.structs import replace

from eaas_agent.place import CopiedState, Place, place_of, refuse_a_copy

BOOT = "this-boot"


@pytest.fixture
def state(tmp_path: Path) -> Path:
    state = tmp_path / "state"
    state.mkdir()
    return state


def seen(state: Path) -> Place:
    return place_of(state, BOOT)


@pytest.mark.parametrize("has_live", [False, True])
def test_the_same_folder_is_itself_under_any_name_and_a_first_one_is_too(
    state: Path, tmp_path: Path, has_live: bool
) -> None:
    before = seen(state)
    refuse_a_copy(None, before, has_live=has_live)
    refuse_a_copy(before.text, seen(state), has_live=has_live)

    state.rename(tmp_path / "renamed")

    refuse_a_copy(before.text, seen(tmp_path / "renamed"), has_live=has_live)


@pytest.mark.parametrize("has_live", [False, True])
def test_a_copy_beside_its_original_is_refused_with_both_named(
    state: Path, tmp_path: Path, has_live: bool
) -> None:
    before, copy = seen(state), tmp_path / "copy"
    shutil.copytree(state, copy)

    with pytest.raises(CopiedState) as refusal:
        refuse_a_copy(before.text, seen(copy), has_live=has_live)

    assert str(refusal.value).startswith(f"{copy} is a copy of {state}, ")
    assert f"rm -r {copy}" in str(refusal.value)


def test_a_folder_that_was_moved_elsewhere_is_refused_only_while_something_of_it_may_run(
    state: Path, tmp_path: Path
) -> None:
    before, moved = seen(state), tmp_path / "moved"
    shutil.copytree(state, moved)
    shutil.rmtree(state)

    refuse_a_copy(before.text, seen(moved), has_live=False)
    with pytest.raises(CopiedState, match="while jobs of it ran"):
        refuse_a_copy(before.text, seen(moved), has_live=True)


def test_after_a_reboot_the_numbers_of_folders_prove_nothing(state: Path, tmp_path: Path) -> None:
    before, copy = seen(state), tmp_path / "copy"
    shutil.copytree(state, copy)

    refuse_a_copy(before.text, replace(seen(copy), boot_id="next-boot"), has_live=True)
