import pytest

from eaas.ids import UserName
from eaas_daemon.core.events import Caller
from eaas_daemon.intake.owners import UnknownOwner, caller_for


def test_a_file_is_the_word_of_its_owner_by_name() -> None:
    assert caller_for(1, None, 0) == Caller(user=UserName("daemon"), admin=False)


def test_a_folder_with_a_user_speaks_for_that_user_whoever_owns_the_file() -> None:
    assert caller_for(0, "robot", 0) == Caller(user=UserName("robot"), admin=False)


def test_a_number_without_a_name_is_nobody_here() -> None:
    with pytest.raises(UnknownOwner, match="61234"):
        caller_for(61234, None, 0)
