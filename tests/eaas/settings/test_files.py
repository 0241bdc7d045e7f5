import os
from pathlib import Path

import platformdirs
import pytest

from eaas.errors import Invalid
from eaas.settings.files import NotTrusted, candidates, read_settings, settings_file

PERSONS = Path(platformdirs.user_config_path("mini-eaas")) / "agent.yaml"


def a_file(tmp_path: Path, text: str | bytes) -> Path:
    path = tmp_path / "agent.yaml"
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def test_a_home_of_its_own_is_the_only_place(tmp_path: Path) -> None:
    environ = {"MINI_EAAS_HOME": str(tmp_path)}

    assert candidates("agent", environ) == [tmp_path / "agent.yaml"]
    assert settings_file("agent", environ) is None
    file = a_file(tmp_path, "")
    assert settings_file("agent", environ) == file


def test_a_persons_own_file_comes_before_the_machines_and_root_has_only_that(
    tmp_path: Path,
) -> None:
    system = tmp_path / "agent.yaml"

    assert candidates("agent", {}, is_root=False, system=tmp_path) == [PERSONS, system]
    assert candidates("agent", {}, is_root=True, system=tmp_path) == [system]


@pytest.mark.parametrize("text", ["", "# nothing\n", "---\n# nothing\n", "{}", "\ufeff{}"])
def test_an_empty_file_says_nothing(tmp_path: Path, text: str) -> None:
    assert read_settings(a_file(tmp_path, text)).value == {}


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("- a\n", ":1:1: write `key: value` lines"),
        ("a: 1\nb: [\n", ":3:1: "),
        ("a: 1\n---\nb: 2\n", ":3:1: a settings file is one document"),
        (b"a: 1\nname: \xff\n", ":2: this is not UTF-8"),
        ("#" * 65537, " is larger than 64 KiB"),
    ],
)
def test_a_file_that_is_no_settings_file_is_refused_at_its_place(
    tmp_path: Path, text: str | bytes, says: str
) -> None:
    path = a_file(tmp_path, text)

    with pytest.raises(Invalid) as refused:
        read_settings(path)
    assert str(refused.value).startswith(f"{path}{says}")


def test_what_can_not_be_read_is_named_with_the_reason(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo")

    for name, why in (("none", "No such file"), (".", "Is a directory"), ("fifo", "no plain file")):
        with pytest.raises(Invalid, match=f"can't be read: .*{why}"):
            read_settings(tmp_path / name)


@pytest.mark.parametrize("mode", [0o666, 0o664])
def test_a_file_that_others_can_write_is_not_trusted(tmp_path: Path, mode: int) -> None:
    path = a_file(tmp_path, "name: a\n")
    path.chmod(mode)

    with pytest.raises(NotTrusted, match="chmod go-w"):
        read_settings(path)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
def test_a_file_of_somebody_else_is_not_trusted(tmp_path: Path) -> None:
    path = a_file(tmp_path, "name: a\n")
    os.chown(path, 12345, 12345)

    with pytest.raises(NotTrusted, match="chown root"):
        read_settings(path)
