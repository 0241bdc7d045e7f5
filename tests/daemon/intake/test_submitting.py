import pytest

from eaas.errors import Unavailable
from eaas.folder_file import FolderFile, Order, read_folder_file
from eaas_daemon.intake.submitting import Accepted, Obeyed, Refused, Submitter, folder_key
from tests.daemon.intake.folders import Doorway
from tests.rig.builders import ALICE, BOB


@pytest.fixture
def submitter(doorway: Doorway) -> Submitter:
    return Submitter(doorway.house.engine)


def content(text: str) -> FolderFile:
    return read_folder_file(text, name="a.yaml")


TWO = content("image: a\nlog: true\n---\nimage: b\n")


def test_the_key_tells_folder_name_and_content_apart(doorway: Doorway) -> None:
    keys = {
        folder_key(doorway.path, "a.yaml", b"x"),
        folder_key(doorway.path, "b.yaml", b"x"),
        folder_key(doorway.path, "a.yaml", b"y"),
        folder_key(doorway.path.parent, "a.yaml", b"x"),
    }

    assert len(keys) == 4


async def test_the_same_key_gives_the_same_jobs(submitter: Submitter) -> None:
    assert await submitter.carry_out(TWO, ALICE, "folder:1") == Accepted(numbers=(1, 2), log=True)
    assert await submitter.carry_out(TWO, ALICE, "folder:1") == Accepted(
        numbers=(1, 2), log=True, again=True
    )


async def test_a_key_in_the_file_wins_over_the_folders(submitter: Submitter) -> None:
    keyed = content("image: a\nkey: nightly\n")
    await submitter.carry_out(keyed, ALICE, "folder:1")

    again = await submitter.carry_out(keyed, ALICE, "folder:2")

    assert again == Accepted(numbers=(1,), again=True)


async def test_a_refusal_of_the_engine_is_a_mistake_of_the_file(submitter: Submitter) -> None:
    outcome = await submitter.carry_out(content("image: a\npool: nowhere\n"), ALICE, "folder:1")

    assert isinstance(outcome, Refused)
    assert "nowhere" in outcome.errors[0].message


async def test_orders_are_obeyed_and_those_about_others_jobs_are_not(submitter: Submitter) -> None:
    await submitter.carry_out(TWO, ALICE, "folder:1")
    orders = FolderFile(orders=(Order(job=1), Order(job=2, priority=10)))

    refused = await submitter.carry_out(orders, BOB, "folder:2")
    obeyed = await submitter.carry_out(orders, ALICE, "folder:3")

    assert isinstance(refused, Refused)
    assert len(refused.errors) == 2
    assert obeyed == Obeyed(done={1: "cancel: it is Cancelled", 2: "priority 10: it is Pending"})


async def test_a_file_comes_again_when_the_controller_stops(
    doorway: Doorway, submitter: Submitter
) -> None:
    doorway.house.engine.refuse_all("stopping")

    with pytest.raises(Unavailable):
        await submitter.carry_out(TWO, ALICE, "folder:1")
