import os
import pwd
from pathlib import Path

import pytest

from eaas_agent.accounts import Account, account_of, name_of, people_of, primary_group

UNKNOWN = 3_000_000_123


def test_a_user_of_this_node_is_found_with_all_groups() -> None:
    me = pwd.getpwuid(os.geteuid())

    found = account_of(me.pw_name)

    groups = tuple(sorted({*os.getgrouplist(me.pw_name, me.pw_gid)} - {me.pw_gid}))
    assert found == Account(uid=me.pw_uid, gid=me.pw_gid, groups=groups)
    assert name_of(me.pw_uid) == me.pw_name


def test_a_stranger_has_no_account() -> None:
    assert account_of("no-such-user") is None
    assert account_of("") is None


def test_a_bare_number_is_who_has_no_name() -> None:
    assert account_of(str(UNKNOWN)) == Account(uid=UNKNOWN, gid=UNKNOWN)
    assert primary_group(UNKNOWN) == UNKNOWN
    assert name_of(UNKNOWN) == f"user {UNKNOWN}"


@pytest.mark.parametrize("person", ["0", "000", str(2**32 - 1), "9" * 63, "²"])
def test_nobody_is_root_or_nobody_at_all_by_a_number(person: str) -> None:
    assert account_of(person) is None


def test_root_can_run_processes_as_everybody_who_has_an_account(tmp_path: Path) -> None:
    lines = "group: sss\npasswd: files systemd [NOTFOUND=return] # sss\n"
    (tmp_path / "nsswitch").write_text(lines)

    everybody = {entry.pw_name for entry in pwd.getpwall()}

    assert set(people_of(0, tmp_path / "nsswitch")() or ()) == everybody
    assert set(people_of(0, tmp_path / "absent")() or ()) == everybody


def test_whom_a_directory_knows_is_not_guessed(tmp_path: Path) -> None:
    (tmp_path / "nsswitch").write_text("passwd:\tfiles sss\n")

    assert people_of(0, tmp_path / "nsswitch")() is None


def test_an_agent_that_is_not_root_runs_its_own_users_jobs_and_roots() -> None:
    assert people_of(1)() == tuple(sorted({pwd.getpwuid(1).pw_name, "root"}))
    assert people_of(UNKNOWN)() == ("root", f"user {UNKNOWN}")
