from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eaas.field_checks import Wrong
from eaas_agent.named_folders import Mount, NamedFolders

FOLDERS = {
    "data": "/srv/data:ro",
    "scratch": "/srv/scratch",
    "nas": {"path": "/mnt/nas", "read_only": True, "must_be_mounted": True},
    "home": {"path": "/srv/homes", "per_user": True, "create": True},
    "lab": {"path": "/srv/lab", "users": ["ada", "bob"], "queues": ["train", "gpu/night"]},
}


def test_folders_are_read_and_written_back_as_they_were_typed() -> None:
    read = NamedFolders().read(FOLDERS)

    assert NamedFolders().typed(read) == FOLDERS
    assert read[0] == Mount(name="data", path=Path("/srv/data"), read_only=True)
    assert read[3] == Mount(name="home", path=Path("/srv/homes"), per_user=True, create=True)
    assert (read[4].users, read[4].queues) == (("ada", "bob"), ("train", "gpu/night"))


def test_a_lone_user_and_keys_that_say_no_more_than_the_short_way_are_understood() -> None:
    read = NamedFolders().read({"a": {"path": "/a", "users": "ada"}, "b": {"path": "/b"}})

    assert read[0].users == ("ada",)
    assert NamedFolders().typed(read) == {"a": {"path": "/a", "users": ["ada"]}, "b": "/b"}


def test_every_wrong_folder_is_told_at_once() -> None:
    with pytest.raises(Wrong) as caught:
        NamedFolders().read({"a": "x", "B": "/y", "c": "/z", "d": {"pth": "/d", "read_only": 7}})

    told = {mistake.path: mistake.message for mistake in caught.value.mistakes}
    assert set(told) == {("a",), ("B",), ("d", "pth"), ("d", "read_only"), ("d",)}
    assert [mistake.suggestion for mistake in caught.value.mistakes if mistake.suggestion] == [
        "path"
    ]


@pytest.mark.parametrize(
    ("entry", "says"),
    [
        ("/", "is the whole machine: name a folder"),
        ("/a:x", "must end with :ro or :rw, not ':x'"),
        ({"path": "/a:ro"}, "must not have a colon, and read_only has a key: '/a:ro'"),
        ({"path": "/a/../b"}, "must be a path from the root on, like /srv/jobs, not '/a/../b'"),
        ({"path": "/a", "users": []}, "names nobody: leave it out to allow all"),
        ({"path": "/a", "users": ["a b"]}, "must be a user's name, not 'a b'"),
        ({"path": "/a", "queues": ["a/b/c"]}, "must be a queue, as train or pool/train, not "),
        ({"path": "/a", "create": True}, "only a per_user mount makes folders"),
        (
            {"path": "/a", "per_user": True, "create": True, "read_only": True},
            "nobody could fill a folder that is read-only",
        ),
    ],
)
def test_a_mistake_says_what_to_write(entry: object, says: str) -> None:
    with pytest.raises(Wrong) as caught:
        NamedFolders().read({"a": entry})

    (mistake,) = caught.value.mistakes
    assert mistake.message.startswith(says)


NAMES = st.sampled_from(["a", "b", "data", "x-1"])
ENTRIES = st.fixed_dictionaries(
    {"path": NAMES.map(lambda name: f"/srv/{name}")},
    optional={
        "users": st.lists(NAMES, min_size=1, max_size=3, unique=True),
        "queues": st.lists(NAMES, min_size=1, max_size=3, unique=True),
        "must_be_mounted": st.booleans(),
        "per_user": st.booleans(),
        "read_only": st.booleans(),
    },
)


@given(st.dictionaries(NAMES, ENTRIES, max_size=3))
def test_what_was_read_reads_the_same_after_it_was_written(entries: dict[str, Any]) -> None:
    read = NamedFolders().read(entries)

    assert NamedFolders().read(NamedFolders().typed(read)) == read
