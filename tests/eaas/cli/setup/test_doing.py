import os
import stat
from pathlib import Path

import pytest

from eaas.cli.setup.doing import Means, StepFailed, do
from eaas.cli.setup.steps import Join, MakeFolder, PutFile, RemoveFile, Systemctl
from eaas.tokens import new_token

MEANS = Means(os.environ)


def a_tool(folder: Path, name: str, script: str) -> Path:
    tool = folder / name
    tool.write_text(f"#!/bin/sh\n{script}\n")
    tool.chmod(0o755)
    return tool


def test_a_file_can_be_read_by_all_and_written_by_its_owner_whatever_the_umask(
    tmp_path: Path,
) -> None:
    file = tmp_path / "new" / "agent.yaml"
    before = os.umask(0o077)
    try:
        do(PutFile(path=file, text="a: 1\n"), MEANS)
    finally:
        os.umask(before)

    assert (file.read_text(), stat.S_IMODE(file.stat().st_mode)) == ("a: 1\n", 0o644)
    do(RemoveFile(path=file), MEANS)
    do(RemoveFile(path=file), MEANS)
    assert os.listdir(file.parent) == []


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives folders away")
def test_a_folder_changes_hands_with_all_in_it_but_the_agents_and_what_links_point_to(
    tmp_path: Path,
) -> None:
    home, outside = tmp_path / "home", tmp_path / "outside"
    (home / "agents").mkdir(parents=True)
    (home / "logs").mkdir()
    for file in (home / "agents" / "a", home / "logs" / "l", outside):
        file.touch()
    (home / "link").symlink_to(outside)

    do(MakeFolder(path=home, mode=0o711, owner="nobody"), MEANS)

    owners = {path.name: path.lstat().st_uid for path in (*home.rglob("*"), outside, home)}
    assert owners == {
        "home": 65534,
        "logs": 65534,
        "l": 65534,
        "link": 65534,
        "agents": 0,
        "a": 0,
        "outside": 0,
    }


def test_a_token_goes_through_the_environment_and_not_on_a_command_line(tmp_path: Path) -> None:
    token = new_token("join", "a" * 52)
    heard = tmp_path / "heard"
    program = a_tool(tmp_path, "eaas-agent", f'echo "$@" > {heard}; env >> {heard}')
    step = Join(
        program=program,
        server="https://pool:7470",
        state_dir=tmp_path / "state",
        settings=tmp_path / "agent.yaml",
        home=tmp_path,
    )

    do(step, Means(os.environ, token))

    line, *environ = heard.read_text().splitlines()
    assert line.startswith("join --server https://pool:7470 --state-dir")
    assert token.secret not in line
    assert f"MINI_EAAS_TOKEN={token}" in environ


def test_a_step_that_fails_says_why_and_where_more_stands(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    a_tool(tmp_path, "systemctl", "echo the job failed >&2; exit 1")
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    words = ("restart", "mini-eaas-agent")

    with pytest.raises(StepFailed) as failed:
        do(Systemctl(order=words, for_user=False), MEANS)
    do(Systemctl(order=words, for_user=False, may_fail=True), MEANS)

    assert failed.value.sentence == (
        "the job failed\njournalctl -u mini-eaas-agent -n 20 says more"
    )
