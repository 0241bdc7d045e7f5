"""The attempt's folder: claims, exit files, tombstones."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from eaas.ids import JobNumber
from eaas_agent.runtimes.process_folder import (
    AttemptFolder,
    Claim,
    claim_text,
    handle_text,
    read_handle,
)

CLAIM = Claim(
    pid=77,
    started_at=1700000000.1234567,
    boot_id="b-o-o-t",
    number=JobNumber(42),
    epoch=7,
    log_cap_mib=2048,
    agent_id="agent-1",
)


@pytest.fixture
def folder(tmp_path: Path) -> AttemptFolder:
    folder = AttemptFolder(f"{tmp_path}/attempts/uid-1")
    folder.create()
    return folder


def write(folder: AttemptFolder, name: str, text: str) -> None:
    (Path(folder.path) / name).write_text(text)


def test_a_folder_is_made_once_with_those_above_it(tmp_path: Path) -> None:
    folder = AttemptFolder(f"{tmp_path}/a/b/c")

    assert (folder.create(), folder.create()) == (True, False)


def test_a_claim_comes_back_as_it_was_written(folder: AttemptFolder) -> None:
    text = claim_text(
        number=42,
        epoch=7,
        started_at=CLAIM.started_at,
        boot_id="b-o-o-t",
        log_cap_mib=2048,
        agent_id="agent-1",
        inode=folder.inode(),
    )
    write(folder, "claim", f"77 {text}\n")

    assert folder.claim() == replace(CLAIM, inode=folder.inode())


def test_a_claim_of_an_older_version_has_no_inode(folder: AttemptFolder) -> None:
    write(folder, "claim", f"77 42 7 {CLAIM.started_at!r} b-o-o-t 2048 agent-1\n")

    assert folder.claim() == CLAIM


@pytest.mark.parametrize("text", ["", "77 42 7", "77 42 7 1.0 boot 1 agent", "a b c d e f g\n"])
def test_a_claim_that_is_not_whole_is_none(folder: AttemptFolder, text: str) -> None:
    write(folder, "claim", text)

    assert folder.claim() is None
    assert folder.is_claimed()


def test_a_handle_comes_back_as_it_was_written() -> None:
    handle = handle_text(77, CLAIM.started_at, "b-o-o-t")

    assert read_handle(handle) == (77, CLAIM.started_at, "b-o-o-t")
    assert CLAIM.handle == handle
    assert [read_handle(text) for text in ("", "a:b:c", "1:2")] == [None, None, None]


def test_a_claim_is_buried_once_and_only_in_a_folder(folder: AttemptFolder) -> None:
    assert (folder.bury(), folder.bury()) == (True, False)
    assert AttemptFolder(f"{folder.path}/none").bury() is False


@pytest.mark.parametrize(
    ("text", "code"), [("0\n", 0), ("137\n", 137), ("", None), ("13", None), ("x\n", None)]
)
def test_an_exit_counts_only_with_its_newline(
    folder: AttemptFolder, text: str, code: int | None
) -> None:
    write(folder, "exit", text)

    written = folder.exit()

    assert (written and written[0]) == code


def test_a_link_is_no_exit_file(folder: AttemptFolder, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").write_text("0\n")
    (Path(folder.path) / "exit").symlink_to(tmp_path / "elsewhere")

    assert folder.exit() is None


def test_a_kill_is_remembered(folder: AttemptFolder) -> None:
    assert not folder.was_killed()

    folder.mark_killed()

    assert folder.was_killed()


@pytest.mark.parametrize("names", [(), ("stdout", "exit"), ("claim", "killed", "enter")])
def test_delete_takes_everything_and_may_be_repeated(
    folder: AttemptFolder, names: tuple[str, ...]
) -> None:
    for name in names:
        write(folder, name, "x")

    folder.delete()
    folder.delete()

    assert not folder.exists()
