import hashlib
import io
import os
import shutil
import stat
import tarfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eaas.errors import TooLarge
from eaas.packs import CannotPack, Entry, add_to, list_folder, packed, points_inside


def write(folder: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder


def files_of(folder: Path) -> list[str]:
    return [entry.name for entry in list_folder(folder).entries if not entry.is_folder]


def test_a_pack_is_a_plain_tar_named_by_its_hash(tmp_path: Path) -> None:
    write(tmp_path, {"train.py": "print(1)", "lib/model.py": ""})
    with packed(tmp_path) as pack:
        content = pack.path.read_bytes()
        with tarfile.open(pack.path, "r:") as tar:
            names = tar.getnames()

    assert names == ["lib", "lib/model.py", "train.py"]
    assert pack.hash == f"sha256:{hashlib.sha256(content).hexdigest()}"
    assert (pack.size_bytes, pack.files) == (len(content), 2)
    assert not pack.path.exists()


def test_the_same_content_gives_the_same_hash_wherever_and_whenever_it_was_written(
    tmp_path: Path,
) -> None:
    first = write(tmp_path / "a", {"z.py": "z", "lib/b.py": "b", "lib/a.py": "a"})
    second = write(tmp_path / "b", {"lib/a.py": "a", "lib/b.py": "b", "z.py": "z"})
    os.utime(second / "z.py", (1, 1))
    (second / "lib").chmod(0o700)
    (second / "z.py").chmod(0o600)

    with packed(first) as one, packed(second) as other:
        assert one.hash == other.hash


@pytest.mark.parametrize("change", ["content", "name", "executable"])
def test_another_content_name_or_executable_bit_gives_another_hash(
    tmp_path: Path, change: str
) -> None:
    write(tmp_path, {"run.sh": "echo"})
    with packed(tmp_path) as before:
        pass
    if change == "content":
        (tmp_path / "run.sh").write_text("echo 2")
    elif change == "name":
        (tmp_path / "run.sh").rename(tmp_path / "go.sh")
    else:
        (tmp_path / "run.sh").chmod(0o755)

    with packed(tmp_path) as after:
        assert after.hash != before.hash


def test_an_executable_stays_one_and_nothing_of_its_owner_travels(tmp_path: Path) -> None:
    write(tmp_path, {"run.sh": "echo"})
    (tmp_path / "run.sh").chmod(0o4711)
    with packed(tmp_path) as pack, tarfile.open(pack.path) as tar:
        entry = tar.getmember("run.sh")

    assert stat.S_IMODE(entry.mode) == 0o755
    assert (entry.uid, entry.gid, entry.uname, entry.gname) == (0, 0, "", "")


def test_ignore_rules_of_every_folder_count_and_git_itself_never_comes(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            ".gitignore": "*.ckpt\n/out/\n__pycache__/\n",
            ".git/config": "secret",
            "a.ckpt": "",
            "out/log": "",
            "sub/out/log": "kept: the rule is anchored",
            "sub/__pycache__/x.pyc": "",
            "sub/.gitignore": "!keep.ckpt\nlocal.txt\n",
            "sub/keep.ckpt": "",
            "sub/other.ckpt": "",
            "sub/local.txt": "",
            "local.txt": "kept: the rule is the sub folder's",
        },
    )

    assert files_of(tmp_path) == [
        ".gitignore",
        "local.txt",
        "sub/.gitignore",
        "sub/keep.ckpt",
        "sub/out/log",
    ]


def test_eaasignore_has_the_last_word_in_its_folder(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            ".gitignore": "weights/\n",
            ".eaasignore": "!weights/\nnotebooks/\n",
            "weights/w.bin": "",
            "notebooks/n.ipynb": "",
        },
    )

    assert files_of(tmp_path) == [".eaasignore", ".gitignore", "weights/w.bin"]


def test_a_file_in_an_ignored_folder_stays_out_whatever_its_own_rules_say(tmp_path: Path) -> None:
    write(tmp_path, {".gitignore": "build/\n", "build/.gitignore": "!x\n", "build/x": ""})

    assert files_of(tmp_path) == [".gitignore"]


