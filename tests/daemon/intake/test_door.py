import os
from pathlib import Path

import pytest
import yaml

from eaas.wire.rest import SetQueue
from eaas_daemon.core import events as e
from eaas_daemon.intake.failures import FolderUnusable
from eaas_daemon.intake.stillness import STILL_S
from tests.daemon.intake.folders import JOB, ME, Doorway, a_doorway, needs_root
from tests.rig.builders import ADMIN, a_card

GBK = "command: 训练\n".encode("gbk")


async def error_of(doorway: Doorway, name: str, content: str | bytes) -> str:
    """Return what is said of a file that is refused."""
    doorway.drop(name, content)
    assert (await doorway.take()).refused == 1
    assert (doorway.path / "refused" / name).exists()
    return doorway.text("refused", f"{name}.error.txt")


def jobs(doorway: Doorway) -> int:
    """Return how many jobs there are."""
    number = 1
    while doorway.house.state.job_by_number(number) is not None:
        number += 1
    return number - 1


async def test_a_file_that_stood_still_becomes_a_job_and_lies_among_the_accepted(
    doorway: Doorway,
) -> None:
    doorway.drop("train.yaml")

    assert (await doorway.look()).accepted == 0
    assert (await doorway.look(after_s=STILL_S)).accepted == 1

    assert doorway.names() == set()
    assert doorway.names("accepted") == {"1-train.yaml", "1-train.yaml.status.yaml"}
    assert doorway.text("accepted", "1-train.yaml") == JOB
    status = yaml.safe_load(doorway.text("accepted", "1-train.yaml.status.yaml"))
    assert (status["final"], status["job"], status["state"]) == (False, 1, "Pending")
    assert doorway.house.job(1).user == ME


async def test_a_bad_file_stays_readable_with_every_mistake_beside_it(doorway: Doorway) -> None:
    error = await error_of(doorway, "bad.yaml", "comand: a\ngpus: many\n")

    assert doorway.names("refused") == {"bad.yaml", "bad.yaml.error.txt"}
    assert "line 1, column 1" in error
    assert "did you mean command?" in error
    assert "line 2" in error


@pytest.mark.parametrize(
    "content",
    [
        b"\xef\xbb\xbf" + JOB.encode(),
        JOB.replace("\n", "\r\n").encode(),
        JOB.rstrip().encode(),
        b"---\n" + JOB.encode() + b"...\n",
        b'{"image": "busybox",\n\t"command": "true"}',
    ],
    ids=["byte order mark", "Windows line ends", "no last line end", "marks", "JSON with tabs"],
)
async def test_what_harms_nobody_just_works(doorway: Doorway, content: bytes) -> None:
    doorway.drop("a.yaml", content)

    await doorway.take()

    assert doorway.house.job(1).spec.image == "busybox"


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (GBK, "this is not UTF-8 but probably GBK: save the file as UTF-8"),
        ("command: a\n".encode("utf-16"), "UTF-16: save it as UTF-8"),
        (b"restart:\n\tretries: 3\n", "tab"),
        (b"", "no job"),
        (b"# only a remark\n", "no job"),
        (b"\x89PNG\r\n\x1a\n", "no text"),
        (b"a: &x [1]\nb: *x\n", "line 2"),
        (b"[" * 10_000, "deep"),
        (b"command: a\nwith: .\n", "takes no folders along"),
        (b"cancel: 7\n---\ncommand: a\n", "make two of it"),
        (b"command: a\npool: nowhere\n", "nowhere"),
        (b"cancel: 7\n", "7"),
    ],
)
async def test_what_is_wrong_gets_a_sentence(doorway: Doorway, content: bytes, words: str) -> None:
    assert words in await error_of(doorway, "a.yaml", content)
    assert jobs(doorway) == 0


async def test_a_bomb_among_good_files_holds_up_none_of_them(doorway: Doorway) -> None:
    bomb = "a: &a [x, x, x, x, x, x, x, x, x]\n" + "".join(
        f"{b}: &{b} [*{a}, *{a}, *{a}, *{a}, *{a}, *{a}, *{a}]\n"
        for a, b in zip("abcdefgh", "bcdefghi", strict=True)
    )
    doorway.drop("bomb.yaml", bomb)
    with doorway.drop("big.yaml").open("wb") as big:
        big.truncate(50 << 20)
    doorway.drop("deep.yaml", "a:\n" + "".join(f"{' ' * n}- \n" for n in range(1, 300)))
    doorway.drop("number.yaml", f"priority: {'9' * 5000}\ncommand: a\n")
    doorway.drop("good.yaml")

    done = await doorway.take()

    assert (done.accepted, done.refused) == (1, 4)


