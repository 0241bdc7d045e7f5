from pathlib import Path

import pytest

from eaas.field_checks import Wrong
from eaas_agent.settings import KEYS, NamedFolders
from tests.eaas.settings.keys import refusal_of

FOLDERS = {"data": "/srv/data:ro", "scratch": "/srv/scratch"}


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("runtim: docker", "did you mean runtime?"),
        ("runtime: podman", "must be docker or process or auto"),
        ("cpus: none", "must be a number"),
        ("cpus: 0", "must be a number"),
        ("name: Node A", "must be lower case"),
        ("mounts: [/data]", "must be `name: /path`"),
        ("mounts: {data: ../x}", "mounts.data: must be a path from the root on"),
        ("mounts: {data: '/a/../etc'}", "must be a path from the root on"),
        ("mounts: {data: '/a:x'}", "must end with :ro or :rw"),
        ("mounts: {A b: /a}", "can't be a mount's name"),
        ("labels: {a b: c}", "a label's name"),
        ("log_cap: 2 parsecs", "log_cap: "),
        ("keep: long", "keep: "),
        ("state_dir: here", "must be a path from the root on"),
    ],
)
def test_a_mistake_is_named(tmp_path: Path, line: str, says: str) -> None:
    assert says in refusal_of(KEYS, tmp_path, line)


def test_folders_are_written_back_as_they_were_typed() -> None:
    assert NamedFolders().typed(NamedFolders().read(FOLDERS)) == FOLDERS


def test_every_wrong_folder_is_told_at_once() -> None:
    with pytest.raises(Wrong) as caught:
        NamedFolders().read({"a": "x", "B": "/y", "c": "/z"})

    assert [mistake.path for mistake in caught.value.mistakes] == [("a",), ("B",)]
