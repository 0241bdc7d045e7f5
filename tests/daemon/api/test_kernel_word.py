import grp
import os
import pwd
import socket
from types import SimpleNamespace

import pytest

from eaas_daemon.api.kernel_word import role_of, uid_behind, user_name


def test_a_uid_without_a_name_is_shown_as_its_number() -> None:
    taken = {entry.pw_uid for entry in pwd.getpwall()}
    free = next(uid for uid in range(54321, 60000) if uid not in taken)

    assert user_name(0) == "root"
    assert user_name(free) == str(free)


def test_the_kernel_tells_who_is_at_the_other_end() -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        assert uid_behind(ours) == os.geteuid()


@pytest.mark.parametrize(
    ("uid", "groups", "members", "role"),
    [
        (0, (), "group", "admin"),
        (77, (), "group", "admin"),  # the service's own
        (1, (), "everybody", "member"),
        (1, ("mini-eaas-admin",), "everybody", "admin"),
        (1, ("mini-eaas-admin",), "group", "admin"),
        (1, ("mini-eaas",), "group", "member"),
        (1, ("others",), "group", None),
        (3_999_999, (), "group", None),
        (3_999_999, (), "everybody", "member"),
    ],
)
def test_a_user_of_this_host_is_what_their_groups_say(
    monkeypatch: pytest.MonkeyPatch, uid: int, groups: tuple[str, ...], members: str, role: str
) -> None:
    names = dict(enumerate(groups, start=500_000))
    real = grp.getgrgid
    monkeypatch.setattr(os, "getgrouplist", lambda *_: list(names))
    monkeypatch.setattr(
        grp,
        "getgrgid",
        lambda gid: SimpleNamespace(gr_name=names[gid]) if gid in names else real(gid),
    )

    assert role_of(uid, 77, members) == role  # type: ignore[arg-type]
