import os
import pwd

from eaas_agent.accounts import Account, account_of, name_of, primary_group

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