def test_links_are_kept_only_when_they_stay_inside(tmp_path: Path) -> None:
    folder = write(tmp_path / "in", {"data/x": "1", "deep/down/y": "2"})
    write(tmp_path, {"secret": "s"})
    (folder / "inside").symlink_to("data/x")
    (folder / "deep" / "up").symlink_to("../data")
    (folder / "later").symlink_to("not-there-yet")
    (folder / "out").symlink_to("../secret")
    (folder / "absolute").symlink_to("/etc/passwd")
    (folder / "home").symlink_to("deep/down/../../..")
    (folder / "sideways").symlink_to("deep/up/../../secret")
    os.mkfifo(folder / "pipe")
    listing = list_folder(folder)

    assert {entry.name: entry.link for entry in listing.entries if entry.link} == {
        "deep/up": "../data",
        "inside": "data/x",
        "later": "not-there-yet",
    }
    assert listing.left_out == ("absolute", "home", "out", "pipe", "sideways")


def test_a_link_whose_words_stay_inside_but_which_leads_out_is_outside(tmp_path: Path) -> None:
    (tmp_path / "a" / "b").mkdir(parents=True)
    (tmp_path / "a" / "b" / "top").symlink_to("../..")

    assert points_inside(str(tmp_path), str(tmp_path / "a/b/top"), "../..")
    assert not points_inside(str(tmp_path), str(tmp_path / "x"), "a/b/top/../y")


def test_a_folder_over_the_limit_is_refused_with_its_largest_parts(tmp_path: Path) -> None:
    write(
        tmp_path, {"data/a": "x" * 3_000_000, "data/b": "x" * 3_000_000, "m.bin": "x" * 2_000_000}
    )

    with pytest.raises(TooLarge) as refusal, packed(tmp_path, max_bytes=4 << 20):
        pass
    assert refusal.value.sentence == (
        f"{tmp_path} holds 8MiB and a pack may hold 4MiB; the largest: data/ (6MiB), m.bin (2MiB). "
        "Leave files out with a .eaasignore, or put data into a mount"
    )


def test_what_is_no_folder_is_refused_by_name(tmp_path: Path) -> None:
    write(tmp_path, {"file": ""})

    for path in (tmp_path / "file", tmp_path / "nowhere"):
        with pytest.raises(CannotPack, match=f"there is no folder {path}"), packed(path):
            pass


def test_a_file_that_is_shorter_than_it_said_is_named() -> None:
    shorter = Path("/sys/kernel/mm/transparent_hugepage/enabled")
    if not shorter.exists():
        pytest.skip("this kernel has no /sys file whose size is not its content")

    with (
        tarfile.open(fileobj=io.BytesIO(), mode="w|") as tar,
        pytest.raises(CannotPack, match="can't pack log: it changed while it was packed"),
    ):
        add_to(tar, Entry("log", shorter, 0))


@given(
    st.dictionaries(
        st.lists(st.sampled_from("abcé€ "), min_size=1, max_size=3).map("/".join),
        st.binary(max_size=20),
        max_size=6,
    )
)
def test_what_is_packed_is_what_stands_in_the_folder(
    tmp_path_factory: pytest.TempPathFactory, tree: dict[str, bytes]
) -> None:
    folder = tmp_path_factory.mktemp("tree")
    wanted = {
        name: content
        for name, content in tree.items()
        if not any(other.startswith(f"{name}/") for other in tree)
    }
    for name, content in wanted.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)
    with packed(folder) as pack, tarfile.open(pack.path) as tar:
        found = {
            member.name: extracted.read()
            for member in tar
            if (extracted := tar.extractfile(member)) is not None
        }
    shutil.rmtree(folder)

    assert found == wanted


def test_a_link_that_vanishes_while_it_is_looked_at_is_named(tmp_path: Path) -> None:
    own_files = Path("/proc/self/fd")  # the listing itself is one of them, and gone at once

    with pytest.raises(CannotPack, match=r"can't pack /proc/\d+/fd/\d+: no such file"):
        list_folder(own_files)
