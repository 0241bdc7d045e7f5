import os

import pytest

from eaas.ids import UserName
from eaas_daemon.core.events import Caller
from eaas_daemon.intake.owners import UnknownOwner, callers_for, lets_others_in, open_to

DAEMON_UID, NOBODYS_UID = 1, 61234


def caller(
    uid: int, fixed: str | None = None, *, service_uid: int = 0, private: bool = False
) -> Caller | UnknownOwner:
    return callers_for([uid], fixed, service_uid, private=private)[uid]


def test_a_file_is_the_word_of_its_owner_by_name() -> None:
    assert caller(DAEMON_UID) == Caller(user=UserName("daemon"))


def test_a_folder_with_a_user_speaks_for_that_user_whoever_owns_the_file() -> None:
    assert caller(0, "robot", private=True) == Caller(user=UserName("robot"))


def test_a_number_without_a_name_is_nobody_here() -> None:
    unknown = caller(NOBODYS_UID)

    assert isinstance(unknown, UnknownOwner)
    assert str(NOBODYS_UID) in unknown.sentence


def test_only_where_nobody_else_can_put_files_root_and_the_controllers_user_are_admins() -> None:
    admins = {
        (uid, private): caller(uid, service_uid=DAEMON_UID, private=private)
        for uid in (0, DAEMON_UID, 2)
        for private in (True, False)
    }

    assert {key for key, who in admins.items() if isinstance(who, Caller) and who.admin} == {
        (0, True),
        (DAEMON_UID, True),
    }


def test_every_owner_is_looked_up_once() -> None:
    assert callers_for([os.geteuid()] * 3, None, 0, private=False).keys() == {os.geteuid()}


@pytest.mark.parametrize(
    ("mode", "uid", "gid", "opened", "others"),
    [
        (0o41777, 0, 0, "everybody", True),
        (0o41770, 0, 0, "root", False),
        (0o41770, 0, 4711, "root, group 4711", True),
        (0o40700, 4711, 4711, "4711", False),
    ],
)
def test_who_may_put_files_into_a_folder_is_said(
    mode: int, uid: int, gid: int, opened: str, others: bool
) -> None:
    found = os.stat_result((mode, 1, 1, 1, uid, gid, 0, 0, 0, 0))

    assert (open_to(found), lets_others_in(open_to(found))) == (opened, others)
