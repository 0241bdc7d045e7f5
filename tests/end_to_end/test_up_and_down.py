"""``up`` and ``down``: a whole pool with one command, and jobs that outlive both."""

import json
from collections.abc import AsyncIterator

import pytest

from eaas.lifecycle import JobState
from tests.rig.pool import Installation, an_installation
from tests.rig.program import await_end
from tests.rig.site import UNTIL_RELEASED, Site

UP = ("up", "--headless", "--port", "0", "--name", "here", "--runtime", "process")


@pytest.fixture
async def home() -> AsyncIterator[Installation]:
    """An empty home for ``up``; what it started is taken down in the end."""
    async with an_installation() as pool:
        yield pool
        pool.eaas("down", "--stop-jobs")


async def test_up_makes_a_pool_and_a_second_up_changes_nothing(home: Installation) -> None:
    first = json.loads(home.said(*UP, "-o", "json"))
    programs = sorted(home.processes())

    second = json.loads(home.said(*UP, "-o", "json"))

    assert first["started"] == ["controller", "agent-here"]
    assert second["started"] == []
    assert sorted(home.processes()) == programs
    assert [(node["name"], node["state"], node["pools"]) for node in second["nodes"]] == [
        ("here", "Ready", ["default"])
    ]
    assert home.paths.inbox.is_dir()
    followed = home.eaas("job", "submit", "--cmd", "echo hi", "--follow")
    assert (followed.returncode, followed.stdout) == (0, b"hi\n")


async def test_down_leaves_jobs_running_and_the_next_up_adopts_them(home: Installation) -> None:
    home.said(*UP, "--simulate", "1x8GiB")
    async with home.client() as client:
        site = Site(pool=home, client=client, node="here", image=None)
        before = await site.running(f"{UNTIL_RELEASED}; exit 5", gpus=1)
        pid = await site.pid(before)

        down = json.loads(home.said("down", "-o", "json"))
        left = home.processes()
        refused = home.eaas("job", "list")
        home.said(*UP, "--simulate", "1x8GiB")
        adopted = await site.when(before, JobState.RUNNING)
        site.release(before)
        job = await site.end(before)

    assert (sorted(down["stopped"]), down["jobs_left"]) == (["agent-here", "controller"], 1)
    assert pid in left
    assert refused.returncode == 69
    assert b"mini-eaas up starts a pool on this machine" in refused.stderr
    assert adopted.attempts[0].container_id == before.attempts[0].container_id
    assert (job.state, job.exit_code, job.attempt) == (JobState.FAILED, 5, 1)


async def test_down_can_stop_the_jobs_too(home: Installation) -> None:
    home.said(*UP)
    async with home.client() as client:
        site = Site(pool=home, client=client, node="here", image=None)
        job = await site.running("echo ready; exec sleep 60")
        pid = await site.pid(job)

    home.said("down", "--stop-jobs")

    await_end(pid)
    assert home.processes() == []


async def test_down_where_nothing_runs_is_no_mistake(home: Installation) -> None:
    assert home.said("down") == "nothing of this pool ran here\n"


async def test_a_demo_shows_simulated_cards_and_calls_them_so(home: Installation) -> None:
    home.said(*UP, "--demo")

    cards = json.loads(home.said("gpus", "-o", "json"))["items"]
    table = home.said("gpus").splitlines()
    job = home.eaas("job", "submit", "--pool", "demo", "--gpus", "4", "--cmd", "true", "--dry-run")

    assert len(cards) == 6
    assert all(card["simulated"] and "(simulated)" in card["model"] for card in cards)
    assert {card["node"] for card in cards} == {"demo-a", "demo-b"}
    assert len([line for line in table if "(simulated)" in line]) == 6
    assert job.returncode == 0
