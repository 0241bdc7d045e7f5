"""What becomes of jobs on each runtime, from submit to their last state."""

import pytest

from eaas.lifecycle import JobState
from eaas.views import JobView
from tests.rig.pool import Installation
from tests.rig.registry import running_registry
from tests.rig.site import UNTIL_RELEASED, Site

IGNORES_TERM = "trap '' TERM; echo ready; while true; do sleep 1; done"


def is_pulling(job: JobView) -> bool:
    return job.phase is not None and job.phase.name == "pulling"


async def test_a_job_runs_and_what_it_wrote_can_be_read(site: Site) -> None:
    job = await site.run("echo hello; echo trouble >&2")

    assert (job.state, job.exit_code, job.attempt) == (JobState.SUCCEEDED, 0, 1)
    assert job.node == site.node
    assert await site.log(job) == b"hello\n"
    assert await site.log(job, stream="stderr") == b"trouble\n"


async def test_a_command_given_as_a_list_goes_through_no_shell(site: Site) -> None:
    job = await site.run(["echo", "$HOME", "a  b"])

    assert await site.log(job) == b"$HOME a  b\n"


async def test_a_job_that_exits_with_3_has_failed_with_3(site: Site) -> None:
    job = await site.run("exit 3")

    assert (job.state, job.exit_code, job.attempt) == (JobState.FAILED, 3, 1)
    assert job.reason is not None
    assert (job.reason.code, job.reason.text) == ("exited", "exited with code 3")


async def test_two_retries_make_three_attempts(site: Site) -> None:
    restart = {"policy": "on-failure", "retries": 2, "backoff": "0s"}

    job = await site.run("echo attempt $EAAS_ATTEMPT; exit 4", restart=restart)

    assert (job.state, job.exit_code, job.attempt) == (JobState.FAILED, 4, 3)
    assert [(one.number, one.state, one.exit_code) for one in job.attempts] == [
        (number, JobState.FAILED, 4) for number in (1, 2, 3)
    ]
    logs = [await site.log(job, attempt=number) for number in (1, 2, 3)]
    assert logs == [b"attempt 1\n", b"attempt 2\n", b"attempt 3\n"]


async def test_a_retry_that_succeeds_ends_the_job_well(site: Site) -> None:
    restart = {"policy": "on-failure", "retries": 5, "backoff": "0s"}

    job = await site.run("[ $EAAS_ATTEMPT = 2 ]", restart=restart)

    assert (job.state, job.exit_code, job.attempt) == (JobState.SUCCEEDED, 0, 2)


async def test_a_job_over_its_timeout_is_timed_out_and_not_retried(site: Site) -> None:
    restart = {"policy": "on-failure", "retries": 2, "backoff": "0s"}

    job = await site.run("exec sleep 60", timeout="1s", restart=restart)

    assert (job.state, job.attempt) == (JobState.TIMED_OUT, 1)
    assert job.reason is not None
    assert job.reason.code == "timed_out"


async def test_a_waiting_job_is_cancelled_without_ever_running(site: Site) -> None:
    blocker = await site.running(UNTIL_RELEASED, gpus=2)
    waiting = await site.submit("true", gpus=1)

    job = await site.client.cancel(waiting.id)

    assert (job.state, job.attempt, job.attempts) == (JobState.CANCELLED, 0, ())
    site.release(blocker)
    assert (await site.end(blocker)).state == JobState.SUCCEEDED


async def test_a_running_job_that_heeds_term_ends_by_itself(site: Site) -> None:
    job = await site.running("trap 'echo saved; exit 0' TERM; echo ready; sleep 60 & wait")

    await site.client.cancel(job.id)

    job = await site.end(job)
    assert job.state == JobState.CANCELLED
    assert await site.log(job) == b"ready\nsaved\n"


async def test_a_running_job_that_ignores_term_dies_after_its_grace(site: Site) -> None:
    job = await site.running(IGNORES_TERM)

    await site.client.cancel(job.id, grace_s=0.5)

    job = await site.end(job)
    assert (job.state, job.exit_code) == (JobState.CANCELLED, 137)