async def test_what_never_fits_is_refused_like_a_bad_file(doorway: Doorway) -> None:
    await doorway.give_card()

    error = await error_of(doorway, "a.yaml", JOB + "gpus: 1\ngpu_memory: 80GiB\n")

    assert "24" in error
    assert jobs(doorway) == 0


async def test_a_full_queue_refuses(doorway: Doorway) -> None:
    event = e.ChangeQueue(
        caller=ADMIN, pool="default", name="default", settings=SetQueue(max_pending=1)
    )
    await doorway.house.engine.ask(event)
    doorway.drop("a.yaml")
    await doorway.take()

    assert "1 jobs wait" in await error_of(doorway, "b.yaml", JOB)
    assert jobs(doorway) == 1


async def test_the_same_file_again_is_the_same_job_and_new_content_is_a_new_one(
    doorway: Doorway,
) -> None:
    for content in (JOB, JOB, JOB + "# once more\n"):
        doorway.drop("a.yaml", content)
        await doorway.take()

    assert doorway.names("accepted") == {
        *("1-a.yaml", "1-a.yaml.status.yaml", "1-a.yaml.again.txt"),
        *("2-a.yaml", "2-a.yaml.status.yaml"),
    }
    assert "job 1 already stands for it" in doorway.text("accepted", "1-a.yaml.again.txt")


async def test_a_key_in_the_file_overrides_name_and_content(doorway: Doorway) -> None:
    keyed = JOB + "key: nightly-1\n"
    doorway.drop("a.yaml", keyed)
    await doorway.take()
    doorway.drop("b.yaml", "# the same, told otherwise\n" + keyed)
    await doorway.take()
    assert jobs(doorway) == 1
    assert doorway.names("accepted") == {
        *("1-a.yaml", "1-a.yaml.status.yaml"),
        *("1-b.yaml", "1-b.yaml.status.yaml"),
    }

    assert "nightly-1 was used" in await error_of(doorway, "c.yaml", keyed + "gpus: 1\n")


async def test_every_refused_document_of_a_file_is_told(doorway: Doorway) -> None:
    error = await error_of(doorway, "b.yaml", f"{JOB}pool: x\n---\n{JOB}---\n{JOB}queue: y\n")

    assert "line 3, column 1: there is no pool x" in error
    assert "line 10, column 1: default has no queue y" in error


async def test_all_jobs_of_a_file_are_accepted_or_none(doorway: Doorway) -> None:
    doorway.drop("a.yaml", f"{JOB}---\n{JOB}---\n{JOB}")
    await doorway.take()
    await error_of(doorway, "b.yaml", f"{JOB}---\n{JOB}pool: nowhere\n")

    statuses = list(yaml.safe_load_all(doorway.text("accepted", "1-a.yaml.status.yaml")))
    assert [status["job"] for status in statuses] == [1, 2, 3]
    assert jobs(doorway) == 3


@needs_root
async def test_a_file_of_somebody_nobody_knows_is_refused(doorway: Doorway) -> None:
    os.chown(doorway.drop("a.yaml"), 61234, -1)

    await doorway.take()

    assert "61234" in doorway.text("refused", "a.yaml.error.txt")


@needs_root
async def test_a_folders_user_pool_and_queue_hold_for_its_files(tmp_path: Path) -> None:
    async with a_doorway(tmp_path, user="robot", pool="lab") as doorway:
        await doorway.house.pool("lab")
        os.chown(doorway.drop("a.yaml"), 61234, -1)

        await doorway.take()

        job = doorway.house.job(1)
        assert (job.user, job.pool) == ("robot", "lab")


@pytest.mark.parametrize("pieces", [10])
async def test_a_slow_writer_makes_one_job_of_all_its_pieces(doorway: Doorway, pieces: int) -> None:
    with (doorway.path / "a.yaml").open("wb", buffering=0) as writer:
        writer.write(JOB.encode())
        for piece in range(pieces):
            writer.write(f"---\n{JOB}labels: {{piece: '{piece}'}}\n".encode())
            assert (await doorway.look(after_s=1.0)).accepted == 0

    assert (await doorway.look(after_s=STILL_S)).accepted == 1
    assert jobs(doorway) == pieces + 1


