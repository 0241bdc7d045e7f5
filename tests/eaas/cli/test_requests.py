from pathlib import Path

import pytest

from eaas.cli.requests import requests_from
from eaas.errors import Invalid


def test_flags_alone_are_one_request() -> None:
    assert [one.fields for one in requests_from(None, {"command": "true"})] == [{"command": "true"}]


def test_a_folder_in_a_flag_is_relative_to_the_person_one_in_a_file_to_the_file(
    tmp_path: Path,
) -> None:
    file = tmp_path / "job.yaml"
    file.write_text("command: a\nwith: code\n")

    assert requests_from(str(file), {})[0].folder == tmp_path / "code"
    assert requests_from(str(file), {"with": "here"})[0].folder == Path("here")
    assert "with" not in requests_from(str(file), {})[0].fields


def test_a_hash_is_no_folder(tmp_path: Path) -> None:
    hash = "sha256:" + "0" * 64
    request = requests_from(None, {"command": "a", "with": hash})[0]

    assert (request.folder, request.fields["with"]) == (None, hash)


def test_a_queue_flag_with_a_pool_wins_over_the_files_pool(tmp_path: Path) -> None:
    file = tmp_path / "job.yaml"
    file.write_text("command: a\npool: old\n")

    fields = requests_from(str(file), {"queue": "new/fast"})[0].fields
    assert (fields["pool"], fields["queue"]) == ("new", "fast")


def test_the_key_of_a_batch_comes_from_all_of_its_documents(tmp_path: Path) -> None:
    file = tmp_path / "jobs.yaml"
    file.write_text("command: a\nkey: k1\n---\ncommand: b\nkey: k2\n")
    keys = {one.key for one in requests_from(str(file), {})}
    file.write_text("command: a\nkey: k1\n---\ncommand: b\n")

    assert len(keys) == 1
    assert str(keys.pop()).startswith("batch-")
    assert {one.key for one in requests_from(str(file), {})} == {None}
    assert {one.key for one in requests_from(str(file), {}, key="mine")} == {"mine"}


def test_a_flag_is_checked_as_the_same_key_in_a_file_is() -> None:
    with pytest.raises(Invalid, match="20 has no unit: write 20GiB"):
        requests_from(None, {"command": "a", "memory": "20"})


def test_an_empty_flag_takes_the_files_word_back(tmp_path: Path) -> None:
    file = tmp_path / "job.yaml"
    file.write_text("image: busybox\ncommand: 'true'\n")

    assert requests_from(str(file), {"image": ""})[0].fields == {"command": "true"}


def test_an_empty_flag_with_nothing_to_take_back_is_still_a_mistake() -> None:
    with pytest.raises(Invalid, match="image"):
        requests_from(None, {"command": "true", "image": ""})