async def test_cancelling_an_ended_job_changes_nothing(plain: Site) -> None:
    ended = await plain.run("exit 3")

    assert await plain.client.cancel(ended.id) == ended
    assert plain.pool.eaas("job", "cancel", str(ended.id)).returncode == 0


async def test_a_retried_job_runs_once_more_with_the_next_number(site: Site) -> None:
    failed = await site.run("[ $EAAS_ATTEMPT = 2 ]")

    await site.client.retry(failed.id)

    job = await site.end(failed)
    assert (failed.state, job.state, job.attempt) == (JobState.FAILED, JobState.SUCCEEDED, 2)


async def test_a_command_that_does_not_exist_has_failed_with_127(site: Site) -> None:
    job = await site.run(["no-such-program"])

    assert (job.state, job.exit_code) == (JobState.FAILED, 127)


@pytest.mark.docker
async def test_a_job_over_its_memory_is_shown_as_out_of_memory(box: Site) -> None:
    job = await box.run("exec tail /dev/zero", memory="32MiB")

    assert (job.state, job.oom_killed, job.exit_code) == (JobState.FAILED, True, 137)
    assert job.reason is not None
    assert job.reason.text == "killed because it used more memory than its limit of 32MiB"
    assert "larger --memory" in box.pool.said("job", "show", str(job.id))


@pytest.mark.docker
async def test_an_image_that_does_not_exist_fails_with_the_registrys_words(box: Site) -> None:
    async with running_registry() as registry:
        job = await box.run("true", image=f"{registry.address}/missing:1")

    assert (job.state, job.attempt, job.exit_code) == (JobState.FAILED, 1, None)
    assert job.reason is not None
    assert "manifest unknown" in job.reason.text


@pytest.mark.docker
async def test_a_job_is_cancelled_while_its_image_does_not_come(box: Site) -> None:
    async with running_registry() as registry:
        waiting = await box.submit("true", image=f"{registry.address}/silent:1")
        starting = await box.client.until(waiting.id, is_pulling)

        await box.client.cancel(waiting.id)

        job = await box.end(waiting)
    assert starting.state == JobState.STARTING
    assert (job.state, job.started_at, job.exit_code) == (JobState.CANCELLED, None, None)


@pytest.mark.docker
async def test_an_image_is_pulled_and_its_digest_is_known(box: Site) -> None:
    async with running_registry() as registry:
        job = await box.run("cat /etc/note | wc -c", image=f"{registry.address}/good:1")

    assert (job.state, job.image_digest) == (JobState.SUCCEEDED, registry.digest)
    assert await box.log(job) == b"65536\n"


async def test_an_image_is_refused_where_no_node_could_ever_run_it(plain: Site) -> None:
    done = plain.pool.eaas(
        *["job", "submit", "--node", "plain", "--image", "alpine", "--cmd", "ls"]
    )

    assert done.returncode == 1
    assert b"plain has no container engine" in done.stderr


async def test_the_command_line_follows_a_job_to_its_end(site: Site, shared: Installation) -> None:
    good = shared.eaas("job", "submit", *site.flags(), "--follow", "--cmd", "echo hello")
    bad = shared.eaas("job", "submit", *site.flags(), "--follow", "--cmd", "echo oh no; exit 3")

    assert (good.returncode, good.stdout) == (0, b"hello\n")
    assert good.stderr.strip().isdigit()
    assert (bad.returncode, bad.stdout) == (1, b"oh no\n")
    assert b"Failed (3): exited with code 3" in bad.stderr


async def test_wait_ends_as_the_job_did(plain: Site, shared: Installation) -> None:
    good, bad = await plain.submit("true"), await plain.submit("exit 3")
    endless = await plain.submit("exec sleep 60")

    assert shared.eaas("job", "wait", str(good.id)).returncode == 0
    assert shared.eaas("job", "wait", str(good.id), str(bad.id)).returncode == 1
    assert shared.eaas("job", "wait", str(endless.id), "--timeout", "0.1s").returncode == 124
