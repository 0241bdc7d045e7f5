from pathlib import Path

import pytest

from eaas.wire.rest import SetQueue
from eaas_daemon.core import events as e
from eaas_daemon.intake.destination import is_on_host, wrong_destination
from eaas_daemon.intake.settings import FolderSettings
from tests.daemon.intake.folders import ME
from tests.rig.builders import ADMIN, House


@pytest.fixture
def house() -> House:
    house = House()
    for name in ("lab", "farm"):
        house.do(e.CreatePool(caller=ADMIN, name=name))
    return house


def wrong(house: House, *, on_host: bool = True, **settings: str) -> str | None:
    given = FolderSettings(path=Path("/srv/jobs"), **settings)  # type: ignore[arg-type]
    return wrong_destination(house.state, given, on_host=on_host)


def test_a_folder_that_says_nothing_is_right_whatever_pools_there_are(house: House) -> None:
    assert wrong(house) is None


def test_a_pool_or_queue_that_is_not_there_is_told_until_it_is(house: House) -> None:
    assert "there is no pool lap; there are: farm, lab" in str(wrong(house, pool="lap"))
    assert "say which pool: farm, lab" in str(wrong(house, queue="night"))
    assert "lab has no queue night" in str(wrong(house, pool="lab", queue="night"))

    house.do(e.CreateQueue(caller=ADMIN, pool="lab", name="night", settings=SetQueue()))

    assert wrong(house, pool="lab", queue="night") is None
    assert wrong(house, pool="lab") is None


def test_a_queue_that_is_for_others_than_the_folders_user_is_told(house: House) -> None:
    ours = SetQueue(allow=["bob"])
    house.do(e.CreateQueue(caller=ADMIN, pool="lab", name="ours", settings=ours))

    assert "is for bob" in str(wrong(house, pool="lab", queue="ours", user="ann"))
    assert wrong(house, pool="lab", queue="ours", user="bob") is None


def test_a_user_whom_nobody_knows_is_told_and_one_with_a_token_is_known(house: House) -> None:
    assert "whom neither this host nor a token knows" in str(wrong(house, user="an", on_host=False))
    assert wrong(house, user="ann", on_host=True) is None


def test_the_host_knows_its_users() -> None:
    assert is_on_host(ME)
    assert not is_on_host("nobody-of-this-name")
