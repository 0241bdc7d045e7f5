import os
import socket
from pathlib import Path

import pytest

from eaas.paths import (
    MAX_SOCKET_BYTES,
    SYSTEM_HOME,
    NoSuchPlace,
    client_socket,
    paths_from,
    whole_path,
)


def test_everything_of_an_installation_lies_under_its_home(tmp_path: Path) -> None:
    paths = paths_from({"MINI_EAAS_HOME": str(tmp_path)})
    inside = [
        paths.socket,
        paths.database,
        paths.trust,
        paths.inbox,
        paths.job_logs,
        paths.job_samples,
        paths.packs,
        paths.log_file("controller"),
        paths.pid_file("controller"),
        paths.lock_file("controller"),
        paths.agent_state("n1"),
    ]

    assert paths.home == tmp_path
    assert len(set(inside)) == len(inside)
    assert all(path.is_relative_to(tmp_path) for path in inside)
    assert list(tmp_path.iterdir()) == []


def test_roots_pool_is_the_machines_and_a_persons_pool_is_their_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))

    assert paths_from({}, is_root=True).home == SYSTEM_HOME
    assert paths_from({}, is_root=False).home == tmp_path / "mini-eaas"


def test_only_the_socket_moves_with_its_own_variable(tmp_path: Path) -> None:
    paths = paths_from({"MINI_EAAS_HOME": str(tmp_path), "MINI_EAAS_SOCKET": "/run/e.sock"})

    assert (paths.home, paths.socket) == (tmp_path, Path("/run/e.sock"))


def test_a_home_too_deep_for_a_socket_gets_a_short_one_that_both_ends_agree_on() -> None:
    deep = "/" + "/".join(["deep"] * 40)
    one, same, other = (paths_from({"MINI_EAAS_HOME": home}) for home in (deep, deep, deep + "x"))

    assert one.socket == same.socket != other.socket
    assert len(os.fsencode(one.socket)) <= MAX_SOCKET_BYTES
    assert str(one.home) == deep


def test_a_relative_home_is_meant_from_here(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)

    assert paths_from({"MINI_EAAS_HOME": "pool"}).home == tmp_path / "pool"


def test_someone_without_a_pool_of_their_own_finds_the_machines(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "mine"))
    own = tmp_path / "mine" / "mini-eaas" / "controller.sock"

    assert client_socket({}, system_home=tmp_path) == own
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(tmp_path / "controller.sock"))
        assert client_socket({}, system_home=tmp_path) == tmp_path / "controller.sock"
        home = {"MINI_EAAS_HOME": "/elsewhere"}
        assert client_socket(home, system_home=tmp_path) == Path("/elsewhere/controller.sock")


@pytest.mark.parametrize("text", ["~nosuchuser/x", "~nosuchuser"])
def test_a_home_that_there_is_not_is_refused_with_a_sentence(text: str) -> None:
    with pytest.raises(NoSuchPlace, match="no such user"):
        whole_path(text)


def test_a_path_is_refused_where_the_folder_was_deleted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()

    with pytest.raises(NoSuchPlace, match="was deleted"):
        whole_path("x")