async def test_a_slow_writer_whose_file_looked_whole_makes_no_error_of_a_half(
    doorway: Doorway,
) -> None:
    half = doorway.move_in("a.yaml", "image: busybox\ncommand: [sle")
    with half.open("ab", buffering=0) as writer:
        await doorway.look()
        assert (await doorway.look(after_s=0.5)).refused == 0
        assert not half.exists()
        writer.write(b"ep]\n")
        await doorway.look(after_s=1.0)

    assert (await doorway.look(after_s=STILL_S)).accepted == 1
    assert doorway.house.job(1).spec.command == ("sleep",)


async def test_a_file_that_came_by_rename_is_a_job_at_once(doorway: Doorway) -> None:
    doorway.move_in("a.yaml")

    assert (await doorway.look(renamed={"a.yaml"})).accepted == 1


async def test_a_bad_file_that_came_by_rename_is_refused_when_it_stood_still(
    doorway: Doorway,
) -> None:
    doorway.move_in("a.yaml", "gpus: x\n")

    first = await doorway.look(renamed={"a.yaml"})
    assert (first.refused, first.look_again_s) == (0, STILL_S)
    assert (await doorway.look(after_s=STILL_S)).refused == 1


async def test_editing_an_accepted_file_changes_nothing(doorway: Doorway) -> None:
    doorway.drop("a.yaml")
    await doorway.take()
    (doorway.path / "accepted" / "1-a.yaml").write_text("image: other\n")

    assert (await doorway.take()).accepted == 0
    assert jobs(doorway) == 1


async def test_renaming_an_accepted_file_changes_nothing_and_no_other_is_taken_for_it(
    doorway: Doorway,
) -> None:
    doorway.drop("a.yaml")
    await doorway.take()
    accepted = doorway.path / "accepted"
    (accepted / "1-a.yaml").rename(accepted / "2-b.yaml")

    await doorway.take()
    await doorway.statuses()
    await doorway.restart()
    await doorway.statuses()

    assert doorway.house.job(1).state == "Pending"
    assert jobs(doorway) == 1
    assert doorway.names("accepted") == {"2-b.yaml", "1-a.yaml.status.yaml"}


async def test_deleting_an_accepted_file_cancels_nothing(doorway: Doorway) -> None:
    doorway.drop("a.yaml")
    await doorway.take()
    for file in (doorway.path / "accepted").iterdir():
        file.unlink()
    await doorway.house.tick(1.0)
    await doorway.take()
    await doorway.statuses()

    assert doorway.house.job(1).state == "Pending"
    assert doorway.names("accepted") == set()


async def test_a_folder_that_vanishes_cancels_nothing(doorway: Doorway) -> None:
    doorway.drop("a.yaml")
    await doorway.take()
    away = doorway.path.rename(doorway.path.with_name("away"))

    with pytest.raises(FolderUnusable, match="is not there"):
        await doorway.look()
    await doorway.statuses()
    assert doorway.house.job(1).state == "Pending"

    away.rename(doorway.path)
    doorway.drop("b.yaml")
    assert (await doorway.take()).accepted == 1


async def test_a_bug_met_by_one_file_stays_with_it(doorway: Doorway) -> None:
    class Broken:
        sentence = ""

        async def carry_out(self, content: object, caller: object, key: object) -> None:
            raise ZeroDivisionError

    doorway.drop("a.yaml")
    doorway.drop("b.yaml", "gpus: x\n")
    doorway.door._submitter = Broken()  # type: ignore[assignment]

    assert (await doorway.take()).refused == 2
    assert "met a bug in the controller" in doorway.text("refused", "a.yaml.error.txt")


async def test_files_wait_while_the_controller_can_not_store_anything(doorway: Doorway) -> None:
    doorway.drop("a.yaml")
    doorway.house.engine.refuse_all("stopping")

    done = await doorway.take()

    assert (done.accepted, done.refused) == (0, 0)
    assert done.look_again_s > 0
    assert (doorway.path / ".taken" / "a.yaml").exists()


async def test_a_thousand_jobs_in_a_file_are_a_thousand_jobs(doorway: Doorway) -> None:
    await doorway.house.node("n1", a_card(0))
    doorway.drop("a.yaml", "---\n".join(["image: a\n"] * 1000))

    assert (await doorway.take()).accepted == 1
    assert jobs(doorway) == 1000
    assert doorway.text("accepted", "1-a.yaml.status.yaml").count("\nstate: Pending\n") == 1000
