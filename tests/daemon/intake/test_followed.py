from eaas_daemon.intake.followed import Followed, followed, unfinished
from eaas_daemon.intake.opening import opened
from eaas_daemon.intake.submitting import Accepted
from tests.daemon.intake.folders import SERVICE_UID, Doorway


def test_a_file_is_called_by_its_first_job_and_its_folder_may_want_the_log() -> None:
    file = followed("a.yaml", Accepted(numbers=(4, 5)), log=True)

    assert file == Followed(name="4-a.yaml", numbers=(4, 5), logs=frozenset({4, 5}))


def test_what_a_file_says_of_a_log_wins_over_its_folder() -> None:
    outcome = Accepted(numbers=(4, 5, 6), logs=(True, False, None))

    assert followed("a.yaml", outcome, log=False).logs == {4}
    assert followed("a.yaml", outcome, log=True).logs == {4, 6}


async def test_what_is_unfinished_is_told_by_the_statuses(doorway: Doorway) -> None:
    doorway.drop("a.yaml", "image: a\nlog: true\n---\nimage: b\n")
    doorway.drop("b.yaml", "image: a\n")
    doorway.drop("c.yaml", "image: a\npriority: 1\n")
    await doorway.take()
    await doorway.house.ask("POST", "/api/v1/jobs/3/cancel", {}, user="root")
    await doorway.statuses()
    (doorway.path / "accepted" / "4-c.yaml.status.yaml").unlink()

    with opened(doorway.path, SERVICE_UID) as folder:
        found = {file.name: file for file in unfinished(folder, log=True)}

    uids = tuple(doorway.house.job(number).uid for number in (1, 2))
    assert found == {
        "1-a.yaml": Followed(name="1-a.yaml", numbers=(1, 2), uids=uids, logs=frozenset({1})),
        "4-c.yaml": Followed(name="4-c.yaml", numbers=(4,), logs=frozenset({4})),
    }


async def test_of_a_file_of_which_one_job_has_ended_the_other_is_unfinished(
    doorway: Doorway,
) -> None:
    doorway.drop("a.yaml", "image: a\n---\nimage: b\n")
    await doorway.take()
    await doorway.house.ask("POST", "/api/v1/jobs/1/cancel", {}, user="root")
    await doorway.statuses()

    with opened(doorway.path, SERVICE_UID) as folder:
        (file,) = unfinished(folder, log=False)

    assert (file.numbers, file.told) == ((1, 2), frozenset({1}))
