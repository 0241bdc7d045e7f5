from pathlib import Path

import pytest

from eaas.errors import Invalid
from eaas_daemon.config import ControllerConfig, read_config


def a_file(tmp_path: Path, text: str | bytes) -> Path:
    path = tmp_path / "controller.yaml"
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def test_without_a_file_everything_has_its_default() -> None:
    assert read_config(None, {}) == ControllerConfig()


@pytest.mark.parametrize("text", ["", "# nothing\n", "{}"])
def test_an_empty_file_is_fine(tmp_path: Path, text: str) -> None:
    assert read_config(a_file(tmp_path, text), {}) == ControllerConfig()


def test_the_command_line_has_the_last_word_where_it_says_something(tmp_path: Path) -> None:
    path = a_file(tmp_path, "port: 7000\nlog_level: debug\n")

    config = read_config(path, {"port": 0, "log_level": None, "listen": "127.0.0.2"})

    assert config == ControllerConfig(port=0, log_level="debug", listen="127.0.0.2")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("prot: 7470", "did you mean port"),
        ("zzz: 1", "there are: listen, port"),
        ("1: 2", "unknown setting 1"),
        ("port: many", "controller.yaml: Expected `int | null`"),
        ("port: 70000", "<= 65535"),
        ("port: -1", ">= 0"),
        ("log_level: loud", "Invalid enum value 'loud'"),
        ("journal_days: 0", ">= 1"),
        ("log_budget_mib: 0", ">= 1"),
        ("- a\n- b", "must hold keys and values, not list"),
        ("a: [", "controller.yaml"),
        (b"listen: \xff", "controller.yaml"),
    ],
)
def test_a_wrong_file_is_refused_with_its_mistake(
    tmp_path: Path, text: str | bytes, words: str
) -> None:
    with pytest.raises(Invalid) as refused:
        read_config(a_file(tmp_path, text), {})

    assert words in str(refused.value)


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(Invalid, match=r"nowhere\.yaml can't be read: No such file"):
        read_config(tmp_path / "nowhere.yaml", {})
