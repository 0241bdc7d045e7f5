"""The folder of a job: filled at submit, shared by its attempts, copied out at any time."""

from pathlib import Path

import pytest

from eaas.lifecycle import JobState
from tests.rig.site import UNTIL_RELEASED, WORKER_IMAGE, Site

RESUMES = (
    "if [ -e checkpoint ]; then echo resumed from $(cat checkpoint); "
    "else echo step 12 > checkpoint; exit 1; fi"
)
ONCE_MORE = {"policy": "on-failure", "retries": 1, "backoff": "0s"}


async def test_a_checkpoint_of_the_first_attempt_is_read_by_the_second(site: Site) -> None:
    job = await site.run(RESUMES, restart=ONCE_MORE)

    assert (job.state, job.attempt) == (JobState.SUCCEEDED, 2)
    assert await site.log(job, attempt=2) == b"resumed from step 12\n"


@pytest.mark.docker
async def test_an_image_of_another_user_writes_into_the_workspace_too(box: Site) -> None:
    job = await box.run(f"id -u; {RESUMES}", image=WORKER_IMAGE, restart=ONCE_MORE)

    assert (job.state, job.attempt) == (JobState.SUCCEEDED, 2)
    assert await box.log(job, attempt=2) == b"1000\nresumed from step 12\n"


async def test_a_job_runs_in_its_workspace_and_is_told_where_it_is(site: Site) -> None:
    job = await site.run('[ "$PWD" = "$EAAS_WORKSPACE" ] && echo $EAAS_JOB_ID $EAAS_JOB_UID')

    assert await site.log(job) == f"{job.id} {job.uid}\n".encode()


async def test_two_jobs_have_two_workspaces(site: Site) -> None:
    await site.run("echo mine > file")

    other = await site.run("ls -A")

    assert await site.log(other) == b""


async def test_a_job_runs_what_was_submitted_even_if_the_folder_changes(
    site: Site, tmp_path: Path
) -> None:
    folder = tmp_path / "project"
    (folder / "data").mkdir(parents=True)
    (folder / "train.sh").write_text("cat data/numbers\n")
    (folder / "data" / "numbers").write_text("1 2 3\n")
    blocker = await site.running(UNTIL_RELEASED, gpus=2)
    flags = [*site.flags(), "--gpus", "1", "--with", str(folder), "--cmd", "sh train.sh"]

    number = int(site.pool.said("job", "submit", *flags))
    (folder / "train.sh").write_text("exit 9\n")
    (folder / "data" / "numbers").unlink()
    site.release(blocker)

    job = await site.end(await site.client.job(number))
    assert (job.state, await site.log(job)) == (JobState.SUCCEEDED, b"1 2 3\n")


async def test_files_are_copied_out_while_a_job_runs_and_after_its_end(
    site: Site, tmp_path: Path
) -> None:
    job = await site.running(
        f"mkdir out; echo half > out/model; {UNTIL_RELEASED}; echo whole > out/model"
    )

    site.pool.said("job", "cp", f"{job.id}:out/model", str(tmp_path / "early"))
    site.release(job)
    await site.end(job)
    site.pool.said("job", "cp", f"{job.id}:out", str(tmp_path / "late"))

    assert (tmp_path / "early").read_text() == "half\n"
    assert (tmp_path / "late" / "model").read_text() == "whole\n"


async def test_a_file_that_is_not_there_is_said_so(plain: Site, tmp_path: Path) -> None:
    job = await plain.run("true")

    done = plain.pool.eaas("job", "cp", f"{job.id}:model", str(tmp_path / "model"))

    assert done.returncode == 1
    assert b"model" in done.stderr
    assert not (tmp_path / "model").exists()


async def test_nobody_copies_out_of_the_workspace_by_a_link(site: Site, tmp_path: Path) -> None:
    job = await site.run("ln -s /etc/passwd link; ln -s / up; echo fine > file")

    done = site.pool.eaas("job", "cp", f"{job.id}:link", str(tmp_path / "link"))
    site.pool.eaas("job", "cp", f"{job.id}:.", str(tmp_path))

    assert (tmp_path / "file").read_text() == "fine\n"
    assert done.returncode != 0 or not (tmp_path / "link").exists()
    assert not (tmp_path / "up").exists()
