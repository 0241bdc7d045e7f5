import asyncio

import pytest

from eaas.errors import Unavailable
from eaas.folder_file import FolderFile, Order, read_folder_file
from eaas_daemon.intake.submitting import Accepted, Obeyed, Refused, Submitter, folder_key
from tests.daemon.intake.folders import Doorway
from tests.rig.builders import ALICE, BOB


@pytest.fixture
def submitter(doorway: Doorway) -> Submitter:
    return Submitter(doorway.house.engine, doorway.house.clock)


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
    first = Accepted(numbers=(1, 2), logs=(True, None))
    assert await submitter.carry_out(TWO, ALICE, "folder:1") == first
    assert await submitter.carry_out(TWO, ALICE, "folder:1") == Accepted(
        numbers=(1, 2), logs=(True, None), again=True
    )


async def test_all_tasks_of_an_array_stand_for_their_file_and_are_stopped_by_its_number(
    submitter: Submitter,
) -> None:
    file = content("image: a\narray: 0-2\nlog: true\n---\nimage: b\n")

    assert await submitter.carry_out(file, ALICE, "folder:1") == Accepted(
        numbers=(1, 2, 3, 4), logs=(True, True, True, None)
    )
    orders = FolderFile(orders=(Order(job=1, priority=3), Order(job=1)))
    assert await submitter.carry_out(orders, ALICE, "folder:2") == Obeyed(
        done={
            1: "priority 3: 3 of its tasks, 0 stay as they are; "
            "then cancel: 3 of its tasks, 0 stay as they are"
        }
    )


async def test_an_array_that_is_too_large_for_a_file_is_refused_with_the_way_to_go(
    submitter: Submitter,
) -> None:
    outcome = await submitter.carry_out(content("image: a\narray: 0-1000\n"), ALICE, "folder:1")

    assert isinstance(outcome, Refused)
    assert outcome.errors[0].message == (
        "a file stands for 1000 jobs at most, not 1001: "
        "submit a larger array with mini-eaas job submit"
    )


async def test_all_ranks_of_a_job_on_several_nodes_stand_for_their_file(
    doorway: Doorway, submitter: Submitter
) -> None:
    file = content("image: a\nnum_nodes: 2\nlog: true\n---\nimage: b\n")
    numbers, logs = (1, 2, 3), (True, True, None)

    assert await submitter.carry_out(file, ALICE, "folder:1") == Accepted(
        numbers=numbers, logs=logs
    )
    assert await submitter.carry_out(file, ALICE, "folder:1") == Accepted(
        numbers=numbers, logs=logs, again=True
    )


async def test_a_key_in_the_file_wins_over_the_folders(submitter: Submitter) -> None:
    keyed = content("image: a\nkey: nightly\n")
    await submitter.carry_out(keyed, ALICE, "folder:1")

    again = await submitter.carry_out(keyed, ALICE, "folder:2")

    assert again == Accepted(numbers=(1,), logs=(None,), again=True)


async def test_a_refusal_of_the_engine_is_a_mistake_of_the_file(submitter: Submitter) -> None:
    outcome = await submitter.carry_out(content("image: a\npool: nowhere\n"), ALICE, "folder:1")

    assert isinstance(outcome, Refused)
    assert "nowhere" in outcome.errors[0].message


async def test_what_is_wrong_with_each_of_several_jobs_is_told_in_its_place(
    submitter: Submitter,
) -> None:
    documents = ("a\npool: nowhere", "b", "c\nqueue: x", "d\nnodes: [n9]")
    file = "---\n".join(f"image: {document}\n" for document in documents)

    outcome = await submitter.carry_out(content(file), ALICE, "folder:1")

    assert isinstance(outcome, Refused)
    places = [(error.field, error.line, error.column) for error in outcome.errors]
    assert places == [("pool", 2, 1), ("queue", 7, 1), ("nodes", 10, 1)]


async def test_orders_about_jobs_that_have_ended_change_nothing_and_say_how_they_did(
    doorway: Doorway, submitter: Submitter
) -> None:
    await submitter.carry_out(TWO, ALICE, "folder:1")
    await submitter.carry_out(FolderFile(orders=(Order(job=2),)), ALICE, "folder:2")
    await doorway.give_card()
    await doorway.house.runs(1)
    await doorway.house.ends(1, exit_code=3)
    orders = FolderFile(orders=(Order(job=1), Order(job=2)))
    raised = FolderFile(orders=(Order(job=1, priority=10), Order(job=2, priority=10)))

    for again in (orders, raised):
        outcome = await submitter.carry_out(again, ALICE, "folder:3")
        assert isinstance(outcome, Obeyed)
        failed, cancelled = outcome.done[1], outcome.done[2]
        assert failed.startswith("nothing was to be done: it had ended already, Failed with exit c")
        assert "code 3 at 19" in failed
        assert "it had ended already, Cancelled at 19" in cancelled
    assert isinstance(await submitter.carry_out(raised, BOB, "folder:4"), Refused)


@pytest.mark.parametrize("priority", [None, 10])
async def test_an_order_for_a_job_that_ends_at_that_moment_is_answered_like_one_that_came_later(
    doorway: Doorway, submitter: Submitter, priority: int | None
) -> None:
    await submitter.carry_out(TWO, ALICE, "folder:1")
    await doorway.give_card()
    await doorway.house.runs(1)
    orders = FolderFile(orders=(Order(job=1, priority=priority),))

    _, outcome = await asyncio.gather(
        doorway.house.ends(1), submitter.carry_out(orders, ALICE, "folder:2")
    )

    assert isinstance(outcome, Obeyed)
    assert outcome.done[1].startswith(
        "nothing was to be done: it had ended already, Succeeded with exit code 0 at 19"
    )


async def test_two_orders_about_one_job_are_both_told_and_the_same_one_only_once(
    submitter: Submitter,
) -> None:
    await submitter.carry_out(TWO, ALICE, "folder:1")
    orders = (Order(job=1, priority=10), Order(job=1), Order(job=1), Order(job=1, priority=10))

    outcome = await submitter.carry_out(FolderFile(orders=orders), ALICE, "folder:2")

    assert outcome == Obeyed(done={1: "priority 10: it is Pending; then cancel: it is Cancelled"})


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
